import Cofferdam
import CofferdamTesting
import CofferdamUpgrade
import Testing
import TestSupport

@Suite struct ShadowTests {
    @Test func `the caller has its answer while the shadow has not begun`() async throws {
        let upgrade = try ZooUpgrade(.shadow(sample: .all))
        let gate = TestGate()
        upgrade.candidate.respond { id in
            await gate.pass()
            return Animal(id: id, name: "animal \(id)")
        }
        #expect(try await upgrade.zoo.animal(1).name == "animal 1")
        #expect(upgrade.verdicts.isEmpty)
        gate.open()
        await upgrade.shadowQueue.drained()
        #expect(upgrade.verdicts == [.match])
    }

    private static let same: @Sendable (Int) async throws -> Animal = { Animal(id: $0, name: "same") }

    @Test(arguments: [Stage.shadow(sample: .all), .candidateShadowed(sample: .all)])
    func `each pair of answers has its verdict, whichever side answers the caller`(stage: Stage) async throws {
        typealias Answer = @Sendable (Int) async throws -> Animal
        let fails: Answer = { _ in throw ZooError(meaning: .failed, kind: "down") }
        let failsDifferently: Answer = { _ in throw ZooError(meaning: .failed, kind: "slow") }
        let denies: Answer = { _ in throw ZooError(meaning: .answer, kind: "notFound") }
        let forbids: Answer = { _ in throw ZooError(meaning: .answer, kind: "forbidden") }
        let other: Answer = { Animal(id: $0, name: "same", legs: 3) }
        let rows: [(Answer, Answer, ComparisonOutcome)] = [
            (Self.same, Self.same, .match), (Self.same, other, .mismatch), (Self.same, fails, .candidateFailed),
            (fails, Self.same, .legacyFailed), (fails, fails, .bothFailedAlike),
            (fails, failsDifferently, .bothFailedUnlike),
            (denies, denies, .match), (denies, forbids, .mismatch), (denies, Self.same, .mismatch),
            (Self.same, denies, .mismatch),
        ]
        for (index, row) in rows.enumerated() {
            let upgrade = try ZooUpgrade(stage)
            upgrade.legacy.respond(row.0)
            upgrade.candidate.respond(row.1)
            let value = await Result { try await upgrade.zoo.animal(1) }
            let authority = stage.side == .legacy ? row.0 : row.1
            #expect(value.text == (await Result { try await authority(1) }).text, "row \(index)")
            await upgrade.shadowQueue.drained()
            #expect(upgrade.verdicts == [row.2], "row \(index)")
        }
    }

    @Test func `a difference in which the old side disagrees with itself is noise`() async throws {
        let upgrade = try ZooUpgrade(.shadow(sample: .all))
        let count = Counter()
        upgrade.legacy.respond { Animal(id: $0, name: "name \(count.next())") }
        upgrade.candidate.respond { Animal(id: $0, name: "name 7") }
        _ = try await upgrade.zoo.animal(1)
        await upgrade.shadowQueue.drained()
        #expect(upgrade.verdicts == [.noisy])
        #expect(upgrade.sides == ["legacy", "candidate", "legacy"])
    }

    @Test func `a foreseen difference is reported as expected`() async throws {
        let foreseen = ExpectedDifference(
            id: "X1",
            path: "value",
            reason: "a hoof less",
            changes: [
                .init(from: "\(Animal(id: 1, name: "same"))", to: ["\(Animal(id: 1, name: "same", legs: 3))"])
            ]
        )
        let agreed = AgreedDifference(foreseen, rate: 0.1)
        let upgrade = try ZooUpgrade(.shadow(sample: .all), expectations: Expectations([agreed]))
        upgrade.legacy.respond(Self.same)
        upgrade.candidate.respond { Animal(id: $0, name: "same", legs: 3) }
        _ = try await upgrade.zoo.animal(1)
        await upgrade.shadowQueue.drained()
        #expect(upgrade.verdicts == [.expected])
        #expect(upgrade.comparisons.entries.first?.differences.map(\.path) == ["value"])
    }

    @Test func `a shadow that hangs and ignores cancellation is given up at its deadline`() async throws {
        let upgrade = try ZooUpgrade(.shadow(sample: .all))
        let gate = TestGate()
        upgrade.candidate.respond { id in
            await gate.pass()  // heeds no cancellation
            return Animal(id: id, name: "")
        }
        _ = try await upgrade.zoo.animal(1)
        await until { upgrade.clock.sleeperCount == 1 }
        upgrade.clock.advance(by: .seconds(10))
        await upgrade.shadowQueue.drained()
        #expect(upgrade.verdicts == [.timedOut(.candidate)])
        gate.open()
    }

