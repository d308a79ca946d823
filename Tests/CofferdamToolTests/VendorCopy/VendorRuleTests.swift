#if CommandLine
import Foundation
import Testing

@testable import CofferdamTool

/// Checks the rules of `vendor-copy` that need no process.
@Suite struct VendorRuleTests {
    @Test(
        arguments: [
            ("@_cdecl(\"a\") func a() {}", 1), ("@c func a() {}", 1), ("@c(a) public func a() {}", 1),
            ("@_silgen_name(\"a\") func a()", 1), ("@objc(A) class A {}", 1),
            ("@objc(A)\n@MainActor public final class A {}", 1),
            ("@objc(A) protocol A {}", 1), ("@objc(A) public enum A: Int { case a }", 1),
            ("@objc class A {}", 0), ("@objc(a:b:) func a(_ a: Int, b: Int) {}", 0), ("@objc(A) extension B {}", 0),
            ("// @_cdecl(\"a\")\nlet text = \"@_cdecl\"", 0), ("@cached var c = 1", 0),
            // Not valid Swift: an unterminated string.
            ("@_cdecl(\"a\nfunc", 1), ("let a = \"\nfunc", 0),
        ] as [(String, Int)]
    )
    func `symbols and runtime names without a module name are found`(source: String, count: Int) {
        #expect(FixedSymbols.found(in: source).count == count, "\(FixedSymbols.found(in: source))")
    }

    @Test func `versions are ordered as in semantic versioning`() throws {
        let order = [
            "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0", "1.0.1",
            "1.2.0", "1.10.0",
        ]
        let versions = try order.map { try #require(PackageVersion($0)) }
        #expect(versions.shuffled().sorted() == versions)
        for text in ["1.0", "1.0.0.0", "main", "", "1.x.0"] { #expect(PackageVersion(text) == nil) }
        let range = try #require(VersionRange("1.0.0", "2.0.0"))
        #expect(try range.contains(#require(PackageVersion("1.9.9+build"))))
        #expect(try !range.contains(#require(PackageVersion("2.0.0"))))
        #expect(try range.overlaps(#require(VersionRange("1.5.0", "3.0.0"))))
        #expect(try !range.overlaps(#require(VersionRange("2.0.0", "3.0.0"))))
        #expect(try #require(VersionRange(exactly: "1.2.3")).overlaps(range))
    }

    @Test(
        arguments: [
            ("widgets-v1", "widgets", "V1"), ("widgets_old-1", "widgets", "Old1"), ("legacy", "widgets", "Legacy"),
            ("Widgets-V1", "widgets", "V1"), ("widgets", "widgets", ""), ("widgets--", "widgets", ""),
        ]
    )
    func `the aliases end with what the copy's name adds`(identity: String, original: String, suffix: String) {
        #expect(VendorPlan.suffix(of: identity, original: original) == suffix)
    }

    @Test func `a source is shown without credentials, and named as SwiftPM does`() {
        #expect(
            VendorCheckout.shown("https://ada:secret@example.org/Widgets.git") == "https://example.org/Widgets.git"
        )
        #expect(VendorCheckout.shown("https://example.org/a@b.git") == "https://example.org/a@b.git")
        #expect(VendorCheckout.shown("../widgets") == "../widgets")
        #expect(VendorPlan.identity(of: "https://example.org/acme/Widgets.git") == "widgets")
        #expect(VendorPlan.identity(of: "../Widgets/") == "widgets")
    }

    @Test func `dependencies are shared, and refused where no version fits both`() throws {
        func manifest(_ dependencies: String) throws -> VendorPackage.Manifest {
            let text = """
                {"name": "Widgets", "products": [{"name": "Widgets", "targets": ["Widgets"],
                "type": {"library": ["automatic"]}}], "dependencies": [\(dependencies)], "targets": [{"name": "Widgets",
                "type": "regular", "dependencies": [{"product": ["Log", "log", null, null]}]}, {"name": "Tests",
                "type": "test", "dependencies": [{"product": ["Check", "check", null, null]}]}]}
                """
            return try JSONDecoder().decode(VendorPackage.Manifest.self, from: Data(text.utf8))
        }
        func dependency(_ identity: String, _ lower: String, _ upper: String) -> String {
            """
            {"sourceControl": [{"identity": "\(identity)", "requirement":
            {"range": [{"lowerBound": "\(lower)", "upperBound": "\(upper)"}]}}]}
            """
        }
        let both = dependency("log", "1.0.0", "2.0.0") + "," + dependency("check", "1.0.0", "2.0.0")
        let vendor = VendorPackage(manifest: try manifest(both), modules: [])
        func problems(_ own: String, _ resolved: [String: String]) throws -> [String] {
            let conflicts = VendorConflicts(package: vendor, adopter: try manifest(own), resolved: resolved)
            // Dependencies that only the vendor's tests need are not shared.
            #expect(conflicts.shared.map(\.identity) == ["log"])
            return conflicts.all(identity: "widgets-v1", at: "/app/Vendors/widgets-v1", aliases: []).map {
                String($0.prefix { $0 != ":" })
            }
        }
        #expect(try problems("", [:]) == [])
        #expect(try problems("", ["log": "1.5.0", "check": "7.0.0"]) == [])
        #expect(try problems("", ["log": "2.1.0"]) == ["log"])
        #expect(try problems(dependency("log", "2.0.0", "3.0.0"), [:]) == ["log"])
        #expect(try problems(dependency("log", "1.2.0", "3.0.0"), ["log": "2.1.0"]) == [])
        // The manifest may have the copy's lines before the copy exists.
        func local(_ path: String) -> String {
            #"{"fileSystem": [{"identity": "widgets-v1", "path": "\#(path)"}]}"#
        }
        #expect(try problems(local("/app/Vendors/widgets-v1"), [:]) == [])
        #expect(try problems(local("/app/Other/widgets-v1"), [:]).count == 1)
    }
}
#endif
