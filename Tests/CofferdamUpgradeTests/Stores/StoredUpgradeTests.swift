import CofferdamUpgrade
import Foundation
import Testing
import UpgradeTestSupport

@Suite struct StoredUpgradeTests {
    private static let shadow = Stage.shadow(sample: .all)

    private func after(_ action: UpgradeAction, _ stored: StoredUpgrade, by: String = "amara") throws -> StoredUpgrade {
        let change = try stored.applying(Requests.request(action, id: "1", by: by), plan: Readings.plan())
        #expect(change.before == stored)
        #expect(change.entry.before == .init(stored))
        #expect(change.entry.after == .init(change.after))
        #expect(change.after.state.entry == "1")
        return change.after
    }

    private func refusal(_ action: UpgradeAction, _ stored: StoredUpgrade, by: String = "amara") throws
        -> UpgradeRefusal?
    {
        do {
            _ = try stored.applying(Requests.request(action, id: "1", by: by), plan: Readings.plan())
            return nil
        } catch let error as UpgradeRefusal {
            return error
        }
    }

    @Test func `a person begins the upgrade, and a new epoch begins`() throws {
        let next = try after(.advance(despiteGate: true), Requests.stored(at: .legacyOnly))
        #expect(next.state.stage == Self.shadow)
        #expect(next.state.epoch == 4)
        #expect(next.state.since == 5)
        #expect(next.state.attempt == 1)
        #expect(next.routing == StageState(stage: Self.shadow, epoch: 4))
    }

    @Test func `without a baseline, a person begins only despite the gate`() throws {
        let stored = Requests.stored(at: .legacyOnly)
        let refusal = try #require(try refusal(.advance(), stored))
        #expect(refusal.code == .noBaseline)
        #expect(refusal.message.contains("at least \(try Readings.plan().settings.minimumBaselineCalls) of its calls"))
        var earlier = stored
        earlier.state.baseline = LegacyBaseline(units: FailureCounts(0, of: 10_000))
        #expect(try after(.advance(), earlier).state.stage == Self.shadow)
    }

    @Test func `a baseline of a legacy side that fails itself is not taken, unless the plan compares with it`() throws {
        var request = Requests.request(.advance(), id: "1")
        request.baseline = LegacyBaseline(units: FailureCounts(2_000, of: 10_000))
        let stored = Requests.stored(at: .legacyOnly)
        let error = #expect(throws: UpgradeRefusal.self) { try stored.applying(request, plan: Readings.plan()) }
        #expect(error?.code == .failingBaseline)
        let relative = try Readings.plan { $0.relativeFactor = 2 }
        #expect(try stored.applying(request, plan: relative).after.state.stage == Self.shadow)
        request.action = .advance(despiteGate: true)
        #expect(try stored.applying(request, plan: Readings.plan()).after.state.stage == Self.shadow)
        // As many as the limit may come by chance.
        request.action = .advance()
        request.baseline = LegacyBaseline(units: FailureCounts(12, of: 10_000))
        #expect(try stored.applying(request, plan: Readings.plan()).after.state.stage == Self.shadow)
    }

    @Test(arguments: Readings.stages.dropFirst().dropLast())
    func `where a gate decides, a person advances only despite the gate`(stage: Stage) throws {
        let stored = Requests.stored(at: stage)
        #expect(try refusal(.advance(), stored)?.code == .gateDecides)
        #expect(try after(.advance(despiteGate: true), stored).state.stage > stage)
        #expect(try after(.promote(Requests.decision(at: stage)), stored).state.stage > stage)
    }

    @Test func `at its end there is nothing to raise`() throws {
        let stored = Requests.stored(at: .candidateOnly)
        #expect(try refusal(.advance(despiteGate: true), stored)?.code == .alreadyThere)
    }

    @Test func `a stage that the plan no longer has is left for the next above it`() throws {
        let stored = Requests.stored(at: .canary(share: 700))
        #expect(try after(.advance(), stored).state.stage == .canary(share: .all))
    }

    @Test func `a retreat goes all the way back, costs an attempt, and waits for a person`() throws {
        let stage = Stage.canary(share: 500)
        let decision = try Requests.decision(at: stage) { $0.metrics[.canaryFailures] = FailureCounts(40, of: 40) }
        let back = try after(.retreat(decision), Requests.stored(at: stage), by: "gate")
        #expect(back.state.stage == .legacyOnly)
        #expect(back.state.attempt == 2)
        #expect(back.state.waiting == .rolledBack)
        #expect(try after(.advance(despiteGate: true), back).state.waiting == nil)
        #expect(try after(.advance(despiteGate: true), back).state.attempt == 2)
    }

