#if CommandLine
import Testing

@testable import CofferdamTool

@Suite("The wall of a package")
struct WallTests {
    /// An app over an adapter over a vendor's package.
    static func package(_ changes: (inout WallFixture) -> Void = { _ in }) -> WallFixture {
        var fixture = WallFixture()
        fixture.targets = [
            .init("Domain"),
            .init("SkyV1", dependsOn: [#"{"byName": ["Domain", null]}"#, sky]),
            .init("App", dependsOn: [#"{"target": ["Domain", null]}"#, #"{"byName": ["SkyV1", null]}"#]),
            .init("SkyV1Tests", type: "test", dependsOn: [#"{"byName": ["SkyV1", null]}"#, sky]),
        ]
        changes(&fixture)
        return fixture
    }

    private static let sky = #"{"product": ["SkyKit", "sky-sdk", null, null]}"#
    private static let table = "vendor Sky from sky-sdk: SkyV1 SkyV1Tests\n"

    @Test(
        "With only the vendor's line, only its adapters may import it, and they must not expose it",
        arguments: [
            ("Sources/SkyV1/A.swift", "import Sky", nil),
            ("Sources/SkyV1/A.swift", "internal import Sky", nil),
            ("Sources/SkyV1/A.swift", "import UIKit", nil),
            ("Sources/SkyV1/A.swift", "@_exported import UIKit", nil),
            ("Tests/SkyV1Tests/A.swift", "@testable import Sky", nil),
            ("Sources/App/A.swift", "public import UIKit", nil),
            ("Elsewhere/A.swift", "import Sky", nil),
            ("Sources/App/A.swift", "// first\nimport Sky", "Sources/App/A.swift:2: App may not import Sky"),
            ("Tests/AppTests/A.swift", "import Sky", nil),
            (
                "Sources/SkyV1/A.swift", "public import Sky",
                "Sources/SkyV1/A.swift:1: a vendor's module is imported as public"
            ),
            (
                "Sources/SkyV1/A.swift", "package import class Sky.Cloud",
                "Sources/SkyV1/A.swift:1: a vendor's module is imported as package"
            ),
            (
                "Sources/SkyV1/A.swift", "@testable import Sky",
                "Sources/SkyV1/A.swift:1: a vendor's module is imported as @testable"
            ),
            ("Tests/SkyV1Tests/A.swift", "@_exported import Sky", "Tests/SkyV1Tests/A.swift:1: Sky is re-exported"),
            (
                "Sources/App/A.swift", "let a = \"",
                "Sources/App/A.swift:1: its imports cannot be read: a string does not end"
            ),
        ] as [(String, String, String?)]
    )
    func minimal(path: String, text: String, violation: String?) throws {
        let wall = try Self.package().wall(Self.table)
        #expect(wall.tableViolations() == [])
        #expect(wall.violations(of: text, in: path).map(\.description) == (violation.map { [$0] } ?? []))
    }

    @Test("Where an import is public by default, an adapter must say that it is not")
    func publicByDefault() throws {
        let wall = try Self.package { $0.targets[1].settings = "[]" }.wall(Self.table)
        let path = "Sources/SkyV1/A.swift"
        let words = "write 'internal import Sky', or set InternalImportsByDefault for the target"
        #expect(
            wall.violations(of: "import Sky", in: path).map(\.text) == [
                "a vendor's module is imported as public: \(words)"
            ]
        )
        #expect(wall.violations(of: "private import Sky\nimport UIKit", in: path) == [])
    }

    @Test("A module under an alias is still the vendor's")
    func alias() throws {
        let product = #"{"product": ["SkyKit", "sky-sdk", {"Sky": "OldSky"}, null]}"#
        let wall = try Self.package { $0.targets[1].dependencies = [product] }.wall(Self.table)
        #expect(wall.violations(of: "import OldSky", in: "Sources/SkyV1/A.swift") == [])
        #expect(
            wall.violations(of: "import OldSky", in: "Sources/App/A.swift").map(\.text) == [
                "App may not import OldSky"
            ]
        )
    }

    @Test(
        "In a strict table a target may import what its row and the system's line name",
        arguments: [
            ("Sources/App/A.swift", "import Domain\nimport SkyV1\nimport Foundation", []),
            ("Sources/App/A.swift", "import UIKit", ["App may not import UIKit"]),
            ("Sources/Domain/A.swift", "import Foundation", ["Domain may not import Foundation"]),
            ("Sources/SkyV1/A.swift", "import Sky\nimport App", ["SkyV1 may not import App"]),
            ("Sources/SkyV1/A.swift", "@_exported import Domain", ["Domain is re-exported"]),
            ("Sources/App/A.swift", "@_exported public import Domain", []),
            ("Sources/App/A.swift", "@_exported import Foundation", ["Foundation is re-exported"]),
            ("Sources/Nowhere/A.swift", "import Foundation", ["belongs to no target of the package"]),
            ("Sources/App/Fixtures/A.swift", "import Anything", []),
        ]
    )
    func strict(path: String, text: String, violations: [String]) throws {
        let wall = try Self.package().wall(WallFixture.strict)
        #expect(wall.tableViolations() == [])
        #expect(wall.graphViolations() == [])
        #expect(wall.violations(of: text, in: path).map(\.text) == violations)
    }

    @Test(
        "A target that depends on something it may not import is found, with the manifest's line",
        arguments: [
            (
                table, #"{"product": ["SkyKit", "Sky-SDK", null, null]}"#,
                "11: App may not depend on SkyKit of the package 'Sky-SDK'"
            ),
            (
                "vendor SkyKit: SkyV1 SkyV1Tests\n", #"{"byName": ["SkyKit", null]}"#,
                "11: App may not depend on SkyKit"
            ),
            (table, #"{"product": ["Sky", null, null, null]}"#, "8: App may not depend on Sky"),
            ("only Domain: SkyV1\n", #"{"byName": ["SkyV1", null]}"#, "9: App may not depend on Domain"),
            ("target App: Domain\n", #"{"target": ["Domain", null]}"#, "10: App may not depend on SkyV1"),
        ]
    )
    func graph(table: String, dependency: String, violation: String) throws {
        let wall = try Self.package { $0.targets[2].dependencies.append(dependency) }.wall(table)
        #expect(wall.tableViolations() == [])
        #expect(wall.graphViolations().map(\.description) == ["Package.swift:" + violation])
    }

    @Test("If a package has two lines, the targets of each may depend on products that no line names")
    func sharedPackage() throws {
        let table = "vendor Sky from sky-sdk: SkyV1 SkyV1Tests\nvendor Sea from sky-sdk: App\n"
        let wall = try Self.package { $0.targets[2].dependencies += [Self.sky] }.wall(table)
        #expect(wall.graphViolations() == [])
    }

    @Test("In a strict table each target needs a row; one without Swift does not")
    func missingRow() throws {
        let wall = try Self.package {
            $0.targets.append(.init("CThing", sources: ["thing.c"]))
            $0.targets.append(.init("Extra"))
        }.wall(WallFixture.strict)
        #expect(wall.graphViolations().map(\.description) == ["Package.swift: Extra has no row in wall"])
    }

    @Test(
        "A table that does not fit the package is wrong",
        arguments: [
            ("vendor Sky from sky-sdk: SkyV9\n", "wall:1: the package has no target 'SkyV9'"),
            ("\ntarget Ap: Domain\n", "wall:2: the package has no target 'Ap'"),
            ("\nexports Ap: Domain\n", "wall:2: the package has no target 'Ap'"),
            ("only SkyV1:\n  App\n  Ap\n", "wall:3: the package has no target 'Ap'"),
            ("vendor Sky from sky: SkyV1\n", "wall:1: the package does not depend on a package 'sky'"),
        ]
    )
    func unfit(table: String, problem: String) throws {
        #expect(try Self.package().wall(table).tableViolations().map(\.description) == [problem])
    }

    @Test("A vendor without adapters is kept out, and its package need not exist")
    func forbidden() throws {
        let wall = try Self.package().wall("vendor Sea from sea-sdk:\n")
        #expect(wall.tableViolations() == [])
        #expect(
            wall.violations(of: "import Sea", in: "Sources/App/A.swift").map(\.text) == ["App may not import Sea"]
        )
    }
}
#endif
