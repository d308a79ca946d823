import Cofferdam
import CofferdamTesting
import Testing
import TestSupport

@testable import CofferdamUpgrade

/// Checks which calls reach the evidence.
@Suite struct ReportedCallsTests {
    @Test func `the first calls that just go to their side are reported, and the first one of each operation`()
        async throws
    {
        let upgrade = try ZooUpgrade(.candidateOnly)
        for _ in 0..<20 { try await upgrade.call(.read) }
        #expect(upgrade.calls.entries.count == UnitSession.watchedCalls)
        for _ in 0..<3 { try await upgrade.call(.write) }
        #expect(upgrade.calls.entries.count == UnitSession.watchedCalls + 1)
        #expect(upgrade.calls.entries.last?.operation == "rename")
        #expect(upgrade.calls.entries.last?.effect == .write)
        #expect(upgrade.calls.entries.allSatisfy { $0.duration != nil })
    }

    @Test func `the first calls of each hour are reported again, so that it is known who visits`() async throws {
        let upgrade = try ZooUpgrade(.candidateOnly)
        upgrade.control.begin(hour: 100)
        for _ in 0..<20 { try await upgrade.call(.read) }
        upgrade.control.begin(hour: 100)
        for _ in 0..<20 { try await upgrade.call(.read) }
        upgrade.control.begin(hour: 101)
        for _ in 0..<20 { try await upgrade.call(.read) }
        #expect(
            upgrade.calls.entries.map(\.hour)
                == [100, 101].flatMap {
                    [Int64](repeating: $0, count: UnitSession.watchedCalls)
                }
        )
    }

    @Test func `a caller that gives up is reported with its wait, however many calls came before it`() async throws {
        let upgrade = try ZooUpgrade(.candidateOnly)
        for _ in 0..<20 { try await upgrade.call(.read) }
        let (gate, before) = (TestGate(), upgrade.calls.entries.count)
        upgrade.candidate.respond { _ in
            await gate.pass()
            throw CancellationError()
        }
        let call = Task { try await upgrade.call(.read) }
        await until { gate.arrivals == 1 }
        upgrade.clock.advance(by: .seconds(30))
        call.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(upgrade.calls.entries.count == before + 1)
        #expect(upgrade.calls.entries.last?.outcome == .cancelled)
        #expect(upgrade.calls.entries.last?.duration == .seconds(30))
    }

    @Test func `a failure is reported, however many calls came before it`() async throws {
        for effect in [Effect.read, .write, .idempotent, .exclusive] {
            let upgrade = try ZooUpgrade(.candidateOnly)
            for _ in 0..<20 { try await upgrade.call(effect) }
            let before = upgrade.calls.entries.count
            upgrade.candidate.fail(.failed, kind: "down")
            await #expect(throws: ZooError.self) { try await upgrade.call(effect) }
            #expect(upgrade.calls.entries.count == before + 1)
            #expect(upgrade.calls.entries.last?.outcome == .failed(.failed, kind: "down"))
            #expect(upgrade.calls.entries.last?.duration == nil, "it was not timed")
        }
    }

    @Test func `an error that is an answer is reported by its kind, and not as a failure`() async throws {
        let upgrade = try ZooUpgrade(.candidateOnly)
        upgrade.candidate.fail(.answer, kind: "notFound")
        for _ in 0..<20 { await #expect(throws: ZooError.self) { try await upgrade.call(.read) } }
        #expect(upgrade.calls.entries.count == 20)
        #expect(upgrade.calls.entries.allSatisfy { $0.outcome == .answered && $0.answer == "notFound" })
    }

    @Test func `both arms of a canary are reported and timed alike, however many calls a unit makes`() async throws {
        let recorder = EvidenceRecorder(StageState(stage: .canary(share: 5_000)))
        var failed: [Side: Int] = [:]
        for number in 0..<60 {
            let upgrade = try ZooUpgrade(.canary(share: 5_000), unit: "keeper \(number)", observer: recorder)
            for _ in 0..<20 { try await upgrade.call(.read) }
            if number.isMultiple(of: 3) {
                // Both sides fail alike, from the twenty-first call on.
                upgrade.candidate.fail(.failed)
                upgrade.legacy.fail(.failed)
                failed[upgrade.session.side, default: 0] += 1
                await #expect(throws: ZooError.self) { try await upgrade.call(.write) }
            }
            let first = upgrade.calls.entries.filter { $0.role == .first && $0.operation == "animal" }
            #expect(first.count { $0.duration != nil } == UnitSession.watchedCalls)
        }
        let metrics = recorder.reading(afterSeconds: 1).metrics
        let (here, there) = (failed[.candidate, default: 0], failed[.legacy, default: 0])
        #expect(here > 3 && there > 3)
        #expect(metrics[.canaryFailures] == FailureCounts(here, of: here + there))
    }

    @Test func `after a change of the stage the first calls are reported again`() async throws {
        let upgrade = try ZooUpgrade(.candidateOnly)
        for _ in 0..<20 { try await upgrade.call(.read) }
        try upgrade.control.move(to: .candidateWithFallback)
        try upgrade.control.move(to: .candidateOnly)
        for _ in 0..<20 { try await upgrade.call(.read) }
        #expect(upgrade.calls.entries.count == 2 * UnitSession.watchedCalls)
    }

    @Test func `each of many operations is reported once, and then goes directly`() async throws {
        let calls = Log<RoutedCall>()
        let session = UnitSession(unit: "keeper", control: StageControl(), bucketing: try Bucketing(salt: "zoo"))
        let router = Router<Int>(legacy: { 1 }, candidate: { 2 })
        struct Observer: RouteObserver {
            let calls: Log<RoutedCall>
            func called(_ call: RoutedCall) { calls.add(call) }
            func compared(_ comparison: ShadowComparison) {}
        }
        let settings = RouteSettings(capability: "zoo", failures: ZooError.reading, observer: Observer(calls: calls))
        let port = Intercepted<Int>(source: router.route(for: session, settings: settings) { $0 })
        let operations = (0..<20).map { PortOperation<Int, Int, Int>("operation \($0)", .read) { $0 + $1 } }
        for _ in 0..<3 {
            for operation in operations { _ = try await port.call(operation, 0) }
        }
        #expect(Set(calls.entries.map(\.operation)).count == 20)
        #expect(calls.entries.count == 20)
    }

    // MARK: Giving up

    @Test func `a caller that gives up is reported when it does, even if the side never answers`() async throws {
        let upgrade = try ZooUpgrade(.candidateWithFallback)
        let held = TestGate()
        upgrade.candidate.respond { _ in
            await held.pass()
            throw CancellationError()
        }
        let call = Task { try await upgrade.call(.read) }
        await until { held.arrivals == 1 }
        upgrade.clock.advance(by: .seconds(3))
        call.cancel()
        await until { !upgrade.calls.entries.isEmpty }
        let reported = try #require(upgrade.calls.entries.first)
        #expect(reported.outcome == .cancelled && reported.duration == .seconds(3) && reported.side == .candidate)
        held.open()
        await #expect(throws: (any Error).self) { try await call.value }
        #expect(upgrade.calls.entries.count == 1, "it is reported once")
    }

    @Test func `a call that is cancelled after it has ended was not given up`() async throws {
        let upgrade = try ZooUpgrade(.candidateWithFallback)
        let call = Task {
            try await upgrade.call(.read)
            withUnsafeCurrentTask { $0?.cancel() }
        }
        try await call.value
        #expect(upgrade.calls.entries.map(\.outcome) == [.answered])
    }

    // MARK: Opening

    @Test func `opening a side is not part of a call's time, and is reported separately`() async throws {
        let (calls, openings, clock) = (Log<RoutedCall>(), Log<SideOpening>(), TestClock())
        struct Observer: RouteObserver {
            let calls: Log<RoutedCall>
            let openings: Log<SideOpening>
            func called(_ call: RoutedCall) { calls.add(call) }
            func compared(_ comparison: ShadowComparison) {}
            func opened(_ opening: SideOpening) { openings.add(opening) }
        }
        let observer = Observer(calls: calls, openings: openings)
        let failures = Mutex(1)
        let router = Router<Int>(
            observer: observer,
            clock: clock,
            legacy: { 1 },
            candidate: {
                clock.advance(by: .milliseconds(300))
                let isFailing = failures.withLock { left in
                    defer { left -= 1 }
                    return left > 0
                }
                if isFailing { throw ZooError(meaning: .failed, kind: "closed") }
                return 2
            }
        )
        let control = StageControl(StageState(stage: .candidateOnly))
        let settings = RouteSettings(capability: "zoo", failures: ZooError.reading, observer: observer, clock: clock)
        for unit in ["amara", "kenji", "lena"] {
            let session = UnitSession(unit: unit, control: control, bucketing: try Bucketing(salt: "zoo"))
            let port = Intercepted<Int>(source: router.route(for: session, settings: settings) { $0 })
            _ = try? await port.call(PortOperation("sum", .read) { $0 + $1 }, 1)
        }
        #expect(calls.entries.map(\.duration) == [nil, .zero, .zero])
        #expect(calls.entries.first?.outcome == .notOpened(kind: "closed"))
        #expect(openings.entries.map(\.isFailed) == [true, false], "once, however many wait for it")
        #expect(openings.entries.allSatisfy { $0.duration == .milliseconds(300) && $0.side == .candidate })
    }
}