    @Test func `the second attempt is decided by its own gate`() throws {
        let stored = Requests.stored(at: Self.shadow) { $0.state.attempt = 2 }
        #expect(try refusal(.promote(Requests.decision(at: Self.shadow)), stored)?.code == .outdated)
        #expect(try refusal(.promote(Requests.decision(at: Self.shadow, attempt: 2)), stored) == nil)
    }

    @Test func `undecided stays until a person advances`() throws {
        let stored = Requests.stored(at: Self.shadow)
        let decision = try Requests.decision(at: Self.shadow) { reading in
            reading.metrics[.comparison] = FailureCounts(0, of: 100)
            reading.seconds = 15 * 24 * 60 * 60
        }
        try #require(decision.verdict == .undecided)
        let asking = try after(.ask(decision), stored)
        #expect(asking.state.waiting == .undecided)
        #expect(asking.state.epoch == 3)
        #expect(try refusal(.ask(decision), asking)?.code == .alreadyThere)
        #expect(try refusal(.promote(Requests.decision(at: Self.shadow)), asking)?.code == .needsPerson)
        #expect(try after(.advance(), asking).state.stage == .canary(share: 500))
    }

    @Test func `a person rolls back to any planned stage, and never raises one that way`() throws {
        let stored = Requests.stored(at: .candidateWithFallback)
        #expect(try after(.rollBack(to: .canary(share: 500)), stored).state.stage == .canary(share: 500))
        #expect(try after(.rollBack(), stored).state.stage == .legacyOnly)
        #expect(try refusal(.rollBack(to: .candidateOnly), stored)?.code == .alreadyThere)
        #expect(try refusal(.rollBack(to: .canary(share: 7)), stored)?.code == .unplanned)
        #expect(try refusal(.abort, Requests.stored(at: .legacyOnly))?.code == .alreadyThere)
    }

    private static let wrong: [(String, UpgradeRefusal.Code, @Sendable (inout Decision) -> Void)] = [
        ("of another stage", .outdated, { $0.reading.stage = .canary(share: 500) }),
        ("of another epoch", .outdated, { $0.reading.epoch = 2 }),
        ("by another gate", .outdated, { $0.gate.horizon = 1 }),
        ("that says something else", .otherVerdict, { $0.verdict = .hold }),
        ("with a value of its own", .contradiction, { $0.tests[0].value += 1 }),
        ("with other counts", .contradiction, { $0.reading.metrics[.comparison] = FailureCounts(0, of: 10) }),
    ]

    @Test(arguments: wrong.indices) func `a decision that does not fit is refused`(index: Int) throws {
        let (_, code, change) = Self.wrong[index]
        var decision = try Requests.decision(at: Self.shadow)
        change(&decision)
        #expect(try refusal(.promote(decision), Requests.stored(at: Self.shadow))?.code == code)
    }

    @Test(arguments: KillSwitch.Target.allCases)
    func `under a kill switch nothing rises`(target: KillSwitch.Target) throws {
        let stored = Requests.stored(at: Self.shadow) {
            $0.kill = KillSwitch(target, by: "kenji", reason: "release week")
        }
        #expect(try refusal(.advance(despiteGate: true), stored)?.code == .frozen)
        let refused = try refusal(.promote(Requests.decision(at: Self.shadow)), stored)
        #expect(refused?.code == .frozen)
        #expect(refused?.message.contains("kenji: release week") == true)
        let override = UpgradeAction.override(operation: "a", stage: .candidateOnly, despiteGate: true)
        #expect(try refusal(override, stored)?.code == .frozen)
    }

    @Test(arguments: [UpgradeAction.abort, .rollBack(to: .shadow(sample: .all)), .disallow(units: ["ada"])])
    func `a freeze stops steps up, and a person still goes back`(action: UpgradeAction) throws {
        let named = try after(.allow(units: ["ada"]), Requests.stored(at: .canary(share: 500)))
        let stored = try after(.kill(.freeze), named)
        #expect(try after(action, stored).kill?.target == .freeze)
    }

    @Test func `only a candidate that has answered users may get them all`() throws {
        for stage in [Stage.legacyOnly, Self.shadow] {
            let stored = Requests.stored(at: stage)
            #expect(try refusal(.kill(.candidate), stored)?.code == .neverAnswered)
        }
        #expect(try refusal(.kill(.candidate), Requests.stored(at: .canary(share: 500))) == nil)
        let back = try after(.abort, Requests.stored(at: .canary(share: 500)))
        #expect(try after(.kill(.candidate), back).routing.stage() == .candidateOnly)
    }

