import Cofferdam
import CofferdamTesting
import CofferdamUpgrade
import Foundation
import Testing
import TestSupport
import UpgradeTestSupport

@Suite struct FirstUpgradeTests {
    private let clock = TestClock()
    private let v2 = NewBank()
    private let upgrade: Upgrade<any Rates>

    init() throws {
        upgrade = try ratesUpgrade(v1: OldBank(), v2: v2, backend: .memory()) { [clock] in
            $0.clock = clock
            $0.now = { 1_800_000_000_000 + clock.now.offset.components.seconds * 1_000 }
        }
    }

    /// Lets `count` users ask once each, and ends their windows.
    private func visit(_ name: String, _ count: Int) async throws {
        for number in 0..<count {
            let user = "\(name) \(number)"
            // snippet: user
            let rates: any Rates = upgrade.port(for: user)
            // end
            #expect(try await rates.rate(of: "USD") == 1.09)
            await upgrade.routes.shadowQueue.drained()
        }
        clock.advance(by: EvidenceRecorder.window + .seconds(1))
        await upgrade.engine.refresh()
        // As `run()` does every second: nothing is decided on what the ledger does not have.
        await upgrade.engine.save()
    }

    @Test func `the guide's upgrade enters the shadow, is promoted, and goes back, automatically and by hand`()
        async throws
    {
        let engine = upgrade.engine

        // snippet: start
        await upgrade.start()  // before the first call; then, in a task of its own, `try await upgrade.run()`
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
        let decision = await upgrade.engine.decide()
        // end
        #expect(decision?.verdict == .promote, "\(decision?.reasons.map { "\($0)" } ?? [])")
        #expect(engine.status.stage == .canary(share: 500))

        v2.breakDown()
        try await visit("canary", 4_000)
        #expect(await engine.decide()?.verdict == .rollBack)
        #expect(engine.status.stage == .legacyOnly)

        try await upgrade.advance(by: "amara", reason: "V2 is repaired")
        // snippet: abort
        try await upgrade.abort(by: "amara", reason: "the new rates look wrong")
        // end
        #expect(engine.status.stage == .legacyOnly)

        // snippet: history
        for entry in try await upgrade.history(last: 10) {
            print(entry.request.by, entry.request.action.name, entry.before.stage, "→", entry.after.stage)
        }
        // end
        let history = try await upgrade.history(last: 10).map {
            "\($0.request.by) \($0.request.action.name) \($0.before.stage) → \($0.after.stage)"
        }
        #expect(history == Self.shown)
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let guide = try Guide(
            "Sources/Kit/Upgrade/CofferdamUpgrade/CofferdamUpgrade.docc/YourFirstUpgrade.md",
            codeIn: folder
        )
        #expect(guide.text.contains(Self.shown.joined(separator: "\n")))
        #expect(guide.text.contains("says that \(needed) users without a failure"))
    }

    @Test func `a good V2 is walked from the first stage to the last one`() async throws {
        let plan = try ratesPlan()
        await upgrade.start()
        try await visit("early", 1_000)
        try await upgrade.advance(by: "amara", reason: "V2 passes the contract")
        for (stage, next) in zip(plan.stages.dropFirst(), plan.stages.dropFirst(2)) {
            #expect(upgrade.status.stage == stage)
            let share = if case .canary(let share) = stage { share.fraction } else { 1.0 }
            let users = Int(Double(try #require(plan.cleanUnits(toLeave: stage)) + 200) / share)
            try await visit("\(stage)", users)
            clock.advance(by: .seconds(24 * 60 * 60))
            // As `run()` does all day.
            await upgrade.engine.refresh()
            let decision = await upgrade.engine.decide()
            #expect(decision?.verdict == .promote, "\(stage): \(decision?.reasons.map { "\($0)" } ?? [])")
            #expect(upgrade.status.stage == next)
        }
        #expect(upgrade.status.stage == .candidateOnly)
    }

    #if SQLite
    @Test func `kept in a directory, the next process goes on where this one ended`() async throws {
        try await UpgradeFolder.with { folder in
            func open() throws -> Upgrade<any Rates> {
                try ratesUpgrade(v1: OldBank(), v2: NewBank(), backend: .directory(folder.path + "/upgrade")) {
                    $0.clock = clock
                }
            }
            let first = try open()
            await first.start()
            try await first.advance(by: "amara", reason: "V2 passes the contract", despiteGate: true)
            let rates: any Rates = first.port(for: "ada")
            #expect(try await rates.rate(of: "USD") == 1.09)
            await first.routes.shadowQueue.drained()
            await first.engine.save()
            // The first process has not ended, as after a kill.
            let second = try open()
            #expect(await second.start().stage == .shadow(sample: .all))
            let counted = second.recorder.reading(afterSeconds: 1).metrics[.comparison.includingOpenWindows]
            #expect(counted == FailureCounts(0, of: 1))
            #expect(try await second.history(last: 10).map(\.request.by) == ["amara"])
        }
    }
    #endif

    /// As the guide shows it.
    private static let shown = [
        "amara abort shadow(10000) → legacyOnly",
        "amara advance legacyOnly → shadow(10000)",
        "gate retreat canary(500) → legacyOnly",
        "gate promote shadow(10000) → canary(500)",
        "amara advance legacyOnly → shadow(10000)",
    ]
}
