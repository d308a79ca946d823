import Cofferdam
import CofferdamUpgrade
import Foundation
import Testing
import UpgradeTestSupport

/// Checks that an upgrade follows the plan that it began with, whatever plan a build has.
@Suite struct StoredPlanTests {
    private static let canary = Stage.canary(share: 500)

    private func begun() throws -> StoredUpgrade {
        let initial = StoredUpgrade(state: UpgradeState(capability: "catalogue", since: 1))
        return try initial.applying(Requests.request(.advance(despiteGate: true), id: "1"), plan: Readings.plan()).after
    }

    private var lenient: UpgradePlan {
        get throws {
            try UpgradePlan(
                [.legacyOnly, .shadow(sample: .all), .candidateOnly],
                settings: .defaults { $0.limit = 0.01 }
            )
        }
    }

    @Test func `the first step stores the plan, and every process decides by it`() throws {
        let stored = try begun()
        let (plan, other) = (try Readings.plan(), try lenient)
        #expect(stored.state.plan == StoredPlan(plan))
        for stage in Readings.stages {
            #expect(other.following(stored.state).gate(at: stage) == plan.following(stored.state).gate(at: stage))
        }
        // The other plan has no canary.
        var next = stored
        (next.state.stage, next.state.epoch) = (Self.canary, 3)
        let decision = plan.following(next.state).gate(at: Self.canary).decide(Readings.good(at: Self.canary))
        let after = try next.applying(Requests.request(.promote(decision), id: "2"), plan: other).after
        #expect(after.state.stage == .canary(share: .all))
        let own = other.gate(at: Self.canary).decide(Readings.good(at: Self.canary))
        #expect(throws: UpgradeRefusal.self) {
            try next.applying(Requests.request(.promote(own), id: "2"), plan: other)
        }
    }

    @Test func `a person gives it another plan, in an attempt of its own, and the log has it`() throws {
        let stored = try begun()
        let plan = StoredPlan(try lenient)
        let change = try stored.applying(Requests.request(.replan(plan), id: "2"), plan: Readings.plan())
        #expect(change.after.state.plan == plan)
        #expect((change.after.state.epoch, change.after.state.attempt) == (stored.state.epoch + 1, 2))
        #expect(change.after.state.stage == stored.state.stage)
        #expect(change.entry.request.action == .replan(plan))
        let again = #expect(throws: UpgradeRefusal.self) {
            try change.after.applying(Requests.request(.replan(plan), id: "3"), plan: Readings.plan())
        }
        #expect(again?.code == .alreadyThere)
        var impossible = plan
        impossible.settings.horizon = 10
        let refusal = #expect(throws: UpgradeRefusal.self) {
            try stored.applying(Requests.request(.replan(impossible), id: "3"), plan: Readings.plan())
        }
        #expect(refusal?.code == .unplanned)
        #expect(refusal?.message.contains("horizon") == true)
    }

    @Test func `before the first step the plan is free, and after going back it stays`() throws {
        let initial = StoredUpgrade(state: UpgradeState(capability: "catalogue", since: 1))
        #expect(try lenient.difference(from: initial.state) == nil)
        let back = try begun().applying(Requests.request(.abort, id: "2"), plan: lenient).after
        #expect(back.state.plan == StoredPlan(try Readings.plan()))
        let replanned = try back.applying(
            Requests.request(.replan(StoredPlan(try lenient)), id: "3"),
            plan: Readings.plan()
        )
        .after
        // Nothing is counted for a gate here, so no attempt ends.
        #expect(replanned.state.attempt == back.state.attempt)
        #expect(replanned.state.plan == StoredPlan(try lenient))
    }

    @Test func `a build with another plan says in what it differs`() throws {
        let text = try #require(try lenient.difference(from: begun().state))
        #expect(text.contains("canary(500)"))
        #expect(text.contains("limit 0.001, here 0.01"))
        #expect(!text.contains("alpha"))
        let relative = try Readings.plan {
            $0.relativeFactor = 2
            $0.expectedRates["D5"] = 0.01
        }
        #expect(try relative.difference(from: begun().state) == "relativeFactor none, here 2.0; other expectedRates")
        #expect(try Readings.plan().attempt(3).difference(from: begun().state) == nil)
    }

    @Test func `it is read back, with the settings that an older or newer version did not write`() throws {
        let state = try begun().state
        let data = try JSONEncoder.ofUpgrades(isForPeople: true).encode(state)
        #expect(try JSONDecoder.ofUpgrades.decode(UpgradeState.self, from: data) == state)
        var object = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        var plan = try #require(object["plan"] as? [String: Any])
        var settings = try #require(plan["settings"] as? [String: Any])
        settings["shortestSeconds"] = nil
        settings["somethingNew"] = 1
        plan["settings"] = settings
        object["plan"] = plan
        let older = try JSONSerialization.data(withJSONObject: object)
        #expect(try JSONDecoder.ofUpgrades.decode(UpgradeState.self, from: older) == state)
        object["plan"] = nil
        let oldest = try JSONSerialization.data(withJSONObject: object)
        #expect(try JSONDecoder.ofUpgrades.decode(UpgradeState.self, from: oldest).plan == nil)
    }

    @Test(arguments: [("limit", 0), ("alpha", 7), ("horizon", -1)])
    func `a damaged plan is refused when it is read, by name`(name: String, value: Double) throws {
        var stored = try begun()
        switch name {
        case "limit": stored.state.plan?.settings.limit = value
        case "alpha": stored.state.plan?.settings.alpha = value
        default: stored.state.plan?.settings.horizon = Int(value)
        }
        let error = #expect(throws: UpgradeStoreError.self) { try stored.check(in: "state.json") }
        #expect(error?.code == .unreadable)
        #expect(error?.description.contains(name) == true)
    }

    @Test func `two engines with different plans decide alike, and the second says that it follows`() async throws {
        let bench = try EngineBench()
        try await bench.raise(to: Self.canary)
        let evidence = EngineBench.FixedEvidence { $0.metrics[.candidateFailures] = FailureCounts(13, of: 4_000) }
        let engine = UpgradeEngine(
            EngineBench.capability,
            plan: try lenient,
            store: bench.store,
            control: bench.control,
            recorder: EvidenceRecorder()
        ) { options in
            options.clock = bench.clock
            options.evidence = evidence
            options.settings.promotesAutomatically = true
        }
        let status = await engine.start()
        #expect(status.notes.contains { $0.contains("the plan that it began with") })
        let decision = try #require(await engine.decide())
        #expect(decision.verdict != .promote)
        let stored = try #require(try await bench.store.read(EngineBench.capability))
        #expect(decision.gate == bench.plan.following(stored.state).gate(at: Self.canary))
    }
}
