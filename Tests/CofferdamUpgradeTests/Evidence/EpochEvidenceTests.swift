import CofferdamUpgrade
import Foundation
import Testing

@Suite struct EpochEvidenceTests {
    private static let key = EpochKey(stage: .shadow(sample: .all), expectations: ["D5": "digest"])
    private static let baseline = LegacyBaseline(
        failures: FailureCounts(3, of: 12_000),
        slow: FailureCounts(20, of: 12_000),
        slowNanoseconds: 1_500
    )

    @Test func `outcomes are sorted into k, n and what says nothing`() {
        var outcomes = OutcomeCounts()
        for (index, outcome) in ComparisonOutcome.allCases.enumerated() { outcomes[outcome] = 1 << index }
        func sum(_ wanted: ComparisonOutcome...) -> Int { wanted.reduce(0) { $0 + outcomes[$1] } }
        let against = sum(.mismatch, .candidateFailed, .timedOut(.candidate), .bothFailedUnlike)
        let sampled = (1 << ComparisonOutcome.allCases.count) - 1 - outcomes[.cancelled]
        #expect(outcomes.verdicts == FailureCounts(against, of: against + outcomes[.match]))
        #expect(outcomes.uncounted == FailureCounts(sampled - against - sum(.match, .expected), of: sampled))
        #expect(outcomes.noise == FailureCounts(outcomes[.noisy], of: against + outcomes[.match] + outcomes[.noisy]))
        let here = sum(.candidateFailed, .timedOut(.candidate))
        #expect(outcomes.pairedFailures == FailureCounts(here, of: here + sum(.legacyFailed, .timedOut(.legacy))))
    }

    @Test func `outcomes survive JSON, by their names`() throws {
        let outcomes = OutcomeCounts([.match: 4, .candidateTimedOut: 1])
        let json = try JSONEncoder().encode(outcomes)
        #expect(String(decoding: json, as: UTF8.self).contains("\"candidateTimedOut\":1"))
        #expect(try JSONDecoder().decode(OutcomeCounts.self, from: json) == outcomes)
    }

    @Test func `three failures of one user are one failure`() {
        var evidence = EpochEvidence(Self.key)
        for _ in 0..<3 { evidence.record(.candidateFailed, unit: "ada") }
        evidence.record(.match, unit: "bob")
        let metrics = evidence.reading(afterSeconds: 1).metrics
        #expect(metrics[.comparison] == FailureCounts(1, of: 2))
        #expect(metrics[.pairedFailures] == FailureCounts(1, of: 1))
    }

    @Test func `a cancelled call counts for nothing, and does not use up a unit's calls`() {
        var evidence = EpochEvidence(Self.key)
        evidence.record(.cancelled, unit: "ada")
        #expect(evidence.outcomes == OutcomeCounts())
        evidence.record(.mismatch, unit: "ada")
        #expect(evidence.outcomes == OutcomeCounts([.mismatch: 1]))
    }

    @Test func `an expected difference that nobody foresaw, or that has expired, is a mismatch`() {
        var evidence = EpochEvidence(Self.key)
        evidence.record(.expected, unit: "ada", expectation: "D5")
        evidence.record(.expected, unit: "bob", expectation: "D6")
        evidence.record(.expected, unit: "eve")
        let metrics = evidence.reading(afterSeconds: 1).metrics
        #expect(metrics[.expected("D5")] == FailureCounts(1, of: 3))
        #expect(metrics[.expected("D6")] == nil)
        #expect(metrics[.comparison] == FailureCounts(2, of: 2))
    }

    @Test func `what is foreseen and has not come is 0, and so written`() {
        #expect(EpochEvidence(Self.key).reading(afterSeconds: 0).metrics[.expected("D5")] == FailureCounts.none)
    }

    @Test func `a unit that was forgotten before it was counted is among the dropped`() {
        var evidence = EpochEvidence(Self.key, callsPerUnit: 2, capacity: 10)
        for unit in 0..<100 { evidence.record(.match, unit: "\(unit)") }
        #expect(evidence.outcomes[.dropped] >= 80)
        #expect(evidence.reading(afterSeconds: 1).metrics[.uncounted]?.failures == evidence.outcomes[.dropped])
    }

    @Test func `failures are counted on the side of the first choice, by units`() {
        var evidence = EpochEvidence(EpochKey(stage: .canary(share: 500)), baseline: Self.baseline)
        evidence.record(.failed, by: .candidate, unit: "ada", took: .nanoseconds(1_501))
        evidence.record(.succeeded, by: .candidate, unit: "bob", took: .nanoseconds(1_500))
        evidence.record(.failed, by: .legacy, unit: "eve")
        evidence.record(.succeeded, by: .legacy, unit: "joe")
        evidence.record(.succeeded, by: .legacy, unit: "kim", took: .seconds(9))
        let metrics = evidence.reading(afterSeconds: 1).metrics
        #expect(metrics[.candidateFailures] == FailureCounts(1, of: 2))
        #expect(metrics[.canaryFailures] == FailureCounts(1, of: 2))
        #expect(metrics[.activeUnits] == FailureCounts(2, of: 5))
        #expect(metrics[.slow] == FailureCounts(1, of: 2))
        #expect(metrics[.legacySlow] == Self.baseline.slow)
        #expect(metrics[.legacyFailures] == Self.baseline.failures)
    }