    @Test func `an operation rises above the upgrade only despite the gate`() throws {
        let stored = Requests.stored(at: .canary(share: 500))
        let stage = Stage.candidateOnly
        #expect(try refusal(.override(operation: "a", stage: stage), stored)?.code == .gateDecides)
        let despite = UpgradeAction.override(operation: "a", stage: stage, despiteGate: true)
        #expect(try after(despite, stored).state.overrides["a"] == stage)
        #expect(try refusal(.override(operation: "a", stage: Self.shadow), stored) == nil)
    }

    /// The actions that may be based on a state, and whether each is refused once that state has changed.
    private static let seeing: [(UpgradeAction, isRefused: Bool)] = [
        (.advance(despiteGate: true), true), (.override(operation: "a", stage: .legacyOnly), true),
        (.kill(.candidate), true), (.kill(.legacy), false), (.kill(.freeze), false), (.abort, false),
        (.rollBack(), false),
    ]

    @Test(arguments: seeing.indices) func `a step up belongs to the state that was seen, and a stop to none`(index: Int)
        throws
    {
        let (action, isRefused) = Self.seeing[index]
        let stored = Requests.stored(at: .canary(share: 500))
        func code(_ seen: UpgradeRequest.Seen) throws -> UpgradeRefusal.Code? {
            var request = Requests.request(action, id: "1")
            request.seen = seen
            do {
                _ = try stored.applying(request, plan: Readings.plan())
                return nil
            } catch let error as UpgradeRefusal { return error.code }
        }
        #expect(try code(.init(stored)) == nil)
        let earlier = UpgradeRequest.Seen(stage: Self.shadow, revision: stored.revision - 1)
        #expect(try code(earlier) == (isRefused ? .movedOn : nil))
        let changed = UpgradeRequest.Seen(stage: .canary(share: 500), revision: stored.revision - 1)
        #expect(try code(changed) == (isRefused ? .movedOn : nil))
    }

