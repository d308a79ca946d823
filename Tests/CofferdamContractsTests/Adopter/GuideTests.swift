import CofferdamContracts
import Foundation
import Testing

/// The guide's code is the code beside this file, between `// snippet: NAME` and `// end`: compiled and run.
@Suite struct GuideTests {
    @Test func `every block of the guide is the code that is tested, and none of that is missing`() throws {
        let (code, guide) = (try Self.snippets(), try Self.blocks())
        #expect(Set(guide.map(\.name)) == Set(code.keys))
        #expect(guide.count == code.count)
        for block in guide { #expect(block.text == code[block.name], "the guide's block \(block.name)") }
    }

    @Test func `what the guide says of failures is what is said`() async throws {
        let text = try Self.guide().replacing("\n", with: " ")
        let rules = ContractRunner(rules: [StorageRules.missing], adapters: [.firstTry])
        let missing = try #require(await rules.run().rows.first?.detail)
        #expect(text.contains("*\(missing)*"))
        let mutant = try #require(StorageContract.mutants.first { $0.rule == "LIFE-04" })
        let row = await MutationRunner(rules: StorageContract.rules, adapter: .vault).run(mutant)
        let program = try #require(row.detail)
        #expect(text.contains("*\(program)*"), "\(program)")
    }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    private static func snippets() throws -> [String: String] {
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        var found: [String: String] = [:]
        for file in files where file.pathExtension == "swift" && file.lastPathComponent != "GuideTests.swift" {
            let parts = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "// snippet: ")
            for part in parts.dropFirst() {
                let name = part.prefix { $0 != "\n" }
                let text = part.dropFirst(name.count + 1).components(separatedBy: "// end\n")[0]
                found[String(name)] = text
            }
        }
        return found
    }

    private static func guide() throws -> String {
        let path = "../../../Sources/Kit/CofferdamContracts/CofferdamContracts.docc/YourFirstContract.md"
        return try String(contentsOf: folder.appending(path: path), encoding: .utf8)
    }

    private static func blocks() throws -> [(name: String, text: String)] {
        try guide().components(separatedBy: "```swift\n").adjacentPairs.map {
            let name = $0.components(separatedBy: "<!-- snippet: ").last?.components(separatedBy: " -->\n")[0] ?? ""
            return (name, $1.components(separatedBy: "```")[0])
        }
    }
}

extension Array {
    fileprivate var adjacentPairs: Zip2Sequence<Self, ArraySlice<Element>> { zip(self, dropFirst()) }
}