    @Test func `without a baseline nobody is slow, nor quick`() {
        var evidence = EpochEvidence(Self.key)
        evidence.record(.seconds(100), unit: "ada")
        #expect(evidence.reading(afterSeconds: 1).metrics[.slow] == nil)
    }

    @Test func `while it pauses nothing is counted, on either side`() {
        var evidence = EpochEvidence(Self.key, baseline: Self.baseline)
        let before = evidence.reading(afterSeconds: 1)
        evidence.isPaused = true
        evidence.record(.mismatch, unit: "a")
        evidence.record(.failed, by: .legacy, unit: "a")
        evidence.record(.failed, by: .candidate, unit: "a", took: .seconds(1))
        evidence.record(.seconds(1), unit: "a")
        #expect(evidence.reading(afterSeconds: 1) == before)
    }

    private static let changes: [EpochKey] = [
        EpochKey(stage: .shadow(sample: 5000), expectations: key.expectations),
        EpochKey(stage: .canary(share: 500), expectations: key.expectations),
        EpochKey(stage: key.stage, binary: "2", expectations: key.expectations),
        EpochKey(stage: key.stage, comparison: "2", expectations: key.expectations),
        EpochKey(stage: key.stage, expectations: ["D5": "other"]),
        EpochKey(stage: key.stage, expectations: key.expectations, margin: 0.002),
    ]

    @Test func `each key has a digest of its own, which is the same everywhere`() {
        // Computed by another programme.
        #expect(EpochKey(stage: .shadow(sample: .all), margin: 0.001).digest == "7cc11755882ed429")
        let key = EpochKey(
            stage: .canary(share: 500),
            binary: "2.0 é",
            comparison: "c1",
            expectations: ["D5": "x", "D12": "y"],
            margin: 0.001
        )
        #expect(key.digest == "3154423de6ceba0e")
        let shifted = [
            EpochKey(stage: .legacyOnly, binary: "ab"), EpochKey(stage: .legacyOnly, binary: "a", comparison: "b"),
            EpochKey(stage: .legacyOnly, comparison: "ab"), EpochKey(stage: .legacyOnly, expectations: ["a": "b"]),
            EpochKey(stage: .legacyOnly, expectations: ["ab": ""]),
            EpochKey(stage: .legacyOnly, binary: "a1:b"), EpochKey(stage: .legacyOnly, binary: "a", comparison: "1:b"),
        ]
        let keys = Self.changes + [Self.key, key] + shifted
        #expect(Set(keys.map(\.digest)).count == keys.count)
    }

    @Test(arguments: changes) func `each change starts a new epoch at 0, and carries nothing over`(to key: EpochKey) {
        var evidence = EpochEvidence(Self.key, baseline: Self.baseline)
        evidence.record(.mismatch, unit: "ada")
        evidence.record(.failed, by: .candidate, unit: "ada", took: .seconds(1))
        let before = evidence.reading(afterSeconds: 1)
        let isNewWithoutChange = evidence.startsAnew(under: Self.key)
        #expect(!isNewWithoutChange)
        #expect(evidence.reading(afterSeconds: 1) == before)
        let isNew = evidence.startsAnew(under: key)
        #expect(isNew)
        #expect(evidence.epoch == 2)
        let fresh = EpochEvidence(key, epoch: 2)
        #expect(evidence.reading(afterSeconds: 1) == fresh.reading(afterSeconds: 1))
        // The same unit counts again: it was forgotten with all else.
        evidence.record(.match, unit: "ada")
        #expect(evidence.outcomes == OutcomeCounts([.match: 1]))
    }

    @Test func `a new epoch does not close the breaker`() {
        var evidence = EpochEvidence(Self.key)
        evidence.isPaused = true
        evidence.startsAnew(under: Self.changes[0])
        evidence.record(.mismatch, unit: "ada")
        #expect(evidence.outcomes == OutcomeCounts())
    }

    @Test func `the baseline is frozen from 10,000 calls on, with the p99 by nearest rank`() throws {
        var recorder = BaselineRecorder()
        for call in 1...9_999 { recorder.record(.succeeded, took: .nanoseconds(call), unit: "\(call)") }
        #expect(recorder.frozen() == nil)
        recorder.record(.failed, took: .nanoseconds(10_000), unit: "ada")
        for _ in 0..<5 { recorder.record(.failed, took: .seconds(1), unit: "ada") }
        let baseline = try #require(recorder.frozen())
        #expect(baseline.slowNanoseconds == 9_905 + 9_905 / 2)
        #expect(baseline.slow == FailureCounts(5, of: 10_005))
        #expect(baseline.failures == FailureCounts(1, of: 10_000))
        #expect(baseline.isSlow(.nanoseconds(14_858)))
        #expect(!baseline.isSlow(.nanoseconds(14_857)))
        #expect(baseline.isSlow(.seconds(Int64.max)))
    }
}
