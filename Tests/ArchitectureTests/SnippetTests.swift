import Foundation
import Testing

extension NestedBuilds {
    @Test("Every Swift snippet of MIGRATION.md compiles against the package, and one that is spoilt does not")
    func migrationSnippets() async throws {
        let snippets = try MigrationSnippets.all()
        try #require(snippets.count >= 3)
        try Annex.mirror()
        for target in ["MenagerieV1Adapter", "MenagerieV2Adapter"] {
            let build = try await Annex.build(["--target", target], traits: "Staged")
            try #require(build.isSuccess, "\(build.text.suffix(4000))")
        }
        for snippet in snippets {
            let check = try await MigrationSnippets.check(snippet)
            #expect(check.isSuccess, "\(snippet)\n\(check.text.suffix(4000))")
        }
        let spoilt = try #require(snippets.last).replacing("exportNicknames", with: "exportNames")
        #expect(try await !MigrationSnippets.check(spoilt).isSuccess)
    }
}

/// The Swift in MIGRATION.md.
enum MigrationSnippets {
    static func all() throws -> [String] {
        let text = try String(contentsOf: House.root.appending(path: "MIGRATION.md"), encoding: .utf8)
        return text.components(separatedBy: "```swift\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
    }

    /// Has the compiler check a snippet against the modules that the copy has built.
    static func check(_ snippet: String) async throws -> Annex.Outcome {
        let file = Annex.folder.appending(path: "Snippet.swift")
        try snippet.write(to: file, atomically: true, encoding: .utf8)
        // What calls the vendor itself does so under a name that the wall lets in.
        let name = snippet.contains("import MenagerieV1\n") ? "MenagerieV1AdapterTests" : "Snippet"
        let maps = ["CLibcurl", "CZlib", "CBrotli", "CZstandard"].flatMap { library in
            ["-Xcc", "-fmodule-map-file=Sources/Kit/\(library)/module.modulemap"]
        }
        return try await Annex.run(
            "swiftc",
            [
                "-typecheck", "-parse-as-library", "-swift-version", "6", "-module-name", name, "-I",
                ".build/debug/Modules",
            ] + maps + [file.path(percentEncoded: false)]
        )
    }
}
