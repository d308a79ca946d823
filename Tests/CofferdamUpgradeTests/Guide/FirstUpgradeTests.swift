import Cofferdam
import CofferdamTesting
import CofferdamUpgrade
import Foundation
import Testing
import TestSupport

@Suite struct FirstUpgradeTests {
    private let store = MemoryUpgradeStore()
    private let clock = TestClock()
    private let v2 = NewBank()
    private let upgrade: RatesUpgrade

    init() throws {
        upgrade = try RatesUpgrade(
            v1: OldBank(),
            v2: v2,
            store: store,
            evidence: MemoryLedger(),
            clock: clock
        )
    }

    /// Lets `count` users ask once each, and ends their windows.
    private func visit(_ name: String, _ count: Int) async throws {
        for number in 0..<count {
            #expect(try await upgrade.rates(for: "\(name) \(number)").rate(of: "USD") == 1.09)
            await upgrade.settings.shadowQueue.drained()
        }
        clock.advance(by: EvidenceRecorder.window + .seconds(1))
        await upgrade.engine.refresh()
        // As `run()` does every second: nothing is decided on what the ledger does not have.
        await upgrade.engine.save()
    }

    @Test func `the guide's upgrade enters the shadow, is promoted, and goes back, automatically and by hand`()
        async throws
    {
        let (engine, store) = (upgrade.engine, store)

        // snippet: start
        await engine.start()  // before the first call; then, in a task of its own, `try await engine.run()`
        // end
        #expect(engine.status.stage == .legacyOnly)
        try await visit("early", 1_000)

        // snippet: shadow
        try await upgrade.advance(by: "amara", reason: "V2 passes the contract")
        // end
        #expect(engine.status.stage == .shadow(sample: .all))
        #expect(await engine.decide()?.verdict == .hold)

        let needed = try #require(try ratesPlan().cleanUnits(toLeave: .shadow(sample: .all)))
        try await visit("shadow", needed + 200)
        // snippet: decide
        let decision = await engine.decide()
        // end
        #expect(decision?.verdict == .promote, "\(decision?.reasons.map { "\($0)" } ?? [])")
        #expect(engine.status.stage == .canary(share: 500))

        v2.breakDown()
        try await visit("canary", 4_000)
        #expect(await engine.decide()?.verdict == .rollBack)
        #expect(engine.status.stage == .legacyOnly)

        try await upgrade.advance(by: "amara", reason: "V2 is repaired")
        // snippet: abort
        try await engine.abort(by: "amara", reason: "the new rates look wrong")
        // end
        #expect(engine.status.stage == .legacyOnly)

        // snippet: history
        for entry in try await store.history(of: "rates", last: 10) {
            print(entry.request.by, entry.request.action.name, entry.before.stage, "→", entry.after.stage)
        }
        // end
        let history = try await store.history(of: "rates", last: 10).map {
            "\($0.request.by) \($0.request.action.name) \($0.before.stage) → \($0.after.stage)"
        }
        #expect(history == Self.shown)
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let guide = try Guide(
            "Sources/Kit/CofferdamUpgrade/CofferdamUpgrade.docc/YourFirstUpgrade.md",
            codeIn: folder
        )
        #expect(guide.text.contains(Self.shown.joined(separator: "\n")))
        #expect(guide.text.contains("says that \(needed) users without a failure"))
    }

    /// As the guide shows it.
    private static let shown = [
        "amara abort shadow(10000) → legacyOnly",
        "amara advance legacyOnly → shadow(10000)",
        "gate retreat canary(500) → legacyOnly",
        "gate promote shadow(10000) → canary(500)",
        "amara advance legacyOnly → shadow(10000)",
    ]
}
