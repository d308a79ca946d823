import Cofferdam
import CofferdamTesting
import Testing
import TestSupport
import UpgradeTestSupport

@testable import CofferdamUpgrade

@Suite struct EvidenceRecorderTests {
    private let control = StageControl()
    private let clock = TestClock()
    private let shadowQueue = ShadowQueue(capacity: 1000)

    /// A zoo for each unit, on two sides with shared data.
    private func zoo(_ unit: String?, _ sides: Sides, _ recorder: EvidenceRecorder) throws -> any Zoo {
        let session = UnitSession(unit: unit, control: control, bucketing: try Bucketing(salt: "zoo"))
        let router = Router<any Zoo>(legacy: { sides.legacy }, candidate: { sides.candidate })
        let settings = RouteSettings(
            capability: "zoo",
            failures: ZooError.reading,
            shadowQueue: shadowQueue,
            observer: recorder,
            clock: TestClock()
        )
        return Intercepted<any Zoo>(source: router.route(for: session, settings: settings) { $0 })
    }

    private struct Sides {
        let legacy = ScriptedZoo("legacy", log: Log())
        let candidate = ScriptedZoo("candidate", log: Log())
    }

    @Test func `a unit counts once, however often it calls, with its worst outcome`() async throws {
        let (recorder, sides) = (EvidenceRecorder(clock: clock), Sides())
        try control.move(to: .shadow(sample: .all))
        for unit in ["amara", "kenji", "lena"] {
            sides.candidate.respond { Animal(id: $0, name: unit == "kenji" ? "wrong" : "animal \($0)") }
            let zoo = try zoo(unit, sides, recorder)
            for id in 0..<20 { _ = try await zoo.animal(id) }
            await shadowQueue.drained()
        }
        #expect(recorder.reading(afterSeconds: 1).metrics[.comparison] == FailureCounts(1, of: 1))
        clock.advance(by: .seconds(600))
        #expect(recorder.reading(afterSeconds: 1).metrics[.comparison] == FailureCounts(1, of: 3))
    }

    @Test func `a caller that gives up on the legacy side counts once it is known what is slow`() throws {
        let recorder = EvidenceRecorder(minimumBaselineCalls: 500, clock: clock)
        func call(_ number: Int, _ outcome: RoutedCall.Outcome, _ milliseconds: Int) {
            recorder.called(
                RoutedCall(
                    capability: "zoo",
                    operation: "animal",
                    effect: .read,
                    stage: .legacyOnly,
                    epoch: 0,
                    unit: "unit \(number)",
                    side: .legacy,
                    role: .first,
                    outcome: outcome,
                    duration: .milliseconds(milliseconds)
                )
            )
        }
        call(0, .cancelled, 900)
        for number in 1...500 { call(number, .answered, 20) }
        call(501, .cancelled, 900)
        // A user who cancels does not count as having given up.
        call(502, .cancelled, 10)
        let baseline = try #require(recorder.baseline)
        #expect(baseline.gaveUp == 1)
        #expect(baseline.units == FailureCounts(0, of: 501))
        #expect(baseline.slowLimit(of: "animal") == .nanoseconds(LatencyHistogram.rounded(20_000_000) * 3 / 2))
        #expect(baseline.metrics[.legacyGaveUp] == FailureCounts(1, of: 501))
    }

    @Test(arguments: [(5, 0), (6, 1)]) func `a user who waits long for a side to open has met a slow call`(
        seconds: Int,
        slow: Int
    ) async throws {
        let recorder = EvidenceRecorder(clock: clock)
        let units = FailureCounts(0, of: 500)
        var state = UpgradeState(capability: "zoo", since: 1)
        (state.stage, state.epoch) = (.candidateOnly, 1)
        state.baseline = LegacyBaseline(
            units: units,
            operations: ["animal": .init(units: units, slowNanoseconds: 1_000_000_000)]
        )
        recorder.follow(state)
        control.follow(StageState(stage: .candidateOnly, epoch: 1))
        let sides = Sides()
        let router = Router<any Zoo>(
            clock: clock,
            legacy: { sides.legacy },
            candidate: { [clock] in
                try await clock.sleep(for: .seconds(seconds))
                return sides.candidate
            }
        )
        let settings = RouteSettings(
            capability: "zoo",
            failures: ZooError.reading,
            shadowQueue: shadowQueue,
            observer: recorder,
            clock: clock
        )
        let session = UnitSession(unit: "amara", control: control, bucketing: try Bucketing(salt: "zoo"))
        let zoo: any Zoo = Intercepted<any Zoo>(source: router.route(for: session, settings: settings) { $0 })
        async let animal = zoo.animal(1)
        await clock.waitForSleeper(until: .seconds(seconds))
        clock.advance(by: .seconds(seconds))
        _ = try await animal
        #expect(recorder.reading(afterSeconds: 1).metrics[.slow] == FailureCounts(slow, of: 1))
    }

