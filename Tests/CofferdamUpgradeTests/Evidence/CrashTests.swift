import Cofferdam
import Testing
import UpgradeTestSupport

@testable import CofferdamUpgrade

/// Checks what a crash during calls of the candidate counts against the candidate.
@Suite struct CrashTests {
    private func end(
        _ units: Int = 0,
        inShadow: Int = 0,
        named: Int = 0,
        calls: Int = 50,
        epoch: Int = 4
    ) -> InFlightFile.Crash {
        InFlightFile.Crash(
            calls: calls,
            units: units,
            shadowUnits: inShadow,
            namedCalls: named,
            epoch: epoch,
            noticed: 9
        )
    }

    private func recorder(at stage: Stage) -> EvidenceRecorder { EvidenceRecorder(StageState(stage: stage, epoch: 4)) }

    /// Records answers for that many units of the canary and of the others.
    private func answer(_ canary: Int, _ others: Int, at stage: Stage, _ recorder: EvidenceRecorder) {
        for unit in 0..<(canary + others) {
            recorder.called(
                RoutedCall(
                    capability: "a",
                    operation: "o",
                    stage: stage,
                    epoch: 4,
                    unit: "u\(unit)",
                    side: unit < canary ? .candidate : .legacy,
                    role: .first,
                    outcome: .answered,
                    duration: .zero
                )
            )
        }
    }

    @Test(
        arguments: [
            // Many calls of one unit are one failure; all calls without a unit are one together.
            (Stage.canary(share: 500), 1, 0, 1, 0), (.canary(share: 500), 0, 0, 1, 0),
            (.canary(share: 500), 14, 0, 14, 0), (.canary(share: 500), 3, 2, 3, 2), (.canary(share: 500), 0, 2, 0, 2),
            (.candidateOnly, 2, 0, 2, 0), (.candidateWithFallback, 2, 1, 2, 1),
            // If the candidate answers only by an operation's own stage, its failures count with the comparisons.
            (.shadow(sample: .all), 0, 2, 0, 2), (.shadow(sample: .all), 1, 2, 0, 3),
        ]
    )
    func `each unit whose calls were under way is a failure, where its calls belong`(
        stage: Stage,
        units: Int,
        inShadow: Int,
        failures: Int,
        compared: Int
    ) throws {
        let recorder = recorder(at: stage)
        recorder.recordCrash(end(units, inShadow: inShadow), id: "1")
        let metrics = recorder.reading(afterSeconds: 1).metrics
        #expect(metrics[.candidateFailures] == FailureCounts(failures, of: failures))
        #expect(metrics[.canaryFailures] == FailureCounts(failures, of: failures))
        #expect(metrics[.comparison] == FailureCounts(compared, of: compared))
        #expect(metrics[.pairedFailures] == FailureCounts(compared, of: compared))
        #expect(metrics[.activeUnits] == FailureCounts(min(1, failures), of: min(1, failures)))
    }

    @Test func `an app that ends by itself on both sides is no fault of one of them`() throws {
        let stage = Stage.canary(share: 500)
        let gate = try Readings.plan().gate(at: stage)
        var recorders = [recorder(at: stage), recorder(at: stage)]
        for (place, recorder) in recorders.enumerated() {
            answer(500, 9_500, at: stage, recorder)
            for crash in 0..<30 { recorder.recordCrash(end(1, calls: 1), id: "candidate \(crash)") }
            // The legacy side's units are nineteen times as many.
            for crash in 0..<(place == 0 ? 0 : 570) {
                var legacy = end(0, calls: 0)
                legacy.legacyUnits = 1
                recorder.recordCrash(legacy, id: "legacy \(crash)")
            }
        }
        let verdicts = recorders.map { gate.decide($0.reading(afterSeconds: 1)).verdict }
        #expect(verdicts[0] == .rollBack)
        #expect(verdicts[1] != .rollBack)
        let metrics = recorders.removeLast().reading(afterSeconds: 1).metrics
        #expect(metrics[.canaryFailures] == FailureCounts(30, of: 600))
        #expect(metrics[.activeUnits] == FailureCounts(500, of: 10_000))
    }

