import Cofferdam
import CofferdamTesting
import CofferdamUpgrade
import Testing
import TestSupport

@Suite struct CandidateCallLogTests {
    /// Counts as a file would.
    private final class Counter: CandidateCallLog {
        private let state = Mutex((open: 0, all: 0, units: 0, shadowUnits: 0, named: 0))
        var open: Int { state.withLock { $0.open } }
        var all: Int { state.withLock { $0.all } }
        var units: Int { state.withLock { $0.units } }
        var shadowUnits: Int { state.withLock { $0.shadowUnits } }
        var named: Int { state.withLock { $0.named } }

        func began(_ call: CandidateCall) {
            count(call, 1)
            state.withLock { $0.all += 1 }
        }
        func ended(_ call: CandidateCall) { count(call, -1) }

        private func count(_ call: CandidateCall, _ number: Int) {
            state.withLock { state in
                state.open += number
                switch call.kind {
                case .named: state.named += number
                case .answering: if call.isUnitsOnlyCall { state.units += number }
                case .shadow: if call.isUnitsOnlyCall { state.shadowUnits += number }
                }
            }
        }
    }

    @Test(arguments: [Stage.legacyOnly, .canary(share: .none), .candidateWithFallback, .candidateOnly])
    func `a named unit's calls are recorded as such, whatever is named while they are in flight`(stage: Stage)
        async throws
    {
        let counter = Counter()
        let upgrade = try ZooUpgrade(stage, callLog: counter)
        upgrade.name(["keeper"])
        let seen = Log<[Int]>()
        upgrade.candidate.respond { [control = upgrade.control] id in
            seen.add([counter.named, counter.units])
            var state = control.state
            state.named = state.named.isEmpty ? ["keeper"] : []
            control.follow(state)
            return Animal(id: id, name: "animal \(id)")
        }
        try await upgrade.call(.read)
        upgrade.name(["keeper"])
        // More than the first calls, which are timed.
        for _ in 0..<UnitSession.watchedCalls + 1 {
            upgrade.name(["keeper"])
            try await upgrade.call(.read)
        }
        #expect(seen.entries.allSatisfy { $0 == [1, 0] }, "\(seen.entries)")
        #expect(seen.entries.count == UnitSession.watchedCalls + 2)
        #expect([counter.open, counter.named, counter.units] == [0, 0, 0])
    }

    @Test(
        arguments: [
            (Stage.legacyOnly, false), (.shadow(sample: .all), true), (.canary(share: .all), true),
            (.candidateWithFallback, true), (.candidateShadowed(sample: .none), true), (.candidateOnly, true),
        ]
    )
    func `calls of the candidate, and no others, are recorded while they are in flight`(stage: Stage, calls: Bool)
        async throws
    {
        let counter = Counter()
        let upgrade = try ZooUpgrade(stage, callLog: counter)
        upgrade.candidate.respond { id in
            #expect(counter.open == 1)
            return Animal(id: id, name: "animal \(id)")
        }
        upgrade.legacy.respond { id in
            if !stage.opensBothSides { #expect(counter.open == 0) }
            return Animal(id: id, name: "animal \(id)")
        }
        for effect in [Effect.read, .read, .read, .idempotent] {
            try await upgrade.call(effect)
            // Otherwise a call in the shadow would overlap the next one.
            await upgrade.shadowQueue.drained()
        }
        #expect(counter.open == 0)
        let asked = upgrade.sides.count { $0 == "candidate" }
        #expect((asked > 0) == calls)
        // Opening the candidate counts as one more call.
        #expect(counter.all == asked + (calls ? 1 : 0))
    }

    @Test(
        arguments: [
            (Stage.shadow(sample: .all), 0, 1), (.canary(share: .all), 1, 0), (.candidateOnly, 1, 0),
        ]
    )
    func `one of a unit's concurrent calls is recorded as the unit's, separately in the shadow`(
        stage: Stage,
        units: Int,
        shadowUnits: Int
    ) async throws {
        let (counter, gate) = (Counter(), TestGate())
        let upgrade = try ZooUpgrade(stage, callLog: counter)
        // The candidate is open, and the watched calls are over.
        for _ in 0..<10 { try await upgrade.call(.read) }
        await upgrade.shadowQueue.drained()
        upgrade.candidate.respond { id in
            await gate.pass()
            return Animal(id: id, name: "animal \(id)")
        }
        let calls = (0..<3).map { _ in Task { try await upgrade.call(.read) } }
        // The shadow runs no more calls than this at a time.
        await until { gate.arrivals == (units > 0 ? 3 : 2) }
        #expect(counter.units == units)
        #expect(counter.shadowUnits == shadowUnits)
        gate.open()
        for call in calls { try await call.value }
        await upgrade.shadowQueue.drained()
        #expect(counter.open == 0)
        #expect(counter.units == 0)
        #expect(counter.shadowUnits == 0)
    }

    @Test func `a call that fails has ended`() async throws {
        let counter = Counter()
        let upgrade = try ZooUpgrade(.candidateOnly, callLog: counter)
        upgrade.candidate.fail(.failed)
        for _ in 0..<3 { await #expect(throws: ZooError.self) { try await upgrade.call(.read) } }
        #expect(counter.open == 0)
        #expect(counter.all == 4)
    }

    @Test func `opening the candidate for a stream is recorded, and so is the list after a gap`() async throws {
        let counter = Counter()
        let upgrade = try ZooUpgrade(.legacyOnly, callLog: counter)
        let (legacy, candidate) = (EventBuffer<Int>(), EventBuffer<Int>())
        let noted = Log<Int>()
        let operation = StreamingOperation<any Zoo, Void, Int>("events") {
            ($0 as? ScriptedZoo)?.name == "legacy" ? legacy.events : candidate.events
        }
        .handedOver(by: .items(gap: { _ in .nothing }, item: { StreamItem("\($0)") })) { _, _ in
            noted.add(counter.open)
            return []
        }
        var events = upgrade.route.stream(operation, ()).makeAsyncIterator()
        legacy.send(1, overflow: { TestError("behind") })
        #expect(try await events.next(isolation: nil) == 1)
        #expect(counter.all == 0)
        upgrade.control.kill(KillSwitch(.candidate, by: "amara", reason: "a test"))
        legacy.finish(throwing: TestError("gone"))
        candidate.send(2, overflow: { TestError("behind") })
        #expect(try await events.next(isolation: nil) == 2)
        #expect(noted.entries == [1])
        #expect(counter.all == 2)
        #expect(counter.open == 0)
    }
}