    @Test func `a unit whose session has ended is counted without waiting for its window`() async throws {
        let (recorder, sides) = (EvidenceRecorder(clock: clock), Sides())
        try control.move(to: .shadow(sample: .all))
        for unit in ["amara", "kenji"] {
            _ = try await zoo(unit, sides, recorder).animal(1)
            await shadowQueue.drained()
        }
        recorder.sessionEnded(of: "amara")
        #expect(recorder.reading(afterSeconds: 1).metrics[.comparison] == FailureCounts(0, of: 1))
    }

    @Test func `a unit's first read works, and a later operation fails: each is judged by itself`() async throws {
        let recorder = EvidenceRecorder(clock: clock)
        let upgrade = try ZooUpgrade(.legacyOnly, observer: recorder)
        try upgrade.control.move(to: .candidateWithFallback)
        upgrade.session.cutOver()
        try await upgrade.call(.read)
        upgrade.candidate.fail(.failed)
        await #expect(throws: (any Error).self) { try await upgrade.call(.write) }
        let metrics = recorder.reading(afterSeconds: 1).metrics
        #expect(metrics[.candidateFailures] == FailureCounts(1, of: 1))
        #expect(metrics[.candidateFailures.of("rename")] == FailureCounts(1, of: 1))
        #expect(metrics[Metric.candidateFailures.of("animal").includingOpenWindows] == FailureCounts(0, of: 1))
    }

    @Test func `calls without a unit are not counted`() async throws {
        let (recorder, sides) = (EvidenceRecorder(), Sides())
        try control.move(to: .candidateWithFallback)
        sides.candidate.fail(.failed)
        _ = try await zoo(nil, sides, recorder).animal(1)
        #expect(recorder.reading(afterSeconds: 1).metrics[.candidateFailures] == FailureCounts(0, of: 0))
    }

    @Test func `each epoch begins at 0, and what ends late counts in none`() async throws {
        let (recorder, sides) = (EvidenceRecorder(), Sides())
        try control.move(to: .shadow(sample: .all))
        let held = TestGate()
        defer { held.open() }
        sides.candidate.respond { id in
            await held.pass()
            return Animal(id: id, name: "wrong")
        }
        _ = try await zoo("amara", sides, recorder).animal(1)
        try control.move(to: .shadow(sample: 5000))
        sides.candidate.respond { Animal(id: $0, name: "animal \($0)") }
        for unit in 0..<20 { _ = try await zoo("unit \(unit)", sides, recorder).animal(1) }
        held.open()
        await shadowQueue.drained()
        let counts = try #require(recorder.reading(afterSeconds: 1).metrics[Metric.comparison.includingOpenWindows])
        #expect(counts.failures == 0)
        #expect((1..<20).contains(counts.total))
        #expect(recorder.reading(afterSeconds: 1).epoch == control.state.epoch)
    }

    @Test func `the new side is compared with what was watched of the old one before`() async throws {
        let (recorder, sides) = (EvidenceRecorder(), Sides())
        for unit in 0..<LatencyHistogram.minimumCalls {
            if unit == 7 { sides.legacy.fail(.failed) } else { sides.legacy.respond { Animal(id: $0, name: "") } }
            _ = try? await zoo("unit \(unit)", sides, recorder).animal(1)
        }
        #expect(recorder.reading(afterSeconds: 1).metrics[.legacyFailures] == nil)
        #expect(recorder.baseline?.operations["animal"]?.isRead == true)
        try control.move(to: .candidateWithFallback)
        _ = try await zoo("unit", sides, recorder).animal(1)
        #expect(recorder.reading(afterSeconds: 1).metrics[.legacyFailures] == FailureCounts(1, of: 10_000))
    }

