import Cofferdam
import CofferdamTesting
import CofferdamUpgrade
import Testing
import TestSupport

@Suite struct NamedUnitTests {
    /// Stages at which no unit is in the canary by its bucket.
    private static let low: [Stage] = [
        .legacyOnly, .shadow(sample: .none), .shadow(sample: .all), .canary(share: .none), .canary(share: 1),
    ]
    private static let high: [Stage] = [.candidateWithFallback, .candidateShadowed(sample: .all), .candidateOnly]

    @Test(arguments: low, [Effect.read, .idempotent, .write, .exclusive])
    func `a named unit is on the candidate before all units are, and may fall back to the legacy side`(
        stage: Stage,
        effect: Effect
    ) async throws {
        let (upgrade, canary) = (try ZooUpgrade(stage), try ZooUpgrade(.canary(share: .all)))
        try await upgrade.call(effect)
        await upgrade.shadowQueue.drained()
        #expect(upgrade.sides.first == "legacy")
        let (before, compared) = (upgrade.sides.count, upgrade.comparisons.entries.count)
        upgrade.name(["keeper"])
        for meaning in [nil, FailureMeaning.unsent, .failed, .outcomeUnknown, .answer] {
            for upgrade in [upgrade, canary] {
                if let meaning { upgrade.candidate.fail(meaning) }
                try? await upgrade.call(effect)
            }
        }
        await upgrade.shadowQueue.drained()
        #expect(Array(upgrade.sides.dropFirst(before)) == canary.sides, "as a canary unit is")
        let calls = upgrade.calls.entries.filter(\.isNamed)
        #expect(calls.map(\.outcome) == canary.calls.entries.map(\.outcome))
        #expect(calls.map(\.role) == canary.calls.entries.map(\.role))
        #expect(calls.allSatisfy { $0.stage == stage && $0.sample == nil })
        #expect(upgrade.comparisons.entries.count == compared)
    }

    @Test(arguments: high)
    func `where all units are on the candidate, naming one changes nothing`(stage: Stage) async throws {
        let (upgrade, other) = (try ZooUpgrade(stage), try ZooUpgrade(stage))
        upgrade.name(["keeper"])
        other.name(["another unit"])
        for upgrade in [upgrade, other] {
            for _ in 0..<3 { try await upgrade.call(.read) }
            upgrade.candidate.fail(.failed)
            try? await upgrade.call(.read)
            await upgrade.shadowQueue.drained()
        }
        let asked = [upgrade, other].map { $0.sides.count { $0 == "candidate" } }
        #expect(asked == [4, 4])
        #expect(upgrade.calls.entries.allSatisfy { $0.isNamed })
        #expect(upgrade.comparisons.entries.isEmpty, "it counts apart, and so is not compared")
    }

    @Test func `another unit, and a session without a unit, stay where they were`() async throws {
        for unit in ["visitor", nil] {
            let upgrade = try ZooUpgrade(.legacyOnly, unit: unit)
            upgrade.name(["keeper"])
            try await upgrade.call(.read)
            #expect(upgrade.sides == ["legacy"])
            #expect(!upgrade.session.isNamed)
            #expect(upgrade.opened.entries == ["legacy"], "the candidate is opened for a named unit alone")
        }
    }

    @Test(
        arguments: low,
        [(KillSwitch.Target.legacy, Side.legacy), (.candidate, .candidate), (.freeze, .candidate)]
    )
    func `a kill wins at once`(stage: Stage, kill: (target: KillSwitch.Target, side: Side)) async throws {
        let upgrade = try ZooUpgrade(stage)
        upgrade.name(["keeper"])
        try await upgrade.call(.write)
        #expect(upgrade.sides == ["candidate"])
        upgrade.control.kill(KillSwitch(kill.target, by: "amara", reason: "a drill"))
        try await upgrade.call(.write)
        #expect(upgrade.sides.last == kill.side.rawValue)
        upgrade.control.kill(nil)
        try await upgrade.call(.write)
        // After a kill to the legacy side the unit stays there until the next step.
        #expect(upgrade.sides.last == kill.side.rawValue)
    }

    @Test func `a unit that is named crosses over at its next session or when it settles, and back at its next call`()
        async throws
    {
        let upgrade = try ZooUpgrade(.legacyOnly)
        try await upgrade.call(.read)
        var state = upgrade.control.state
        state.named = ["keeper"]
        upgrade.control.follow(state)
        #expect(upgrade.control.state.epoch == 0)
        try await upgrade.call(.read)
        #expect(upgrade.sides == ["legacy", "legacy"])
        let next = UnitSession(unit: "keeper", control: upgrade.control, bucketing: try Bucketing(salt: "zoo"))
        #expect(next.side == .candidate)
        #expect(upgrade.session.cutOver())
        try await upgrade.call(.read)
        state.named = []
        upgrade.control.follow(state)
        try await upgrade.call(.read)
        #expect(upgrade.sides == ["legacy", "legacy", "candidate", "legacy"])
    }

