#if CommandLine
@testable import CofferdamTool

/// A package as SwiftPM prints it.
struct WallFixture {
    struct Target {
        var name: String
        var type: String
        var sources: [String]
        /// As JSON.
        var dependencies: [String]
        var settings =
            #"[{"kind": {"enableUpcomingFeature": {"_0": "InternalImportsByDefault"}}, "tool": "swift"}]"#

        init(_ name: String, type: String = "library", sources: [String] = ["A.swift"], dependsOn: [String] = []) {
            (self.name, self.type, self.sources, dependencies) = (name, type, sources, dependsOn)
        }
    }

    static let strict = """
        strict
        system: Foundation
        vendor Sky from sky-sdk: SkyV1 SkyV1Tests
        pure Domain:
        target SkyV1: Domain
        target App: Domain SkyV1
        target SkyV1Tests: SkyV1 Testing
        exports App: Domain
        """

    var targets: [Target] = []

    /// The manifest of `WallTests.package()` as text, with one more dependency.
    private static let manifest = """
        // swift-tools-version: 6.2
        let package = Package(
            name: "App",
            products: [.library(name: "App", targets: ["App"])],
            targets: [
                .target(name: "Domain"),
                .target(name: "SkyV1", dependencies: ["Domain", sky]),
                .executableTarget(
                    name: "App", dependencies: ["Domain",
                        .target(name: "SkyV1", condition: .when(platforms: [.linux])),
                        .product(name: "SkyKit", package: "Sky-SDK"),
                    ]
                ),
                .testTarget(name: "SkyV1Tests", dependencies: ["SkyV1", sky]),
            ]
        )
        """

    func wall(_ table: String) throws -> Wall {
        let described = targets.map { target in
            let folder = target.type == "test" ? "Tests" : "Sources"
            let sources = target.sources.map { "\"\($0)\"" }.joined(separator: ", ")
            return """
                {"name": "\(target.name)", "type": "\(target.type)", "path": "\(folder)/\(target.name)",
                "sources": [\(sources)]}
                """
        }
        let dumped = targets.map { target in
            """
            {"name": "\(target.name)", "exclude": ["Fixtures"], "settings": \(target.settings),
            "dependencies": [\(target.dependencies.joined(separator: ", "))]}
            """
        }
        let package = try WallPackage(
            description: """
                {"dependencies": [{"identity": "sky-sdk"}], "targets": [\(described.joined(separator: ", "))]}
                """,
            manifest: "{\"targets\": [\(dumped.joined(separator: ", "))]}",
            text: Self.manifest
        )
        return Wall(WallTable(table), at: "wall", of: package)
    }
}
#endif