    @Test func `a shadow that hangs while it opens is given up as well, and the next one joins it there`() async throws
    {
        let (gate, opened, comparisons, clock) = (TestGate(), Log<String>(), Comparisons(), TestClock())
        let router = Router<any Zoo>(
            legacy: { ScriptedZoo("legacy", log: Log()) },
            candidate: { ScriptedZoo("candidate", log: Log()) },
            shadowCandidate: {
                opened.add("rehearsing")
                await gate.pass()  // heeds no cancellation
                return ScriptedZoo("rehearsing", log: Log())
            }
        )
        let control = StageControl(StageState(stage: .shadow(sample: .all)))
        let session = UnitSession(unit: "keeper", control: control, bucketing: try Bucketing(salt: "zoo"))
        let settings = RouteSettings(
            capability: "zoo",
            failures: ZooError.reading,
            shadowDeadline: .seconds(10),
            observer: comparisons,
            clock: clock
        )
        let zoo = Intercepted<any Zoo>(source: router.route(for: session, settings: settings) { $0 })
        _ = try await zoo.animal(1)
        await until { clock.sleeperCount == 1 && gate.arrivals == 1 }
        clock.advance(by: .seconds(10))
        await settings.shadowQueue.drained()
        #expect(comparisons.log.entries == [.timedOut(.candidate)])
        gate.open()
        _ = try await zoo.animal(1)
        await settings.shadowQueue.drained()
        #expect(comparisons.log.entries == [.timedOut(.candidate), .match])
        #expect(opened.entries.count == 1)
    }

    @Test func `a first side that cannot be opened is compared as failed, and leaves the queue empty`() async throws {
        let comparisons = Comparisons()
        let router = Router<any Zoo>(
            legacy: { throw ZooError(meaning: .answer, kind: "closed") },
            candidate: { ScriptedZoo("candidate", log: Log()) }
        )
        let control = StageControl(StageState(stage: .shadow(sample: .all)))
        let session = UnitSession(unit: "keeper", control: control, bucketing: try Bucketing(salt: "zoo"))
        let settings = RouteSettings(
            capability: "zoo",
            failures: ZooError.reading,
            observer: comparisons,
            clock: TestClock()
        )
        let zoo = Intercepted<any Zoo>(source: router.route(for: session, settings: settings) { $0 })
        await #expect(throws: ZooError.self) { try await zoo.animal(1) }
        await settings.shadowQueue.drained()
        #expect(comparisons.log.entries == [.legacyFailed])
    }

    @Test func `what does not fit in the queue is dropped and counted, and the caller does not wait`() async throws {
        let upgrade = try ZooUpgrade(.shadow(sample: .all), shadowQueue: ShadowQueue(capacity: 2, width: 1))
        let gate = TestGate()
        upgrade.candidate.respond { id in
            await gate.pass()
            return Animal(id: id, name: "animal \(id)")
        }
        for id in 0..<5 { _ = try await upgrade.zoo.animal(id) }
        #expect(upgrade.verdicts.filter { $0 == .dropped }.count == upgrade.shadowQueue.dropped)
        #expect(upgrade.shadowQueue.dropped >= 2)
        gate.open()
        await upgrade.shadowQueue.drained()
        #expect(upgrade.verdicts.count == 5)
    }

    @Test
    func `a caller who was cancelled before the old side answered leaves no shadow, whatever that side made of it`()
        async throws
    {
        for heedsCancellation in [true, false] {
            let upgrade = try ZooUpgrade(.shadow(sample: .all))
            let gate = TestGate()
            upgrade.legacy.respond { id in
                await gate.pass()
                if heedsCancellation { try Task.checkCancellation() }
                return Animal(id: id, name: "")
            }
            let call = Task { try await upgrade.zoo.animal(1) }
            await until { gate.arrivals == 1 }
            call.cancel()
            gate.open()
            #expect(await call.result.isSuccess == !heedsCancellation)
            await upgrade.shadowQueue.drained()
            #expect(upgrade.verdicts == [.cancelled])
            #expect(upgrade.sides == ["legacy"])
        }
    }

