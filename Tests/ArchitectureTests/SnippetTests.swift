#if Sandbox
import Foundation
import Testing

@Suite("The Swift that we show compiles")
struct SnippetTests {
    @Test("Every snippet of MIGRATION.md compiles against the package, and a damaged one does not")
    func migration() async throws {
        let snippets = try Self.snippets(of: "MIGRATION.md")
        try #require(snippets.count >= 3)
        for snippet in snippets {
            let check = try await Self.check(snippet)
            #expect(check.isSuccess, "\(snippet)\n\(check.text.suffix(4000))")
        }
        let spoilt = try #require(snippets.last).replacing("exportNicknames", with: "exportNames")
        #expect(try await !Self.check(spoilt).isSuccess)
    }

    @Test("What the README and the products' pages show compiles in an adopter's package", arguments: pages)
    func page(_ page: String, product: String) async throws {
        let snippets = try Self.snippets(of: page).filter { $0.contains("import \(product)\n") }
        try #require(!snippets.isEmpty)
        for snippet in snippets {
            let check = try await Self.check(product == "CofferdamCurl" ? Self.statements(snippet) : snippet)
            #expect(check.isSuccess, "\(snippet)\n\(check.text.suffix(4000))")
        }
    }

    private static let pages: [(String, String)] = {
        var products = [("Transport", "CofferdamCurl"), ("Upgrade", "CofferdamDevice"), ("Upgrade", "CofferdamFleet")]
        #if Server
        products.append(("Upgrade", "CofferdamServer"))
        #endif
        return [("README.md", "CofferdamUpgrade")]
            + products.map { ("Sources/Kit/\($0)/\($1)/\($1).docc/\($1).md", $1) }
    }()

    @Test("The README's quick start compiles: its port, its adapter and its test")
    func quickStart() async throws {
        let snippets = try Self.snippets(of: "README.md")
        let port = try #require(snippets.first { $0.contains("public protocol Weather") })
        let test = try #require(snippets.first { $0.contains("import Weather\n") })
        let file = test.replacing("import Weather\n", with: "") + port
        let check = try await Compiler(of: "ArchitectureTests").outside(named: "WeatherTests").check(file)
        #expect(check.isSuccess, "\(check.text.suffix(4000))")
    }

    @Test(
        "What the guides show compiles in a package of its own, with the kit's public API alone",
        arguments: [
            ("Tests/CofferdamContractsTests/Adopter", "CofferdamTesting"),
            // A target that routes also depends on the evidence's storage, including SQLite's module.
            ("Tests/CofferdamUpgradeTests/Guide", "SanctuaryHarness"),
            ("Tests/mytool", "ArchitectureTests"),
        ]
    )
    func guides(folder: String, likeTarget target: String) async throws {
        let files = try House.files(below: House.root.appending(path: folder)).filter { file in
            file.pathExtension == "swift" && !file.lastPathComponent.hasSuffix("Tests.swift")
        }
        try #require(files.count >= 3)
        // Without its trait, the guide's tool has no commands.
        let check = try await Compiler(of: target).outside(named: "Adopter").check(files, ["-DCommandLine"])
        #expect(check.isSuccess, "\(check.text.suffix(4000))")
    }

    @Test(
        "A page that shows a version of the kit shows the changelog's newest",
        arguments: ["README.md", "Sources/Kit"]
    )
    func version(place: String) throws {
        let changelog = try String(contentsOf: House.root.appending(path: "CHANGELOG.md"), encoding: .utf8)
        let newest = try #require(changelog.firstMatch(of: /## ([0-9]+\.[0-9]+\.[0-9]+)/)?.output.1)
        let place = House.root.appending(path: place)
        let pages =
            place.pathExtension == "md" ? [place] : try House.files(below: place).filter { $0.pathExtension == "md" }
        var shown: [String] = []
        for page in pages {
            let text = try String(contentsOf: page, encoding: .utf8)
            shown += text.matches(of: /cofferdam\.git", from: "([^"]+)"/).map {
                "\(page.lastPathComponent): \($0.output.1)"
            }
        }
        #expect(!shown.isEmpty)
        #expect(shown.filter { !$0.hasSuffix(": \(newest)") } == [])
    }

    @Test("The lowest versions of Swift and of Apple's systems are the manifest's, wherever they stand")
    func floor() throws {
        let manifest = try Self.text("Package.swift")
        let swift = try #require(manifest.firstMatch(of: /swift-tools-version: ([0-9.]+)/)?.output.1)
        for page in ["README.md", "Documentation/Platforms.md", "dev"] {
            let shown = try Self.text(page).matches(of: /Swift ([0-9.]+[0-9])(?: or later|, macOS)/).map(\.output.1)
            #expect(!shown.isEmpty && shown.allSatisfy { $0 == swift }, "\(page)")
        }
        let (macOS, iOS) = try (
            #require(manifest.firstMatch(of: /\.macOS\(\.v([0-9]+)\)/)?.output.1),
            #require(manifest.firstMatch(of: /\.iOS\(\.v([0-9]+)\)/)?.output.1)
        )
        #expect(try Self.text("README.md").contains("macOS \(macOS) and iOS \(iOS)"))
        #expect(try Self.text("Documentation/Platforms.md").contains("macOS \(macOS), iOS \(iOS),"))
        let check = try Self.text(".ci/apple/check.py")
        #expect(check.contains("-apple-macos\(macOS).0") && check.contains("-apple-ios\(iOS).0-simulator"))
    }

    private static func text(_ file: String) throws -> String {
        try String(contentsOf: House.root.appending(path: file), encoding: .utf8)
    }

    private static func snippets(of page: String) throws -> [String] {
        let text = try String(contentsOf: House.root.appending(path: page), encoding: .utf8)
        return text.components(separatedBy: "```swift\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
    }

    /// Wraps statements in a function.
    private static func statements(_ snippet: String) -> String {
        let lines = snippet.components(separatedBy: "\n")
        let imports = lines.filter { $0.hasPrefix("import ") }
        let statements = lines.filter { !$0.hasPrefix("import ") }
        return (imports + ["func show() async throws {"] + statements + ["}"]).joined(separator: "\n")
    }

    /// Checks a snippet. Code that calls the vendor gets a module name that the wall permits.
    private static func check(_ snippet: String) async throws -> Command.Outcome {
        let name = snippet.contains("import MenagerieV1\n") ? "MenagerieV1AdapterTests" : "Snippet"
        // Only the server's own compilation sees all C modules of what it imports.
        let target = snippet.contains("import CofferdamServer\n") ? "CofferdamServer" : "SanctuaryHarness"
        return try await Compiler(of: target).outside(named: name).check(snippet)
    }
}
#endif