    @Test func `an abort that was meant for another attempt is refused`() throws {
        let stored = Requests.stored(at: .canary(share: 500)) { $0.state.attempt = 2 }
        var request = Requests.request(.abort, id: "1")
        request.seen = .init(Requests.stored(at: .canary(share: 500)))
        #expect { try stored.applying(request, plan: Readings.plan()) } throws: {
            ($0 as? UpgradeRefusal)?.code == .outdated
        }
        request.seen = .init(Requests.stored(at: Self.shadow) { $0.state.attempt = 2 })
        #expect(try stored.applying(request, plan: Readings.plan()).after.state.stage == .legacyOnly)
    }

    @Test func `the kill switch can be set anywhere and repeatedly, and cleared`() throws {
        let killed = try after(.kill(.legacy), Requests.stored(at: .canary(share: 500)))
        #expect(killed.routing.stage() == .legacyOnly)
        #expect(killed.state.stage == .canary(share: 500))
        #expect(try after(.kill(.candidate), killed).kill?.seq == 2)
        #expect(try after(.resume, killed).state.stage == .legacyOnly)
        let other = try after(.kill(.candidate), Requests.stored(at: .canary(share: 500)))
        #expect(try after(.resume, other).state.stage == .canary(share: 500))
        #expect(try refusal(.resume, Requests.stored(at: .legacyOnly))?.code == .alreadyThere)
    }

    /// Sequences of steps, and the number of attempts that they begin.
    private static let ways: [(steps: [UpgradeAction], attempt: Int, waiting: UpgradeState.Waiting?)] = [
        ([.kill(.legacy)], 1, .undecided), ([.kill(.legacy), .resume], 2, .rolledBack),
        ([.kill(.legacy), .abort], 2, .rolledBack), ([.kill(.legacy), .abort, .resume], 2, .rolledBack),
        ([.kill(.legacy), .rollBack(to: .shadow(sample: .all))], 2, .rolledBack),
        ([.kill(.legacy), .rollBack(to: .shadow(sample: .all)), .resume], 3, .rolledBack),
        ([.kill(.legacy), .kill(.candidate), .resume], 1, .undecided), ([.kill(.candidate), .resume], 1, .undecided),
        ([.kill(.freeze), .resume], 1, .undecided), ([.abort, .kill(.legacy), .resume], 2, .rolledBack),
        ([.kill(.legacy), .kill(.freeze)], 2, .rolledBack),
        ([.kill(.legacy), .kill(.freeze), .resume], 2, .rolledBack),
    ]

    @Test(arguments: ways.indices)
    func `each time that the stage goes back an attempt begins, with a kill switch or without`(index: Int) throws {
        var stored = Requests.stored(at: .canary(share: 500)) { $0.state.waiting = .undecided }
        let (steps, attempt, waiting) = Self.ways[index]
        for step in steps { stored = try after(step, stored) }
        #expect(stored.state.attempt == attempt)
        #expect(stored.state.waiting == waiting)
        #expect(stored.state.epoch == 3 + attempt - 1)
    }

    private static let overrides: [String: Stage] = [
        "orders.place": .legacyOnly, "orders.list": .shadow(sample: .all), "catalogue.list": .canary(share: .all),
        "photos.get": .candidateOnly,
    ]

    /// Ways back from 5 % of the units, with four operations that have their own stages: which of them keep theirs.
    private static let waysBack: [(steps: [UpgradeAction], kept: [String], attempt: Int)] = [
        ([.abort], ["orders.place"], 2), ([.rollBack()], ["orders.place"], 2),
        ([.kill(.legacy), .resume], ["orders.place"], 2), ([.kill(.legacy), .kill(.freeze)], ["orders.place"], 2),
        ([.rollBack(to: shadow)], ["orders.list", "orders.place"], 2),
        ([.rollBack(to: .canary(share: 500))], ["orders.list", "orders.place"], 1),
        ([.rollBack(to: shadow), .abort], ["orders.place"], 3),
        ([.kill(.candidate), .resume], ["catalogue.list", "orders.list", "orders.place", "photos.get"], 1),
        ([.kill(.freeze), .resume], ["catalogue.list", "orders.list", "orders.place", "photos.get"], 1),
    ]

    @Test(arguments: waysBack.indices) func `a rollback leaves no operation above its stage`(index: Int) throws {
        let (steps, kept, attempt) = Self.waysBack[index]
        var stored = Requests.stored(at: .canary(share: 500)) { $0.state.overrides = Self.overrides }
        for step in steps { stored = try after(step, stored) }
        #expect(stored.state.overrides.keys.sorted() == kept)
        #expect(stored.state.overrides.allSatisfy { Self.overrides[$0.key] == $0.value })
        #expect(stored.state.attempt == attempt)
        for operation in Self.overrides.keys where stored.kill == nil {
            #expect(attempt == 1 || stored.routing.stage(for: operation) <= stored.state.stage)
        }
    }

    @Test func `a gate that goes back takes the operations along`() throws {
        let stage = Stage.canary(share: 500)
        let decision = try Requests.decision(at: stage) { $0.metrics[.canaryFailures] = FailureCounts(40, of: 40) }
        let stored = Requests.stored(at: stage) { $0.state.overrides = Self.overrides }
        let back = try after(.retreat(decision), stored, by: "gate")
        #expect(back.state.overrides == ["orders.place": .legacyOnly])
    }

    @Test func `where only operations are on the candidate, an abort takes them back, in the same attempt`() throws {
        let stored = Requests.stored(at: .legacyOnly) { $0.state.overrides = Self.overrides }
        let change = try stored.applying(Requests.request(.abort, id: "1"), plan: Readings.plan())
        #expect(change.after.state.overrides == ["orders.place": .legacyOnly])
        #expect(change.after.state.epoch == stored.state.epoch && change.after.state.attempt == 1)
        #expect(change.entry.before.overrides == Self.overrides)
        #expect(change.entry.after.overrides == ["orders.place": .legacyOnly])
        #expect(try refusal(.abort, change.after)?.code == .alreadyThere)
        #expect(try refusal(.rollBack(to: .canary(share: 500)), stored)?.code == .alreadyThere)
        let killed = try after(.kill(.legacy), stored)
        #expect(try after(.resume, killed).routing.stage(for: "photos.get") == .legacyOnly)
    }

    @Test func `a line of the log from before it had operations is read`() throws {
        let line = #"{"stage": "canary(500)", "epoch": 2, "attempt": 1}"#
        let position = try JSONDecoder().decode(AuditEntry.Position.self, from: Data(line.utf8))
        #expect(position == .init(Requests.stored(at: .canary(share: 500)) { $0.state.epoch = 2 }))
    }

    @Test func `nothing changes without a name and a reason`() throws {
        #expect(try refusal(.kill(.legacy), Requests.stored(at: .legacyOnly), by: "")?.code == .incomplete)
        let request = UpgradeRequest(.abort, by: "amara", reason: "", at: 1, id: "1")
        #expect(throws: UpgradeRefusal.self) {
            try Requests.stored(at: Self.shadow).applying(request, plan: Readings.plan())
        }
    }

    @Test func `a line of the log survives JSON`() throws {
        let decision = try Requests.decision(at: Self.shadow)
        let request = Requests.request(.promote(decision), id: "1")
        let entry = try Requests.stored(at: Self.shadow).applying(request, plan: Readings.plan()).entry
        #expect(try JSONDecoder().decode(AuditEntry.self, from: JSONEncoder().encode(entry)) == entry)
    }
}
