import Foundation
import Testing
import TestSupport

/// The guide's code is the code next to this file, which is compiled and run.
@Suite struct UpgradeGuideTests {
    @Test func `every block of the guide is the code that is tested, and none of that is missing`() throws {
        let guide = try Guide(
            "Sources/Kit/Upgrade/CofferdamUpgrade/CofferdamUpgrade.docc/YourFirstUpgrade.md",
            codeIn: URL(filePath: #filePath).deletingLastPathComponent()
        )
        #expect(Set(guide.blocks.map(\.name)) == Set(guide.snippets.keys))
        #expect(guide.blocks.count == guide.snippets.count)
        for block in guide.blocks {
            #expect(block.text == guide.snippets[block.name], "the guide's block \(block.name)")
        }
    }
}
