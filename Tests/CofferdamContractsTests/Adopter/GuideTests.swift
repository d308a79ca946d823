import CofferdamContracts
import Foundation
import Testing
import TestSupport

/// The guide's code is the code next to this file, which is compiled and run.
@Suite struct GuideTests {
    private let guide: Guide

    init() throws {
        guide = try Guide(
            "Sources/Kit/Core/CofferdamContracts/CofferdamContracts.docc/YourFirstContract.md",
            codeIn: URL(filePath: #filePath).deletingLastPathComponent()
        )
    }

    @Test func `every block of the guide is tested code, and the guide shows every snippet`() {
        #expect(Set(guide.blocks.map(\.name)) == Set(guide.snippets.keys))
        #expect(guide.blocks.count == guide.snippets.count)
        for block in guide.blocks {
            #expect(block.text == guide.snippets[block.name], "the guide's block \(block.name)")
        }
    }

    @Test func `the failures that the guide quotes are the real ones`() async throws {
        let text = guide.text.replacing("\n", with: " ")
        let rules = ContractRunner(rules: [StorageRules.missing], adapters: [.firstTry])
        let missing = try #require(await rules.run().rows.first?.detail)
        #expect(text.contains("*\(missing)*"))
        let trims = try #require(StorageContract.mutants.first { $0.rule == "VALUE-01" && $0.name == "trims" })
        let finding = try #require(
            await MutationRunner(rules: StorageContract.rules, adapter: .vault).run(trims).detail?.split(separator: ";")
                .first
        )
        #expect(text.contains("*\(finding)*"), "\(finding)")
        let mutant = try #require(StorageContract.mutants.first { $0.rule == "LIFE-04" })
        let row = await MutationRunner(rules: StorageContract.rules, adapter: .vault).run(mutant)
        let program = try #require(row.detail)
        #expect(text.contains("*\(program)*"), "\(program)")
    }
}
