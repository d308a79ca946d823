import Cofferdam
import CofferdamTesting
import CofferdamUpgrade
import Foundation
import Testing
import TestSupport

@Suite struct StageFlagTests {
    @Test func `the guide's app follows its flag, and keeps its stage where the flag cannot be read`() async throws {
        let flag = Mutex("shadow(10000)")
        let (control, clock, failures) = (StageControl(), TestClock(), Log<String>())
        let source = StageFlag(name: "rates-stage") { name in name == "rates-stage" ? flag.withLock { $0 } : "" }
        let following = Task {
            try await follow(source, with: control, clock: clock) { failures.add("\($0)") }
        }
        func aMinuteLater(_ value: String) async {
            flag.withLock { $0 = value }
            clock.advance(by: .seconds(60))
            await clock.waitForSleepers()
        }
        await clock.waitForSleepers()
        #expect(control.state.stage == .shadow(sample: .all))

        await aMinuteLater("canary(500)")
        #expect(control.state.stage == .canary(share: 500))
        #expect(failures.entries.isEmpty)

        await aMinuteLater("canary(500 %)")
        #expect(control.state.stage == .canary(share: 500))
        #expect(failures.entries == ["rates-stage: \"canary(500 %)\" is no stage, such as canary(500)"])

        await aMinuteLater("")
        #expect(control.state.stage == .canary(share: 500))
        #expect(failures.entries.last == "rates-stage: the flag has no value")

        control.kill(KillSwitch(.freeze, by: "amara", reason: "the new rates look wrong"))
        await aMinuteLater("candidateOnly")
        #expect(control.state.stage == .canary(share: 500))
        #expect(failures.entries.last == "the stage is frozen by amara: the new rates look wrong")

        following.cancel()
        await #expect(throws: CancellationError.self) { try await following.value }
    }

    @Test func `every block of the guide is the code that is tested, and none of that is missing`() throws {
        let guide = try Guide(
            "Sources/Kit/Upgrade/CofferdamUpgrade/CofferdamUpgrade.docc/StagesFromYourFlags.md",
            codeIn: URL(filePath: #filePath).deletingLastPathComponent()
        )
        #expect(Set(guide.blocks.map(\.name)) == Set(guide.snippets.keys))
        for block in guide.blocks {
            #expect(block.text == guide.snippets[block.name], "the guide's block \(block.name)")
        }
    }
}