    @Test func `in the canary each side's first choices count on their side, and a fallback on none`() async throws {
        let (recorder, sides) = (EvidenceRecorder(), Sides())
        try control.move(to: .canary(share: 5000))
        sides.candidate.fail(.failed)
        for unit in 0..<50 { _ = try await zoo("unit \(unit)", sides, recorder).animal(1) }
        await shadowQueue.drained()
        let metrics = recorder.reading(afterSeconds: 1).metrics
        let active = try #require(metrics[.activeUnits])
        #expect(active.total == 50)
        #expect((10...40).contains(active.failures))
        #expect(metrics[.canaryFailures] == FailureCounts(active.failures, of: active.failures))
    }

    /// With each stage, whether a session of before counts there.
    @Test(arguments: [
        (Stage.canary(share: 5000), false), (.canary(share: .all), true), (.candidateWithFallback, true),
    ])
    func `both sides of a canary count a unit from the session on that chose its side there`(
        _ stage: Stage,
        _ counts: Bool
    ) async throws {
        let recorder = EvidenceRecorder(StageState(stage: stage))
        for (unit, side) in [Side.legacy, .candidate].enumerated() {
            for hasEntered in [false, true] {
                recorder.called(
                    RoutedCall(
                        capability: "zoo",
                        operation: "animal",
                        stage: stage,
                        epoch: 1,
                        unit: "unit \(unit), \(hasEntered)",
                        hasEntered: hasEntered,
                        side: side,
                        role: .first,
                        outcome: .answered,
                        duration: .zero
                    )
                )
            }
        }
        #expect(
            recorder.reading(afterSeconds: 1).metrics[.activeUnits] == FailureCounts(counts ? 2 : 1, of: counts ? 4 : 2)
        )
    }

    @Test func `an upgrade that was removed and begun again inherits nothing`() async throws {
        let ledger = MemoryLedger()
        for (beginning, known) in [("first", 0), ("first", 20), ("second", 0), (nil, 0)] {
            var state = UpgradeState(capability: "zoo", since: 1)
            (state.stage, state.epoch, state.beginning) = (.candidateWithFallback, 3, beginning)
            let recorder = EvidenceRecorder()
            try await recorder.resume(from: ledger, at: state)
            #expect(recorder.reading(afterSeconds: 1).metrics[.activeUnits]?.total ?? 0 == known)
            for unit in 0..<20 {
                recorder.called(
                    RoutedCall(
                        capability: "zoo",
                        operation: "animal",
                        stage: state.stage,
                        epoch: state.epoch,
                        unit: "unit \(unit)",
                        side: .candidate,
                        role: .first,
                        outcome: .answered,
                        duration: .zero
                    )
                )
            }
            try await recorder.merge(into: ledger, of: "zoo")
            #expect(recorder.reading(afterSeconds: 1).metrics[.activeUnits]?.total == 20)
        }
    }

    @Test func `sign-in is judged by the session, but sessions do not outnumber units`() async throws {
        let recorder = EvidenceRecorder(StageState(stage: .candidateOnly))
        for number in 0..<10 {
            let upgrade = try ZooUpgrade(.candidateOnly, unit: nil, observer: recorder)
            if number < 3 { upgrade.candidate.fail(.failed) }
            for _ in 0..<3 { try? await upgrade.call(.read) }
        }
        let metrics = recorder.reading(afterSeconds: 1).metrics
        let failures = Metric.candidateFailures.includingOpenWindows
        #expect(metrics[failures.of("animal")] == FailureCounts(3, of: 10))
        #expect(metrics[failures] == FailureCounts.none)
        #expect(metrics[.activeUnits] == FailureCounts.none)
    }

    @Test func `a session without a unit is on the legacy side of a canary, and counts on neither`() async throws {
        let stage = Stage.canary(share: 2000)
        let recorder = EvidenceRecorder(StageState(stage: stage))
        try await ZooUpgrade(stage, unit: nil, observer: recorder).call(.read)
        #expect(recorder.reading(afterSeconds: 1).metrics[.activeUnits.of("animal")] == nil)
    }

    @Test func `an operation that an override gives to the candidate counts for the alarm alone`() async throws {
        let recorder = EvidenceRecorder(StageState(stage: .shadow(sample: 1)))
        for number in 0..<9 {
            let upgrade = try ZooUpgrade(.shadow(sample: 1), unit: "unit \(number)", observer: recorder)
            upgrade.control.begin(hour: 100)
            // Another epoch than that of the recorder would not count.
            upgrade.control.override("animal", with: .candidateOnly)
            upgrade.candidate.fail(.failed)
            await #expect(throws: ZooError.self) { try await upgrade.call(.read) }
        }
        let reading = recorder.reading(afterSeconds: 1)
        #expect(reading.metrics[Metric.candidateFailures.includingOpenWindows] == FailureCounts.none)
        #expect(reading.hours?.map(\.hour) == [100])
        #expect(reading.hours?.first?.metrics[.newly(.failed, on: .candidate)] == FailureCounts(9, of: 9))
        let gate = try UpgradePlan([.legacyOnly, .shadow(sample: 1), .candidateOnly]).gate(at: reading.stage)
        #expect(gate.decide(reading).reasons.map(\.code).contains(.alarm))
    }

    @Test func `what fails on both sides is no failure of the candidate's, but too much of it holds`() async throws {
        let recorder = EvidenceRecorder(StageState(stage: .candidateWithFallback))
        for number in 0..<20 {
            let upgrade = try ZooUpgrade(.candidateWithFallback, unit: "unit \(number)", observer: recorder)
            if number < 5 { upgrade.candidate.fail(.failed) }
            if number < 3 { upgrade.legacy.fail(.failed) }
            try? await upgrade.call(.read)
        }
        let reading = recorder.reading(afterSeconds: 1)
        let failures = Metric.candidateFailures.includingOpenWindows
        #expect(reading.metrics[failures] == FailureCounts(2, of: 17))
        #expect(reading.metrics[failures.of("animal")] == FailureCounts(2, of: 17))
        #expect(reading.metrics[.failedOnBoth] == FailureCounts(3, of: 20))
        let gate = try UpgradePlan([.legacyOnly, .candidateWithFallback, .candidateOnly]).gate(at: reading.stage)
        let held = gate.decide(reading).reasons.filter { $0.code == .aboveCeiling }
        #expect(held.map(\.metric) == [.failedOnBoth])
    }

    /// With a slow limit and without one.
    @Test(arguments: [true, false]) func `a call that hangs counts while its caller still waits`(
        _ hasBaseline: Bool
    ) async throws {
        let (clock, gate) = (TestClock(), TestGate())
        let recorder = EvidenceRecorder(StageState(stage: .candidateOnly), clock: clock)
        if hasBaseline {
            var stored = UpgradeState(capability: "zoo", since: 0)
            (stored.stage, stored.epoch) = (.candidateOnly, 0)
            stored.baseline = LegacyBaseline(
                units: FailureCounts(0, of: 10_000),
                operations: [
                    "animal": .init(units: FailureCounts(0, of: 10_000), isRead: true, slowNanoseconds: 1_000_000_000)
                ]
            )
            recorder.follow(stored)
        }
        let upgrade = try ZooUpgrade(.candidateOnly, observer: recorder)
        upgrade.candidate.respond { id in
            await gate.pass()
            return Animal(id: id, name: "")
        }
        func metric(_ metric: Metric) -> FailureCounts? { recorder.reading(afterSeconds: 1).metrics[metric] }
        let failures = Metric.candidateFailures.includingOpenWindows
        let call = Task { try await upgrade.call(.read) }
        await until { gate.arrivals == 1 }
        #expect(metric(failures) == FailureCounts.none)
        clock.advance(by: .seconds(2))
        #expect(metric(.slow) == (hasBaseline ? FailureCounts(1, of: 1) : nil))
        clock.advance(by: .seconds(601))
        #expect(metric(failures) == FailureCounts(1, of: 1))
        gate.open()
        try await call.value
        #expect(metric(failures) == FailureCounts(1, of: 1))
    }

    @Test func `an expected difference counts as expected`() async throws {
        let recorder = EvidenceRecorder { EpochKey(stage: $0, expectations: ["X1": "digest"]) }
        try control.move(to: .shadow(sample: .all))
        recorder.compared(
            ShadowComparison(
                capability: "zoo",
                operation: "animal",
                stage: .shadow(sample: .all),
                epoch: control.state.epoch,
                unit: "amara",
                outcome: .expected,
                differences: [],
                expectation: "X1",
                durations: [:]
            )
        )
        #expect(recorder.reading(afterSeconds: 1).metrics[.expected("X1")] == FailureCounts(1, of: 1))
        #expect(recorder.reading(afterSeconds: 1).metrics[.comparison] == FailureCounts(0, of: 0))
    }

    private func expectation(_ id: String, expires: Int64?) -> AgreedDifference {
        let change = ExpectedDifference.Change(
            from: "\(Animal(id: 1, name: "old"))",
            to: ["\(Animal(id: 1, name: "new"))"]
        )
        return AgreedDifference(
            ExpectedDifference(id: id, path: "value", reason: "decided", changes: [change]),
            rate: 0.5,
            expires: expires
        )
    }

    @Test func `when an expectation expires all is counted from 0, and what it covered is a mismatch`() async throws {
        let now = Mutex<Int64>(99)
        let expectations = Expectations([expectation("X1", expires: 100)]) { now.withLock { $0 } }
        let recorder = EvidenceRecorder(expectations: expectations)
        let upgrade = try ZooUpgrade(.legacyOnly, expectations: expectations, observer: recorder)
        upgrade.legacy.respond { Animal(id: $0, name: "old") }
        upgrade.candidate.respond { Animal(id: $0, name: "new") }
        try upgrade.control.move(to: .shadow(sample: .all))
        func look() async throws -> [Metric: FailureCounts] {
            _ = try await upgrade.zoo.animal(1)
            await upgrade.shadowQueue.drained()
            return recorder.reading(afterSeconds: 1).metrics
        }
        let before = try await look()
        #expect(before[.expected("X1")] == FailureCounts(1, of: 1))
        #expect(before[.comparison] == FailureCounts(0, of: 0))
        var state = UpgradeState(capability: "zoo", since: 40)
        (state.stage, state.epoch) = (.shadow(sample: .all), upgrade.control.state.epoch)
        let (foreseen, keyBefore) = Self.snapshot(recorder, of: state, at: 99_500)
        #expect(foreseen.reading == recorder.reading(afterSeconds: 59))
        #expect(foreseen.outcomes == OutcomeCounts([.expected: 1]))
        #expect((foreseen.capability, foreseen.at) == ("zoo", 99_500))
        #expect(Set(keyBefore.expectations.keys) == ["X1"])
        now.withLock { $0 = 100 }
        let (expired, keyAfter) = Self.snapshot(recorder, of: state, at: 100_000)
        #expect(expired.outcomes == OutcomeCounts() && keyAfter.expectations == [:])
        #expect(recorder.reading(afterSeconds: 1).metrics[.expected("X1")] == FailureCounts(0, of: 0))
        let after = try await look()
        #expect(after[.expected("X1")] == FailureCounts(0, of: 1))
        #expect(after[.comparison] == FailureCounts(1, of: 1))
        #expect(recorder.reading(afterSeconds: 1).epoch == upgrade.control.state.epoch)
        #expect(recorder.samples.fields.map(\.outcome) == [.mismatch])
    }

    @Test func `while the candidate's breaker is open nothing is counted, on either side, and the reading says so`()
        async throws
    {
        let breakers = try Breakers(.defaults { ($0.window, $0.minimumCalls) = (4, 4) }, clock: clock)
        let recorder = EvidenceRecorder(breakers: breakers)
        try control.move(to: .canary(share: 5000))
        let sides = Sides()
        for unit in 0..<20 { _ = try await zoo("unit \(unit)", sides, recorder).animal(1) }
        await shadowQueue.drained()
        let before = recorder.reading(afterSeconds: 1)
        #expect(before.breaker == BreakerHistory())
        #expect(before.metrics[.activeUnits]?.total == 20)
        breakers[.candidate, "feed"].open()
        for unit in 20..<40 { _ = try await zoo("unit \(unit)", sides, recorder).animal(1) }
        await shadowQueue.drained()
        var open = before
        open.breaker = BreakerHistory(openings: 1, isOpen: true)
        #expect(recorder.reading(afterSeconds: 1) == open)
        clock.advance(by: .seconds(60))
        breakers[.candidate, "feed"].close()
        _ = try await zoo("unit 50", sides, recorder).animal(1)
        #expect(recorder.reading(afterSeconds: 1).metrics[.activeUnits]?.total == 21)
        try control.move(to: .canary(share: 6000))
        _ = try await zoo("unit 50", sides, recorder).animal(1)
        #expect(recorder.reading(afterSeconds: 1).breaker == BreakerHistory())
    }

    private static func snapshot(
        _ recorder: EvidenceRecorder,
        of state: UpgradeState,
        at now: Int64
    ) -> (EvidenceSnapshot, EpochKey) {
        let counted = recorder.counted(of: state, at: now)
        return (counted.snapshot, counted.key)
    }

    @Test func `the first reading of an epoch shows nothing of what the breaker did in the previous one`() throws {
        let breakers = try Breakers(clock: clock)
        let recorder = EvidenceRecorder(breakers: breakers)
        breakers[.candidate, "animal"].open()
        clock.advance(by: .seconds(60))
        breakers[.candidate, "animal"].close()
        #expect(recorder.reading(afterSeconds: 1).breaker == BreakerHistory(openings: 1, longestSeconds: 60))
        var next = UpgradeState(capability: "zoo", since: 0)
        (next.stage, next.epoch) = (.shadow(sample: .all), 1)
        let (first, _) = Self.snapshot(recorder, of: next, at: 1_000)
        #expect(first.reading.epoch == 1)
        #expect(first.reading.breaker == BreakerHistory())
    }

    @Test func `breakers and durations that could not be saved are taken again, and none is taken twice`() async throws
    {
        let breakers = try Breakers(clock: clock)
        let recorder = EvidenceRecorder(breakers: breakers)
        recorder.keep()
        func call(_ duration: Duration) {
            recorder.called(
                RoutedCall(
                    capability: "zoo",
                    operation: "animal",
                    stage: .legacyOnly,
                    epoch: 0,
                    unit: "ada",
                    side: .legacy,
                    role: .first,
                    outcome: .answered,
                    duration: duration
                )
            )
        }
        func calls(_ rows: EvidenceRows?) -> Int {
            rows?.latencies[.legacy]?["animal"]?.count ?? 0
        }
        let (lost, ledger) = (CountingLedger(HeldLedger()), CountingLedger(MemoryLedger()))
        call(.milliseconds(1))
        breakers[.legacy, "animal"].open()
        await #expect(throws: UpgradeStoreError.self) { try await recorder.merge(into: lost, of: "zoo") }
        #expect(lost.batches.last?.breakers.map(\.progress) == [.open] && calls(lost.batches.last) == 1)
        call(.milliseconds(1))
        try await recorder.merge(into: ledger, of: "zoo")
        #expect(ledger.batches.last?.breakers == lost.batches.last?.breakers && calls(ledger.batches.last) == 2)
        call(.milliseconds(1))
        try await recorder.merge(into: ledger, of: "zoo")
        #expect(ledger.batches.last?.breakers == [] && calls(ledger.batches.last) == 1)
        clock.advance(by: .seconds(60))
        breakers[.legacy, "animal"].close()
        try await recorder.merge(into: ledger, of: "zoo")
        #expect(ledger.batches.last?.breakers.map(\.progress) == [.over])
    }

    @Test func `a call that the breaker refused counts on neither side`() async throws {
        let recorder = EvidenceRecorder()
        let settings = BreakerSettings.defaults { ($0.window, $0.minimumCalls) = (1, 1) }
        let upgrade = try ZooUpgrade(.legacyOnly, breakers: settings, observer: recorder)
        try upgrade.control.move(to: .candidateWithFallback)
        upgrade.session.cutOver()
        upgrade.breakers?[.candidate, "animal"].open()
        try await upgrade.call(.read)
        #expect(upgrade.sides == ["legacy"])
        #expect(recorder.reading(afterSeconds: 1).metrics[.candidateFailures] == FailureCounts(0, of: 0))
        #expect(recorder.reading(afterSeconds: 1).metrics[.activeUnits] == FailureCounts(0, of: 0))
    }
}
