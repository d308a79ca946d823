import Foundation
import Testing

extension NestedBuilds {
    @Test(
        "A package that adopts the kit alone builds it, with the README's snippet, and fetches nothing that only the example needs"
    )
    func adopter() async throws {
        try Annex.mirror()
        let folder = Annex.folder.appending(path: "adopter")
        let sources = folder.appending(path: "Sources/Adopter")
        try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
        try Self.manifest.write(to: folder.appending(path: "Package.swift"), atomically: true, encoding: .utf8)
        try Self.program.write(to: sources.appending(path: "main.swift"), atomically: true, encoding: .utf8)
        let snippets = [
            "CofferdamContracts": try snippet("CofferdamContracts"),
            "CofferdamUpgrade": try snippet("CofferdamUpgrade"),
            "CofferdamCurl": try transportSnippet(),
        ]
        for (name, text) in snippets {
            try text.write(to: sources.appending(path: "\(name).swift"), atomically: true, encoding: .utf8)
        }

        let build = try await Annex.run("swift", ["run"], in: folder)
        try #require(build.isSuccess, "\(build.text.suffix(4000))")
        #expect(build.text.contains("[1, 3] invalid: not a number at [1]: two"))

        let tree = try await Annex.run("swift", ["package", "show-dependencies", "--format", "flatlist"], in: folder)
        let packages = Set(tree.text.split(separator: "\n").map(String.init))
        #expect(packages.isSuperset(of: ["cofferdam", "swift-log", "swift-collections"]))
        #expect(
            packages.isDisjoint(with: [
                "hummingbird", "swift-argument-parser", "grdb.swift", "swift-subprocess", "swift-nio",
            ])
        )
    }

    /// Statements, which only a function may hold.
    private func transportSnippet() throws -> String {
        let lines = try snippet("CofferdamCurl").components(separatedBy: "\n")
        let imports = lines.filter { $0.hasPrefix("import ") }
        let statements = lines.filter { !$0.hasPrefix("import ") }
        return (imports + ["func sendRequests() async throws {"] + statements + ["}"]).joined(separator: "\n")
    }

    /// What the README shows to adopters of a product.
    private func snippet(_ product: String) throws -> String {
        let readme = try String(contentsOf: House.root.appending(path: "README.md"), encoding: .utf8)
        let blocks = readme.components(separatedBy: "```swift\n").dropFirst().map {
            $0.components(separatedBy: "```")[0]
        }
        return try #require(blocks.first { $0.contains("import \(product)") })
    }

    private static let manifest = """
        // swift-tools-version: 6.2
        import PackageDescription

        let package = Package(
            name: "adopter",
            platforms: [.macOS(.v15)],
            dependencies: [
                .package(path: "../cofferdam", traits: []),
                .package(url: "https://github.com/apple/swift-http-types.git", from: "1.4.0"),
            ],
            targets: [
                .executableTarget(
                    name: "Adopter",
                    dependencies: [
                        .product(name: "Cofferdam", package: "cofferdam"),
                        .product(name: "CofferdamStore", package: "cofferdam"),
                        .product(name: "CofferdamContracts", package: "cofferdam"),
                        .product(name: "CofferdamUpgrade", package: "cofferdam"),
                        .product(name: "CofferdamCurl", package: "cofferdam"),
                        .product(name: "HTTPTypes", package: "swift-http-types"),
                    ]
                )
            ]
        )
        """

    private static let program = """
        import Cofferdam
        import CofferdamContracts
        import CofferdamStore
        import CofferdamUpgrade

        let numbers = Translator<String, Int> { text, _ throws(TranslationIssue) in
            guard let number = Int(text) else { throw TranslationIssue("not a number", at: "", raw: text) }
            return number
        }
        var report = TranslationReport()
        let values = try numbers.translate(["1", "two", "3"], into: &report)
        print(values, report.issues.map { "invalid: \\($0.what) at \\($0.path): \\($0.raw)" }.joined())
        """
}
