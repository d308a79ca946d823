import Foundation
import Testing

/// A package of somebody else's, which adopts the kit by path and nothing of the worked example: a program on `Cofferdam`
/// alone, and one on all products with the README's snippets in it. It is kept between runs, as the copy is.
struct Adopter {
    private let folder = Annex.folder.appending(path: "adopter")

    init() throws {
        try Annex.mirror()
        try write(Self.manifest, to: "Package.swift")
        try write(Self.leanProgram, to: "Sources/Lean/main.swift")
        try write(Self.program, to: "Sources/Adopter/main.swift")
        for product in ["CofferdamContracts", "CofferdamUpgrade"] {
            try write(try Self.snippet(product), to: "Sources/Adopter/\(product).swift")
        }
        try write(try Self.transportSnippet(), to: "Sources/Adopter/CofferdamCurl.swift")
    }

    /// Builds a program and what it needs, and runs it.
    func run(_ program: String) async throws -> Annex.Outcome {
        try await Annex.run("swift", ["run", "--disable-index-store", program], in: folder)
    }

    /// The modules whose objects a built program is linked from.
    func modules(of program: String) throws -> Set<String> {
        let list = folder.appending(path: ".build/debug/\(program).product/Objects.LinkFileList")
        let objects = try String(contentsOf: list, encoding: .utf8).split(separator: "\n")
        let folders = objects.compactMap { $0.split(separator: "/").last { $0.hasSuffix(".build") } }
        return Set(folders.map { String($0.dropLast(".build".count)) })
    }

    /// The packages that SwiftPM has fetched.
    func fetched() throws -> Set<String> {
        let checkouts = folder.appending(path: ".build/checkouts").path(percentEncoded: false)
        return Set(try FileManager.default.contentsOfDirectory(atPath: checkouts))
    }

    private func write(_ text: String, to path: String) throws {
        let file = folder.appending(path: path)
        let parent = file.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        try text.write(to: file, atomically: true, encoding: .utf8)
    }

    /// Statements, which only a function may hold.
    private static func transportSnippet() throws -> String {
        let lines = try snippet("CofferdamCurl").components(separatedBy: "\n")
        let imports = lines.filter { $0.hasPrefix("import ") }
        let statements = lines.filter { !$0.hasPrefix("import ") }
        return (imports + ["func sendRequests() async throws {"] + statements + ["}"]).joined(separator: "\n")
    }

    /// What the README shows to adopters of a product.
    private static func snippet(_ product: String) throws -> String {
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
                .executableTarget(name: "Lean", dependencies: [.product(name: "Cofferdam", package: "cofferdam")]),
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
                ),
            ]
        )
        """

    private static let leanProgram = """
        import Cofferdam

        let animals = Loadable { ["kerberos"] }
        print("fetched", try await animals.fetch().joined())
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
