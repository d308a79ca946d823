import Cofferdam
import CofferdamTesting
import CofferdamUpgrade
import Testing
import TestSupport

@Suite struct RouteTests {
    @Test(
        arguments: [
            (Stage.legacyOnly, ["legacy"]), (.shadow(sample: .none), ["legacy"]), (.canary(share: .none), ["legacy"]),
            (.canary(share: .all), ["candidate"]), (.candidateWithFallback, ["candidate"]),
            (.candidateShadowed(sample: .none), ["candidate"]), (.candidateOnly, ["candidate"]),
        ]
    )
    func `at each stage its side answers every effect, and no other is opened`(stage: Stage, sides: [String])
        async throws
    {
        for effect in Effect.allCases {
            let upgrade = try ZooUpgrade(stage)
            try await upgrade.call(effect)
            try await upgrade.call(effect)
            await upgrade.shadowQueue.drained()
            #expect(upgrade.sides.filter { $0 == sides[0] }.count == 2, "\(effect)")
            let others = upgrade.sides.filter { $0 != sides[0] }
            #expect(others.isEmpty || stage == .canary(share: .none) && effect == .read, "\(effect)")
        }
        let upgrade = try ZooUpgrade(stage)
        try await upgrade.call(.write)
        #expect(upgrade.opened.entries == sides)
    }

    @Test(arguments: Effect.allCases, FailureMeaning.allCases)
    func `the other side is asked once, where that does no harm`(effect: Effect, meaning: FailureMeaning) async throws {
        let upgrade = try ZooUpgrade(.candidateWithFallback)
        upgrade.candidate.fail(meaning)
        let isRepeated = meaning != .answer && effect != .exclusive && (effect != .write || meaning == .unsent)
        if isRepeated {
            try await upgrade.call(effect)
            #expect(upgrade.sides == ["candidate", "legacy"])
            #expect(upgrade.calls.entries.map(\.role) == [.first, .fallback])
        } else {
            await #expect(throws: ZooError(meaning: meaning)) { try await upgrade.call(effect) }
            #expect(upgrade.sides == ["candidate"])
        }
        let outcome = try #require(upgrade.calls.entries.first).outcome
        #expect(outcome == (meaning == .answer ? .answered : .failed(meaning, kind: "broken")))
    }

    @Test func `where both fail, the caller gets the error of the unit's own side`() async throws {
        let upgrade = try ZooUpgrade(.candidateWithFallback)
        upgrade.candidate.fail(.failed, kind: "new")
        upgrade.legacy.fail(.failed, kind: "old")
        await #expect(throws: ZooError(meaning: .failed, kind: "new")) { try await upgrade.call(.read) }
    }

    @Test func `a write that the other side may have done is never reported as unsent`() async throws {
        let upgrade = try ZooUpgrade(.candidateWithFallback)
        upgrade.candidate.fail(.unsent, kind: "new")
        upgrade.legacy.fail(.outcomeUnknown, kind: "old")
        await #expect(throws: ZooError(meaning: .outcomeUnknown, kind: "old")) { try await upgrade.call(.write) }
    }

    /// If the first side may have carried out the call, "not done" from the second side would be untrue.
    @Test func `where the first side may have done a write, its caller is not told that it was not done`() async throws
    {
        let upgrade = try ZooUpgrade(.candidateWithFallback)
        upgrade.candidate.fail(.outcomeUnknown, kind: "new")
        upgrade.legacy.fail(.failed, kind: "old")
        await #expect(throws: ZooError(meaning: .outcomeUnknown, kind: "new")) { try await upgrade.call(.idempotent) }
        #expect(upgrade.sides == ["candidate", "legacy"])
    }

    @Test(arguments: Effect.allCases) func `a candidate that cannot be opened has sent nothing`(effect: Effect)
        async throws
    {
        let upgrade = try ZooUpgrade(.candidateWithFallback, candidateOpens: false)
        if effect == .exclusive {
            await #expect(throws: ZooError(meaning: .failed, kind: "closed")) { try await upgrade.call(effect) }
        } else {
            try await upgrade.call(effect)
            #expect(upgrade.sides == ["legacy"])
        }
        #expect(upgrade.calls.entries.first?.outcome == .notOpened(kind: "closed"))
    }

