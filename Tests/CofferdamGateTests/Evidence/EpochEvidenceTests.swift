import Cofferdam
import Foundation
import Testing
import UpgradeTestSupport

@testable import CofferdamGate

@Suite struct EpochEvidenceTests {
    private static let key = EpochKey(stage: .shadow(sample: .all), expectations: ["D5": "digest"])
    private static let baseline = LegacyBaseline(
        units: FailureCounts(3, of: 12_000),
        operations: ["read": .init(units: FailureCounts(3, of: 12_000), slowNanoseconds: 1_500)],
        answers: ["notFound": 40]
    )
    private static let canary = EpochKey(stage: .canary(share: 500))

    private func settled(_ evidence: EpochEvidence) -> [Metric: FailureCounts] {
        var evidence = evidence
        evidence.settle(until: .seconds(3_600))
        return evidence.reading(afterSeconds: 1).metrics
    }

    @Test func `outcomes count in k, in n, or not at all`() {
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

    @Test func `three failures of one user are one failure, whichever call it was`() {
        var evidence = EpochEvidence(Self.key)
        evidence.record(.match, of: "read", unit: "ada", at: .zero)
        for _ in 0..<3 { evidence.record(.candidateFailed, of: "read", unit: "ada", at: .seconds(1)) }
        evidence.record(.match, of: "read", unit: "bob", at: .zero)
        let metrics = settled(evidence)
        #expect(metrics[.comparison] == FailureCounts(1, of: 2))
        #expect(metrics[.pairedFailures] == FailureCounts(1, of: 1))
    }

    @Test func `a failure counts at once, and a unit that does well when its window has ended`() {
        var evidence = EpochEvidence(Self.canary)
        evidence.record(.answered, by: .candidate, of: "read", unit: "ada", at: .zero)
        evidence.record(.failed, by: .candidate, of: "read", unit: "bob", at: .zero)
        let metrics = evidence.reading(afterSeconds: 1).metrics
        #expect(metrics[.candidateFailures] == FailureCounts(1, of: 1), "to promote")
        #expect(metrics[.candidateFailures.includingOpenWindows] == FailureCounts(1, of: 2), "to roll back")
        #expect(settled(evidence)[.candidateFailures] == FailureCounts(1, of: 2))
        #expect(settled(evidence)[.candidateFailures.includingOpenWindows] == FailureCounts(1, of: 2))
    }

    @Test func `each operation has a count of its own, and all together count a unit with its worst`() {
        var evidence = EpochEvidence(Self.canary)
        for unit in ["ada", "bob", "eve"] {
            evidence.record(.answered, by: .candidate, of: "read", unit: unit, at: .zero)
        }
        evidence.record(.failed, by: .candidate, of: "order", unit: "bob", at: .seconds(1))
        evidence.record(.answered, by: .candidate, of: "order", unit: "eve", at: .seconds(1))
        let metrics = settled(evidence)
        #expect(metrics[.candidateFailures] == FailureCounts(1, of: 3))
        #expect(metrics[.candidateFailures.of("read")] == FailureCounts(0, of: 3))
        #expect(metrics[.candidateFailures.of("order")] == FailureCounts(1, of: 2))
    }

    @Test func `beyond 63 operations the others count among all of them`() {
        var evidence = EpochEvidence(Self.canary)
        for number in 0..<100 {
            evidence.record(.failed, by: .candidate, of: "o\(number)", unit: "u\(number)", at: .zero)
        }
        let metrics = settled(evidence)
        #expect(metrics[.candidateFailures] == FailureCounts(100, of: 100))
        #expect(metrics.keys.filter { $0.whole == .candidateFailures && $0.operation != nil }.count == 63)
    }

    @Test func `a cancelled call counts for nothing, and begins no window`() {
        var evidence = EpochEvidence(Self.key)
        evidence.record(.cancelled, of: "read", unit: "ada", at: .zero)
        #expect(evidence.counts.outcomes == OutcomeCounts())
        evidence.record(.mismatch, of: "read", unit: "ada", at: .zero)
        #expect(evidence.counts.outcomes == OutcomeCounts([.mismatch: 1]))
    }

    @Test func `a caller that gives up after the slow limit is slow, and has given up`() {
        var evidence = EpochEvidence(Self.canary, baseline: Self.baseline)
        func cancel(_ unit: String, _ side: Side, after nanoseconds: Int) {
            evidence.record(
                .cancelled,
                by: side,
                of: "read",
                unit: unit,
                took: .nanoseconds(nanoseconds),
                at: .zero
            )
        }
        cancel("ada", .candidate, after: 1_501)
        cancel("bob", .candidate, after: 1_500)
        cancel("eve", .legacy, after: 2_000)
        let metrics = settled(evidence)
        #expect(metrics[.canaryGaveUp] == FailureCounts(1, of: 2))
        #expect(metrics[.canarySlow] == FailureCounts(1, of: 2))
        #expect(metrics[.candidateFailures] == FailureCounts(0, of: 1))
        #expect(metrics[.activeUnits] == FailureCounts(1, of: 2), "who went before the limit has changed his mind")
    }

    @Test func `answers are counted by their kinds, and are no failures`() {
        var evidence = EpochEvidence(Self.canary, baseline: Self.baseline)
        for number in 0..<9 {
            evidence.record(
                .answered,
                by: number < 3 ? .candidate : .legacy,
                of: "order",
                unit: "u\(number)",
                answer: number < 4 ? "authenticationRequired" : number == 4 ? "notFound" : nil,
                at: .zero
            )
        }
        let metrics = settled(evidence)
        #expect(metrics[.candidateFailures] == FailureCounts(0, of: 3))
        #expect(metrics[.canaryAnswers("authenticationRequired")] == FailureCounts(3, of: 4))
        #expect(metrics[.canaryAnswers("notFound")] == FailureCounts(0, of: 1))
        #expect(metrics[.candidateAnswers("authenticationRequired")] == FailureCounts(3, of: 3))
        #expect(metrics[.legacyAnswers("authenticationRequired")] == FailureCounts(0, of: 12_000))
        #expect(metrics[.legacyAnswers("notFound")] == FailureCounts(40, of: 12_000))
    }

    @Test func `surplus kinds of answers count as one, and no kind's name passes for several`() {
        var evidence = EpochEvidence(Self.canary)
        for number in 0..<40 {
            evidence.record(
                .answered,
                by: .candidate,
                of: "order",
                unit: "u\(number)",
                answer: "k/\(number)*",
                at: .zero
            )
        }
        let kinds = settled(evidence).filter { $0.key.belongs(to: .anyCanaryAnswer) }
        #expect(kinds.count == 20)
        #expect(kinds[.canaryAnswers("other")] == FailureCounts(21, of: 21))
        #expect(kinds[.canaryAnswers("k_0_")] == FailureCounts(1, of: 1))
    }

    @Test func `an expected difference that was not foreseen, or that has expired, is a mismatch`() {
        var evidence = EpochEvidence(Self.key)
        evidence.record(.expected, of: "read", unit: "ada", expectation: "D5", at: .zero)
        evidence.record(.expected, of: "read", unit: "bob", expectation: "D6", at: .zero)
        evidence.record(.expected, of: "read", unit: "eve", at: .zero)
        let metrics = settled(evidence)
        #expect(metrics[.expected("D5")] == FailureCounts(1, of: 3))
        #expect(metrics[.expected("D6")] == nil)
        #expect(metrics[.comparison] == FailureCounts(2, of: 3), "what was agreed counts as equal")
        #expect(metrics[.comparison.of("read")] == FailureCounts(2, of: 3))
    }

    @Test func `an expected difference that has not occurred is written as 0`() {
        #expect(settled(EpochEvidence(Self.key))[.expected("D5")] == FailureCounts.none)
        #expect(settled(EpochEvidence(Self.key, baseline: Self.baseline))[.comparison.of("read")] == FailureCounts.none)
    }

    @Test func `failures and slow calls are counted on the side of the first choice, by units`() {
        var evidence = EpochEvidence(Self.canary, baseline: Self.baseline)
        func call(_ ending: EpochEvidence.CallEnding, _ side: Side, _ unit: String, _ nanoseconds: Int?) {
            let duration = nanoseconds.map { Duration.nanoseconds($0) }
            evidence.record(ending, by: side, of: "read", unit: unit, took: duration, at: .zero)
        }
        call(.failed, .candidate, "ada", 1_501)
        call(.answered, .candidate, "bob", 1_500)
        call(.failed, .legacy, "eve", nil)
        call(.answered, .legacy, "joe", nil)
        call(.answered, .legacy, "kim", 9_000)
        let metrics = settled(evidence)
        #expect(metrics[.candidateFailures] == FailureCounts(1, of: 2))
        #expect(metrics[.canaryFailures] == FailureCounts(1, of: 2))
        #expect(metrics[.canaryFailures.of("read")] == FailureCounts(1, of: 2))
        #expect(metrics[.activeUnits] == FailureCounts(2, of: 5))
        #expect(metrics[.slow] == FailureCounts(1, of: 2))
        #expect(metrics[.canarySlow] == FailureCounts(1, of: 2))
        #expect(metrics[.legacyFailures] == Self.baseline.units)
    }

    @Test func `in the shadow the two sides' times are compared pair by pair`() {
        var evidence = EpochEvidence(Self.key, baseline: Self.baseline)
        let times: [(legacy: Int, candidate: Int)] = [(2_000, 100), (100, 2_000), (100, 2_000), (2_000, 2_000), (1, 1)]
        for (number, time) in times.enumerated() {
            evidence.record(
                .match,
                of: "read",
                unit: "u\(number)",
                durations: [.legacy: .nanoseconds(time.legacy), .candidate: .nanoseconds(time.candidate)],
                at: .zero
            )
        }
        #expect(settled(evidence)[.pairedSlow] == FailureCounts(2, of: 3))
    }

    @Test func `without a baseline it is unknown what is slow, so the gate waits for one`() throws {
        var evidence = EpochEvidence(Self.canary)
        evidence.record(.answered, by: .candidate, of: "read", unit: "ada", took: .seconds(100), at: .zero)
        let metrics = settled(evidence)
        for metric in [Metric.canarySlow, .canaryGaveUp, .pairedSlow, .slow, .gaveUp] {
            #expect(metrics[metric] == nil)
        }
        let reading = Readings.good(at: .canary(share: 500)) { $0.metrics[.canarySlow] = nil }
        let decision = try Readings.plan().gate(at: .canary(share: 500)).decide(reading)
        #expect(decision.verdict == .hold && decision.reasons.map(\.code) == [.missing])
    }

    @Test func `a mismatch still counts if the candidate fails for the same unit too`() {
        var evidence = EpochEvidence(Self.key)
        evidence.record(.mismatch, of: "read", unit: "ada", at: .zero)
        evidence.record(.candidateFailed, of: "read", unit: "ada", at: .zero)
        evidence.record(.candidateFailed, of: "read", unit: "bob", at: .zero)
        evidence.record(.match, of: "read", unit: "eve", at: .zero)
        #expect(settled(evidence)[.mismatches] == FailureCounts(1, of: 2))
        #expect(settled(evidence)[.comparison] == FailureCounts(2, of: 3))
    }

    @Test func `while it pauses nothing is counted, on either side`() {
        var evidence = EpochEvidence(Self.key, baseline: Self.baseline)
        let before = evidence.reading(afterSeconds: 1)
        evidence.isPaused = true
        evidence.record(.mismatch, of: "read", unit: "a", at: .zero)
        evidence.record(.failed, by: .legacy, of: "read", unit: "a", at: .zero)
        evidence.record(.failed, by: .candidate, of: "read", unit: "a", took: .seconds(1), at: .zero)
        #expect(evidence.reading(afterSeconds: 1) == before)
    }

    @Test func `openings are counted separately`() {
        var evidence = EpochEvidence(Self.canary)
        for number in 0..<5 { evidence.recordOpening(isFailed: number == 0) }
        #expect(settled(evidence)[.openings] == FailureCounts(1, of: 5))
    }

    private static let changes: [EpochKey] = [
        EpochKey(stage: .shadow(sample: 5000), expectations: key.expectations),
        EpochKey(stage: .canary(share: 500), expectations: key.expectations),
        EpochKey(stage: key.stage, binary: "2", expectations: key.expectations),
        EpochKey(stage: key.stage, comparison: "2", expectations: key.expectations),
        EpochKey(stage: key.stage, expectations: ["D5": "other"]),
        EpochKey(stage: key.stage, expectations: key.expectations, margin: 0.002),
        EpochKey(stage: key.stage, expectations: key.expectations, window: 60),
    ]

    @Test func `each key has a digest of its own, which is the same everywhere`() {
        // The digest was computed by another program.
        #expect(EpochKey(stage: .shadow(sample: .all), margin: 0.001).digest == "3c8f5ded5a3b772c")
        let key = EpochKey(
            stage: .canary(share: 500),
            binary: "2.0 é",
            comparison: "c1",
            expectations: ["D5": "x", "D12": "y"],
            margin: 0.001
        )
        #expect(key.digest == "64fad5db8365324f")
        let shifted = [
            EpochKey(stage: .legacyOnly, binary: "ab"), EpochKey(stage: .legacyOnly, binary: "a", comparison: "b"),
            EpochKey(stage: .legacyOnly, comparison: "ab"), EpochKey(stage: .legacyOnly, expectations: ["a": "b"]),
            EpochKey(stage: .legacyOnly, expectations: ["ab": ""]),
            EpochKey(stage: .legacyOnly, binary: "a1:b"), EpochKey(stage: .legacyOnly, binary: "a", comparison: "1:b"),
        ]
        let keys = Self.changes + [Self.key, key] + shifted
        #expect(Set(keys.map(\.digest)).count == keys.count)
    }

    // MARK: The legacy side

    @Test func `a call is slow from 1_5 times the p99 on, by nearest rank, and not within the margin`() throws {
        var durations = ["read": LatencyHistogram()]
        for call in 1...9_999 { durations["read"]?.record(Int64(call % 2_000) * 1_000) }
        #expect(durations.slowLimits(margin: .zero, minimum: 10_000) == nil)
        durations["rare", default: LatencyHistogram()].record(1_000)
        let limits = try #require(durations.slowLimits(margin: .zero, minimum: 10_000))
        let wide = try #require(durations.slowLimits(margin: .milliseconds(5), minimum: 10_000))
        // 5 times 0 to 1,999, but for one 0; the 9,900th of them is 1,980.
        let p99 = LatencyHistogram.rounded(1_980_000)
        #expect(p99 < 1_980_000 * 17 / 16)
        #expect(limits["read"] == .nanoseconds(p99 + p99 / 2))
        #expect(wide["read"] == .nanoseconds(p99 + 5_000_000))
        #expect(limits["rare"] == limits["read"], "too few calls for a p99 of its own")
    }
}