    @Test func `it crosses over only while no call is in flight`() async throws {
        let upgrade = try ZooUpgrade(.shadow(sample: .none))
        let gate = TestGate()
        upgrade.legacy.respond { id in
            await gate.pass()
            return Animal(id: id, name: "")
        }
        let call = Task { try await upgrade.call(.write) }
        await until { gate.arrivals == 1 }
        upgrade.name(["keeper"])
        #expect(!upgrade.session.cutOver())
        gate.open()
        try await call.value
        #expect(upgrade.session.cutOver())
        #expect(upgrade.session.side == .candidate)
    }

    @Test(arguments: low)
    func `a unit that is held back is where the stage sends it, and still counts apart`(stage: Stage) async throws {
        let upgrade = try ZooUpgrade(stage)
        upgrade.name(["keeper"])
        try await upgrade.call(.read)
        upgrade.name(["keeper"], areServed: false)
        try await upgrade.call(.read)
        await upgrade.shadowQueue.drained()
        #expect(upgrade.sides == ["candidate", "legacy"])
        #expect(upgrade.calls.entries.map(\.isNamed) == [true, true])
    }

    @Test(arguments: [Stage.legacyOnly, .shadow(sample: .all)])
    func `an operation that stays on the legacy side stays there for named units too`(stage: Stage) async throws {
        let upgrade = try ZooUpgrade(.canary(share: .none))
        upgrade.name(["keeper"])
        upgrade.control.override("rename", with: stage)
        upgrade.control.override("feed", with: .canary(share: .none))
        upgrade.control.override("enter", with: .candidateOnly)
        for effect in [Effect.write, .idempotent, .exclusive, .read] { try await upgrade.call(effect) }
        #expect(upgrade.sides == ["legacy", "candidate", "candidate", "candidate"])
    }

    @Test func `after it has written to the candidate's own data, its reads stay there`() async throws {
        let upgrade = try ZooUpgrade(.legacyOnly, dataOwnership: .separate)
        upgrade.name(["keeper"])
        try await upgrade.call(.write)
        upgrade.candidate.fail(.unsent)
        await #expect(throws: ZooError(meaning: .unsent)) { try await upgrade.call(.read) }
        #expect(upgrade.sides == ["candidate", "candidate"])
    }

    @Test func `a rollback to a stage without units on the candidate holds named ones back until the next step`() throws
    {
        var state = StageState(stage: .canary(share: 500))
        state.named = ["keeper"]
        let control = StageControl(state)
        try control.move(to: .canary(share: 100))
        #expect(control.state.servesNamed)
        try control.move(to: .shadow(sample: 100))
        #expect(!control.state.servesNamed)
        try control.move(to: .canary(share: 100))
        #expect(control.state.servesNamed)
    }
}

/// Failures of named units stop no other unit.
@Suite struct NamedUnitBreakerTests {
    private static let few = BreakerSettings.defaults {
        ($0.window, $0.minimumCalls, $0.trials) = (4, 4, 2)
        $0.slowLimit = .seconds(1)
    }

    @Test func `named units have breakers of their own, which do not affect the others'`() async throws {
        let upgrade = try ZooUpgrade(.legacyOnly, breakers: Self.few)
        upgrade.name(["keeper"])
        upgrade.candidate.fail(.unsent)
        for _ in 0..<6 { try await upgrade.call(.read) }
        let breakers = try #require(upgrade.breakers)
        #expect(upgrade.sides.count { $0 == "candidate" } == 4)
        #expect(upgrade.calls.entries.filter { $0.role == .first }.suffix(2).map(\.outcome) == [.refused, .refused])
        #expect(breakers.forNamedUnits("animal").state == .open)
        #expect(!breakers.isCandidateOpen)
        #expect(breakers.history == BreakerHistory())
    }

    @Test func `an open breaker of the others keeps named units away too, and their calls are not its trials`()
        async throws
    {
        let upgrade = try ZooUpgrade(.canary(share: .all), breakers: Self.few)
        upgrade.candidate.fail(.unsent)
        for _ in 0..<4 { try await upgrade.call(.read) }
        let breakers = try #require(upgrade.breakers)
        #expect(breakers.isCandidateOpen)
        upgrade.name(["keeper"])
        let before = upgrade.sides.count
        try await upgrade.call(.read)
        #expect(upgrade.sides.dropFirst(before) == ["legacy"])
        await #expect(throws: ZooError(meaning: .unsent)) { try await upgrade.call(.exclusive) }
        upgrade.clock.advance(by: .seconds(60))
        upgrade.candidate.respond { Animal(id: $0, name: "") }
        for _ in 0..<3 { try await upgrade.call(.read) }
        #expect(upgrade.sides.suffix(3) == ["candidate", "candidate", "candidate"])
        #expect(breakers[.candidate, "animal"].state == .open, "no named unit's call closes it")
    }
}