    @Test(arguments: [Stage.candidateWithFallback, .canary(share: .all), .shadow(sample: .all), .candidateOnly])
    func `a cancelled call does not fall back, on whichever side it is`(stage: Stage) async throws {
        let upgrade = try ZooUpgrade(stage)
        let gate = TestGate()
        for zoo in [upgrade.legacy, upgrade.candidate] {
            zoo.respond { _ in
                await gate.pass()
                try Task.checkCancellation()
                return Animal(id: 0, name: "")
            }
        }
        let call = Task { try await upgrade.call(.read) }
        await until { gate.arrivals == 1 }
        call.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await call.value }
        await upgrade.shadowQueue.drained()
        #expect(gate.arrivals == 1)
        #expect(upgrade.verdicts == (stage == .shadow(sample: .all) ? [.cancelled] : []))
    }

    @Test func `with separate data, a unit that has written on the new side reads nothing on the old one`() async throws
    {
        let upgrade = try ZooUpgrade(.candidateWithFallback, dataOwnership: .separate)
        upgrade.candidate.fail(.failed)
        try await upgrade.call(.read)
        upgrade.candidate.respond { Animal(id: $0, name: "") }
        try await upgrade.call(.write)
        upgrade.candidate.fail(.failed)
        await #expect(throws: ZooError.self) { try await upgrade.call(.read) }
        #expect(upgrade.sides == ["candidate", "legacy", "candidate", "candidate"])
    }

    @Test func `with separate data, a unit that has written on the new side is no longer compared`() async throws {
        let upgrade = try ZooUpgrade(.candidateShadowed(sample: .all), dataOwnership: .separate)
        // More than the first calls, which are timed.
        let reads = UnitSession.watchedCalls + 2
        for _ in 0..<reads {
            try await upgrade.call(.read)
            await upgrade.shadowQueue.drained()
        }
        #expect(upgrade.sides.filter { $0 == "legacy" }.count == reads)
        try await upgrade.call(.write)
        for _ in 0..<reads {
            try await upgrade.call(.read)
            await upgrade.shadowQueue.drained()
        }
        #expect(upgrade.sides.filter { $0 == "legacy" }.count == reads)
        #expect(upgrade.sides.filter { $0 == "candidate" }.count == 2 * reads + 1)
    }

    @Test(arguments: [Effect.idempotent, .write], [FailureMeaning.unsent, .failed, .outcomeUnknown])
    func `with separate data, a unit's change is not made where it does not read`(
        effect: Effect,
        meaning: FailureMeaning
    ) async throws {
        let upgrade = try ZooUpgrade(.candidateWithFallback, dataOwnership: .separate)
        upgrade.candidate.fail(meaning)
        await #expect(throws: ZooError(meaning: meaning)) { try await upgrade.call(effect) }
        #expect(upgrade.sides == ["candidate"])
        let closed = try ZooUpgrade(.candidateWithFallback, dataOwnership: .separate, candidateOpens: false)
        await #expect(throws: ZooError(meaning: .failed, kind: "closed")) { try await closed.call(effect) }
        #expect(closed.sides.isEmpty)
    }

    @Test func `a write that provably was not sent leaves the unit free to read on the old side`() async throws {
        let upgrade = try ZooUpgrade(.candidateWithFallback, dataOwnership: .separate)
        upgrade.candidate.fail(.unsent)
        await #expect(throws: ZooError(meaning: .unsent)) { try await upgrade.call(.write) }
        try await upgrade.call(.read)
        #expect(upgrade.sides == ["candidate", "candidate", "legacy"])
    }

    @Test func `a side is opened once, however many ask at first`() async throws {
        let upgrade = try ZooUpgrade(.candidateOnly)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { _ = try? await upgrade.zoo.animal(1) } }
        }
        #expect(upgrade.opened.entries == ["candidate"])
        #expect(upgrade.sides.count == 50)
    }
}