    @Test func `the more units it met, the more a crash weighs, against an unchanged share`() throws {
        let stage = Stage.canary(share: 500)
        let gate = try Readings.plan().gate(at: stage)
        var verdicts: [Bool] = []
        for units in 1...40 {
            let recorder = recorder(at: stage)
            answer(20, 380, at: stage, recorder)
            recorder.recordCrash(end(units), id: "1")
            let metrics = recorder.reading(afterSeconds: 1).metrics
            #expect(metrics[.activeUnits] == FailureCounts(20, of: 400))
            var reading = Readings.good(at: stage)
            for metric in [Metric.activeUnits, .canaryFailures] { reading.metrics[metric] = metrics[metric] }
            verdicts.append(gate.decide(reading).verdict == .rollBack)
        }
        // ln BF of (2, 0, .05) is 4.89, of (3, 0, .05) 7.60, of (4, 0, .05) 10.37; with 14 tests 7.75 is required.
        #expect(verdicts.firstIndex(of: true) == 3, "three users' crash does not roll back, four users' does")
        #expect(verdicts.dropFirst(3).allSatisfy { $0 })
    }

    @Test
    func `where every call of the candidate crashes, its units are still compared with the others`()
        throws
    {
        let stage = Stage.canary(share: 500)
        let gate = try Readings.plan().gate(at: stage)
        let recorder = recorder(at: stage)
        answer(0, 19, at: stage, recorder)
        var verdicts: [GateVerdict] = []
        for number in 1...4 {
            recorder.recordCrash(end(1), id: "\(number)")
            let metrics = recorder.reading(afterSeconds: 1).metrics
            #expect(metrics[.activeUnits] == FailureCounts(1, of: 20))
            var reading = Readings.good(at: stage)
            for metric in [Metric.activeUnits, .canaryFailures] { reading.metrics[metric] = metrics[metric] }
            verdicts.append(gate.decide(reading).verdict)
        }
        #expect(verdicts.map { $0 == .rollBack } == [false, false, false, true])
    }

    @Test(
        arguments: [
            // Calls of a named unit alone, then with those of others, and with calls without a unit.
            (0, 0, 3, 3, 0, 0), (2, 0, 1, 3, 2, 0), (2, 1, 1, 4, 2, 1), (0, 0, 1, 2, 1, 0),
        ]
    )
    func `named units' calls are one failure of their own, and not one of the others`(
        units: Int,
        inShadow: Int,
        named: Int,
        calls: Int,
        failures: Int,
        compared: Int
    ) throws {
        let recorder = recorder(at: .canary(share: 500))
        for _ in 0..<2 {
            recorder.recordCrash(end(units, inShadow: inShadow, named: named, calls: calls), id: "1")
        }
        let metrics = recorder.reading(afterSeconds: 1).metrics
        #expect(metrics[.candidateFailures] == FailureCounts(failures, of: failures))
        #expect(metrics[.canaryFailures] == FailureCounts(failures, of: failures))
        #expect(metrics[.comparison] == FailureCounts(compared, of: compared))
        #expect(metrics[.namedFailures] == FailureCounts(1, of: 1))
    }

    @Test func `a crash counts once, and one of another epoch not at all`() throws {
        let recorder = recorder(at: .candidateOnly)
        for _ in 0..<2 { recorder.recordCrash(end(2), id: "1") }
        recorder.recordCrash(end(1), id: "2")
        recorder.recordCrash(end(5, epoch: 3), id: "3")
        let failures = recorder.reading(afterSeconds: 1).metrics[.candidateFailures]
        #expect(failures == FailureCounts(3, of: 3))
    }

    #if SQLite
    @Test func `a crash that is saved and read again counts once, and not as an active unit`() async throws {
        try await UpgradeFolder.with { folder in
            let store = try folder.store()
            let stage = Stage.canary(share: 500)
            var state = UpgradeState(capability: "a", since: 0)
            (state.stage, state.epoch) = (stage, 4)
            for _ in 0..<2 {
                let recorder = recorder(at: stage)
                try await recorder.resume(from: store.log, at: state)
                answer(2, 8, at: stage, recorder)
                recorder.recordCrash(end(3), id: "1")
                try await recorder.merge(into: store.log, of: "a")
                let metrics = recorder.reading(afterSeconds: 1).metrics
                #expect(metrics[.canaryFailures] == FailureCounts(3, of: 3))
                #expect(metrics[.activeUnits] == FailureCounts(2, of: 10))
            }
        }
    }
    #endif
}