    @Test(arguments: [true, false]) func `a comparison belongs to the stage at which its call began`(isWatched: Bool)
        async throws
    {
        let upgrade = try ZooUpgrade(.shadow(sample: .all))
        let gate = TestGate()
        for id in 0..<(isWatched ? 0 : 2 * UnitSession.watchedCalls) { _ = try await upgrade.zoo.animal(id) }
        await upgrade.shadowQueue.drained()
        upgrade.legacy.respond { id in
            await gate.pass()
            return Animal(id: id, name: "old")
        }
        upgrade.candidate.respond { Animal(id: $0, name: "new") }
        let before = upgrade.comparisons.entries.count
        let call = Task { try await upgrade.zoo.animal(1) }
        await until { gate.arrivals == 1 }
        try upgrade.control.move(to: .candidateShadowed(sample: .all))
        gate.open()
        _ = try await call.value
        await upgrade.shadowQueue.drained()
        let comparison = try #require(upgrade.comparisons.entries.dropFirst(before).first)
        #expect(comparison.stage == .shadow(sample: .all))
        #expect(comparison.epoch == 0)
        #expect(comparison.outcome == .mismatch)
        #expect(comparison.differences.first?.legacy?.contains("old") == true)
    }

    @Test func `with a full queue, calls that are no longer watched continue, and each is reported as dropped`()
        async throws
    {
        let upgrade = try ZooUpgrade(.shadow(sample: .all), shadowQueue: ShadowQueue(capacity: 0, width: 1))
        let gate = TestGate()
        upgrade.candidate.respond { id in
            await gate.pass()
            return Animal(id: id, name: "")
        }
        let calls = UnitSession.watchedCalls + 5
        for id in 0..<calls { _ = try await upgrade.zoo.animal(id) }
        #expect(upgrade.calls.entries.count == UnitSession.watchedCalls)
        #expect(upgrade.verdicts == Array(repeating: .dropped, count: calls - 1))
        #expect(upgrade.shadowQueue.dropped == calls - 1)
        try await upgrade.call(.write)
        #expect(upgrade.shadowQueue.dropped == calls - 1)
        gate.open()
        await upgrade.shadowQueue.drained()
        _ = try await upgrade.zoo.animal(1)
        await upgrade.shadowQueue.drained()
        #expect(upgrade.verdicts.count { $0 != .dropped } == 2)
    }

    @Test(arguments: [Effect.idempotent, .write, .exclusive])
    func `an operation that changes something is never called in the shadow`(effect: Effect) async throws {
        for stage in [Stage.shadow(sample: .all), .canary(share: .none), .candidateShadowed(sample: .all)] {
            let upgrade = try ZooUpgrade(stage)
            try await upgrade.call(effect)
            await upgrade.shadowQueue.drained()
            #expect(upgrade.sides.count == 1)
            #expect(upgrade.verdicts.isEmpty)
        }
    }

    @Test func `a session without a name is neither sampled nor admitted`() async throws {
        for stage in [Stage.shadow(sample: .all), .canary(share: .all)] {
            let upgrade = try ZooUpgrade(stage, unit: nil)
            try await upgrade.call(.read)
            await upgrade.shadowQueue.drained()
            #expect(upgrade.sides == ["legacy"])
        }
    }

    @Test func `a candidate that opens only in the shadow may rehearse elsewhere`() async throws {
        let log = Log<String>()
        let router = Router<any Zoo>(
            legacy: { ScriptedZoo("legacy", log: log) },
            candidate: { ScriptedZoo("candidate", log: log) },
            shadowCandidate: { ScriptedZoo("rehearsing", log: log) }
        )
        let control = StageControl(StageState(stage: .shadow(sample: .all)))
        let session = UnitSession(unit: "keeper", control: control, bucketing: try Bucketing(salt: "zoo"))
        let settings = RouteSettings(capability: "zoo", failures: ZooError.reading)
        let zoo = Intercepted<any Zoo>(source: router.route(for: session, settings: settings) { $0 })
        _ = try await zoo.animal(1)
        await settings.shadowQueue.drained()
        try control.move(to: .candidateOnly)
        session.cutOver()
        _ = try await zoo.animal(1)
        #expect(log.entries == ["legacy animal", "rehearsing animal", "candidate animal"])
    }
}

private struct Comparisons: RouteObserver {
    let log = Log<ComparisonOutcome>()
    func called(_ call: RoutedCall) {}
    func compared(_ comparison: ShadowComparison) { log.add(comparison.outcome) }
}

private final class Counter: Sendable {
    private let count = Mutex(0)
    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }

    fileprivate var text: String { "\(self)" }

    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}
