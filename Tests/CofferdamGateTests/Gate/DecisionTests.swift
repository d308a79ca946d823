import Cofferdam
import CofferdamGate
import Foundation
import Testing
import UpgradeTestSupport

@Suite struct DecisionTests {
    private static let gated = Readings.stages.dropFirst().dropLast()

    private func decision(_ reading: GateReading, _ change: (inout GateSettings) -> Void = { _ in }) throws -> Decision
    {
        let decision = try Readings.plan(change).gate(at: reading.stage).decide(reading)
        try expectRecomputable(decision)
        return decision
    }

    /// Encodes every decision of these tests as JSON, and recomputes it from the decoded one.
    private func expectRecomputable(_ decision: Decision) throws {
        let json = try JSONEncoder().encode(decision)
        let read = try JSONDecoder().decode(Decision.self, from: json)
        #expect(read == decision)
        #expect(read.recomputed() == decision)
        #expect(read.contradictions() == [])
        #expect(!decision.reasons.isEmpty)
    }

    @Test(arguments: gated) func `a good candidate is promoted at each stage`(stage: Stage) throws {
        let decision = try decision(Readings.good(at: stage))
        #expect(decision.verdict == .promote, "\(decision.explanation)")
        #expect(decision.reasons.map(\.code) == [.allReached])
    }

    @Test(arguments: [Stage.legacyOnly, .candidateOnly])
    func `no gate promotes from the ends of the plan`(stage: Stage) throws {
        let decision = try decision(Readings.good(at: stage))
        #expect(decision.verdict == .hold)
        #expect(decision.reasons.map(\.code) == [.noPromotion])
    }

    private static let rollbacks: [(Stage, Metric, FailureCounts)] = [
        (.shadow(sample: .all), .mismatches.includingOpenWindows, FailureCounts(5, of: 20)),
        (.shadow(sample: .all), .pairedFailures, FailureCounts(30, of: 30)),
        (.canary(share: 500), .canaryFailures, FailureCounts(40, of: 40)),
        (.canary(share: 500), .canarySlow, FailureCounts(500, of: 600)),
        (.canary(share: 500), .canaryGaveUp, FailureCounts(40, of: 40)),
        (.canary(share: 500), .canaryAnswers("forbidden"), FailureCounts(40, of: 40)),
        (.canary(share: 500), .canaryAnswers("notFound"), FailureCounts(0, of: 400)),
        (.canary(share: .all), .candidateFailures.includingOpenWindows, FailureCounts(20, of: 1_000)),
        (.candidateWithFallback, .candidateFailures.includingOpenWindows, FailureCounts(20, of: 1_000)),
        (.candidateWithFallback, .candidateAnswers("forbidden"), FailureCounts(20, of: 1_000)),
        (.candidateShadowed(sample: 1000), .mismatches.includingOpenWindows, FailureCounts(5, of: 20)),
        (.candidateShadowed(sample: 1000), .pairedFailures, FailureCounts(30, of: 30)),
        (.candidateShadowed(sample: 1000), .candidateFailures.includingOpenWindows, FailureCounts(20, of: 1_000)),
        (.candidateShadowed(sample: 1000), .candidateAnswers("forbidden"), FailureCounts(20, of: 1_000)),
        (.candidateOnly, .candidateFailures.includingOpenWindows, FailureCounts(20, of: 1_000)),
    ]

    /// Stages without a separate arm: how many of the legacy side's 10,000 units gave up, and how many of 20,000 units
    /// do so now.
    @Test(
        arguments: [Stage.candidateWithFallback, .candidateShadowed(sample: 1000), .candidateOnly],
        [(0, 200, true), (0, 2, false), (100, 200, false), (100, 900, true), (nil, 900, false)] as [(Int?, Int, Bool)]
    )
    func `giving up is compared with the legacy side's callers`(
        stage: Stage,
        case counted: (before: Int?, now: Int, goesBack: Bool)
    ) throws {
        let operation = LegacyBaseline.Operation(units: FailureCounts(0, of: 10_000), slowNanoseconds: 1)
        var baseline = LegacyBaseline(units: FailureCounts(0, of: 10_000), operations: ["list": operation])
        baseline.gaveUp = counted.before
        let reading = Readings.good(at: stage) { reading in
            baseline.add(to: &reading.metrics)
            reading.metrics[.gaveUp] = FailureCounts(counted.now, of: 20_000)
            for metric in [Metric.comparison, .mismatches, .candidateFailures] {
                reading.metrics[metric.of("list")] = FailureCounts(0, of: 20_000)
                reading.metrics[metric.of("list").includingOpenWindows] = FailureCounts(0, of: 20_000)
            }
        }
        let decision = try Readings.plan().attempt(1, against: baseline).gate(at: stage).decide(reading)
        #expect((decision.verdict == .rollBack) == counted.goesBack, "\(decision.explanation)")
        if counted.goesBack { #expect(decision.reasons.map(\.metric) == [.gaveUp]) }
        try expectRecomputable(decision)
    }

    @Test func `the horizon counts compared units, not all units on the candidate`() throws {
        let stage = Stage.candidateShadowed(sample: 1000)
        let decision = try decision(
            Readings.good(at: stage) {
                $0.metrics[.comparison] = FailureCounts(0, of: 6_000)
                $0.metrics[.candidateFailures] = FailureCounts(0, of: 60_000)
                $0.metrics[.candidateFailures.includingOpenWindows] = FailureCounts(0, of: 60_000)
            }
        )
        #expect(decision.verdict == .hold, "\(decision.explanation)")
    }

    @Test(arguments: rollbacks)
    func `one rollback test is enough, and beats a promotion`(
        stage: Stage,
        metric: Metric,
        counts: FailureCounts
    ) throws {
        let decision = try decision(
            Readings.good(at: stage) {
                $0.metrics[metric] = counts
                $0.metrics[.legacyAnswers("forbidden")] = FailureCounts(1, of: 10_000)
            }
        )
        #expect(decision.verdict == .rollBack)
        #expect(decision.reasons.map(\.code) == [.testReached])
        #expect(decision.reasons.map(\.metric) == [metric])
    }

    @Test func `mismatches of the rest hold the canary back, and do not roll it back`() throws {
        let stage = Stage.canary(share: 500)
        let decision = try decision(
            Readings.good(at: stage) { $0.metrics[.comparison.includingOpenWindows] = FailureCounts(30, of: 1_000) }
        )
        #expect(decision.verdict == .hold)
        #expect(decision.reasons.map(\.code) == [.vetoed])
    }

    @Test(
        arguments: gated.flatMap { stage -> [(Stage, Metric)] in
            let gate = try? Readings.plan { $0.expectedRates["D5"] = 0.01 }.gate(at: stage)
            // Where nothing failed on both sides, that metric is not there.
            let needed = (gate?.metrics ?? []).filter { !$0.rawValue.hasSuffix("*") && $0 != .failedOnBoth }
            return needed.sorted { $0.rawValue < $1.rawValue }.map { (stage, $0) }
        }
    )
    func `a metric that is missing holds: it is not zero`(stage: Stage, metric: Metric) throws {
        let reading = Readings.good(at: stage) { $0.metrics[metric] = nil }
        let decision = try decision(reading) { $0.expectedRates["D5"] = 0.01 }
        #expect(decision.verdict == .hold)
        #expect(decision.reasons.map(\.code) == [.missing])
        #expect(decision.reasons.map(\.metric) == [metric])
    }

    @Test(arguments: gated) func `a stage with users on the candidate is not left before its least time`(stage: Stage)
        throws
    {
        let early = Readings.good(at: stage) { $0.seconds = 86_399 }
        let isKept = stage.kind != .shadow
        let decision = try decision(early)
        #expect(decision.verdict == (isKept ? .hold : .promote))
        #expect(decision.reasons.map(\.code) == [isKept ? .tooEarly : .allReached])
        #expect(try self.decision(Readings.good(at: stage) { $0.seconds = 86_400 }).verdict == .promote)
        #expect(try self.decision(early) { $0.shortestSeconds = 0 }.verdict == .promote)
    }

    @Test(arguments: gated) func `no data at all holds`(stage: Stage) throws {
        let empty = GateReading(stage: stage, metrics: [:])
        #expect(try decision(empty).verdict == .hold)
        let zeros = EpochEvidence(EpochKey(stage: stage)).reading(afterSeconds: 0, breaker: BreakerHistory())
        let decision = try decision(zeros)
        #expect(decision.verdict == .hold)
        #expect(decision.reasons.contains { [.nothingCounted, .missing].contains($0.code) })
    }

    @Test func `no failures on either side are neither evidence nor a lack of data`() throws {
        for stage in [Stage.shadow(sample: .all), .canary(share: 500)] {
            let decision = try decision(
                Readings.good(at: stage) {
                    $0.metrics[.pairedFailures] = FailureCounts.none
                    $0.metrics[.canaryFailures] = FailureCounts.none
                }
            )
            #expect(decision.verdict == .promote)
        }
    }

    @Test(arguments: [FailureCounts(6, of: 5), FailureCounts(-1, of: 5)])
    func `impossible counts hold`(counts: FailureCounts) throws {
        let decision = try decision(Readings.good(at: .shadow(sample: .all)) { $0.metrics[.comparison] = counts })
        #expect(decision.verdict == .hold)
        #expect(decision.reasons.map(\.code) == [.impossibleCounts])
    }

    private static let ceilings: [(Metric, FailureCounts, GateVerdict)] = [
        (.uncounted, FailureCounts(2_000, of: 20_000), .promote), (.uncounted, FailureCounts(2_001, of: 20_000), .hold),
        (.expected("D5"), FailureCounts(200, of: 20_000), .promote),
        (.expected("D5"), FailureCounts(201, of: 20_000), .hold),
        // A metric without its own rate.
        (.expected("D6"), FailureCounts(2_000, of: 20_000), .promote),
        (.expected("D6"), FailureCounts(2_001, of: 20_000), .hold),
        // 0.9 % observed; the upper bound is above 1 %.
        (.noise, FailureCounts(90, of: 10_000), .hold), (.noise, FailureCounts(60, of: 10_000), .promote),
    ]

    @Test(arguments: ceilings)
    func `a share above its ceiling holds`(metric: Metric, counts: FailureCounts, verdict: GateVerdict) throws {
        let reading = Readings.good(at: .shadow(sample: .all)) { $0.metrics[metric] = counts }
        let decision = try decision(reading) { $0.expectedRates["D5"] = 0.01 }
        #expect(decision.verdict == verdict)
        if verdict == .hold { #expect(decision.reasons.map(\.code) == [.aboveCeiling]) }
    }

    private static let breakers: [(BreakerHistory?, GateVerdict, GateReason.Code)] = [
        (BreakerHistory(openings: 1, longestSeconds: 60), .promote, .allReached),
        (BreakerHistory(openings: 1, longestSeconds: 60, isOpen: true), .hold, .breakerOpen),
        (BreakerHistory(openings: 1, longestSeconds: 61), .rollBack, .breakerTripped),
        (BreakerHistory(openings: 2, longestSeconds: 1), .rollBack, .breakerTripped),
        (nil, .hold, .missing),
    ]

    @Test(arguments: breakers)
    func `a breaker that opens twice, or for long, rolls back`(
        breaker: BreakerHistory?,
        verdict: GateVerdict,
        code: GateReason.Code
    ) throws {
        let decision = try decision(Readings.good(at: .canary(share: 500)) { $0.breaker = breaker })
        #expect(decision.verdict == verdict)
        #expect(decision.reasons.map(\.code) == [code])
    }

    @Test(
        arguments: [
            (FailureCounts(20, of: 9_999), GateReason.Code.uselessBaseline),
            (FailureCounts(9_999, of: 10_000), .uselessBaseline),
        ]
    )
    func `a baseline of too few calls, or as slow as what is tolerated, is of no use`(
        baseline: FailureCounts,
        code: GateReason.Code
    ) throws {
        let decision = try decision(
            Readings.good(at: .candidateWithFallback) { $0.metrics[.legacyFailures] = baseline }
        )
        #expect(decision.verdict == .hold)
        #expect(Set(decision.reasons.map(\.code)) == [code])
    }

    @Test(arguments: [FailureCounts.none, FailureCounts(0, of: 100), FailureCounts(100, of: 100)])
    func `a canary without units, or without others, holds`(active: FailureCounts) throws {
        let decision = try decision(Readings.good(at: .canary(share: 500)) { $0.metrics[.activeUnits] = active })
        #expect(decision.verdict == .hold)
        // A canary of 5 % with every unit on the candidate has lost the others.
        let isShort = active.failures == active.total && active.total > 0
        #expect(
            Set(decision.reasons.map(\.code)) == (isShort ? [.uselessBaseline, .unexpectedShare] : [.uselessBaseline])
        )
    }

    @Test(
        arguments: [
            (49_999, 1_209_599, GateVerdict.hold, nil), (50_000, 0, .undecided, .horizonPassed),
            (10_000, 1_209_600, .undecided, .tooOld),
        ] as [(Int, Int, GateVerdict, GateReason.Code?)]
    )
    func `after long enough without a decision a person is asked`(
        total: Int,
        seconds: Int,
        verdict: GateVerdict,
        code: GateReason.Code?
    ) throws {
        let decision = try decision(
            Readings.good(at: .shadow(sample: .all)) {
                // 0.044 %: too many to promote, too few to roll back.
                $0.metrics[.comparison] = FailureCounts(total / 2_270, of: total)
                $0.seconds = seconds
            }
        )
        #expect(decision.verdict == verdict, "\(decision.explanation)")
        #expect(decision.reasons.first?.code == code ?? .notYet)
    }

    @Test func `a reading of another stage holds, whatever it says`() throws {
        let plan = try Readings.plan()
        let gate = plan.gate(at: .shadow(sample: .all))
        for stage in [Stage.canary(share: 500), .candidateShadowed(sample: 1000)] {
            let decision = gate.decide(Readings.good(at: stage) { $0.breaker = BreakerHistory(openings: 5) })
            #expect(decision.verdict == .hold)
            #expect(decision.reasons.map(\.code) == [.otherStage])
        }
    }

    @Test func `three failures of one user do not roll back, and as many users as are computed do`() throws {
        let stage = Stage.canary(share: 500)
        let plan = try Readings.plan()
        let gate = plan.gate(at: stage)
        let rule = SequentialRule.bayesFactor(share: 0.05)
        let needed = try #require(
            (1...1_000).first { rule.isReached(FailureCounts($0, of: $0), alpha: plan.alphaRollback) }
        )
        let baseline = LegacyBaseline(
            units: FailureCounts(0, of: 10_000),
            operations: ["read": .init(units: FailureCounts(0, of: 10_000), slowNanoseconds: 1_000)]
        )
        func verdict(failures: Int, users: Int) -> GateVerdict {
            var evidence = EpochEvidence(EpochKey(stage: stage), baseline: baseline)
            func call(_ ending: EpochEvidence.CallEnding, _ side: Side, _ unit: String) {
                evidence.record(ending, by: side, of: "read", unit: unit, at: .zero)
            }
            for user in 0..<50 { call(.answered, .candidate, "candidate-\(user)") }
            // As many other users as make the canary's share exactly 5 %.
            for user in 0..<19 * (50 + users) { call(.answered, .legacy, "legacy-\(user)") }
            for failure in 0..<failures { call(.failed, .candidate, "bad-\(failure % users)") }
            return gate.decide(evidence.reading(afterSeconds: 60, breaker: BreakerHistory())).verdict
        }
        #expect(verdict(failures: 3, users: 1) == .hold)
        #expect(verdict(failures: 100, users: 1) == .hold)
        #expect(verdict(failures: 100, users: needed - 1) == .hold)
        #expect(verdict(failures: 100, users: needed) == .rollBack)
    }

    /// Two sides within the tolerance are not compared, whatever their difference; a side beyond it is.
    @Test(
        arguments: [
            (.canary(share: 500), .canaryFailures, FailureCounts(5, of: 5), .promote),
            (.canary(share: 500), .canarySlow, FailureCounts(200, of: 220), .promote),
            (.canary(share: 500), .canaryGaveUp, FailureCounts(5, of: 5), .promote),
            (.canary(share: 500), .canaryUnseen, FailureCounts(5, of: 5), .promote),
            // At 10 % of the candidate's units, and none of the legacy side's; and at 10 % of both.
            (.canary(share: 500), .canaryUnseen, FailureCounts(2_000, of: 2_000), .hold),
            (.canary(share: 500), .canaryUnseen, FailureCounts(2_000, of: 40_000), .promote),
            (.canary(share: 500), .canaryAnswers("forbidden"), FailureCounts(8, of: 8), .promote),
            // The other side gives the same answer to 8 of 380,000.
            (.canary(share: 500), .canaryAnswers("notFound"), FailureCounts(0, of: 8), .promote),
            // Equally often on both sides, at 5 % of the units.
            (.canary(share: 500), .canaryFailures, FailureCounts(40, of: 800), .promote),
            (.shadow(sample: .all), .pairedSlow, FailureCounts(40, of: 40), .promote),
            (.shadow(sample: .all), .pairedSlow, FailureCounts(600, of: 600), .hold),
        ] as [(Stage, Metric, FailureCounts, GateVerdict)]
    )
    func `a difference between two sides that are good enough is not a reason to go back`(
        stage: Stage,
        metric: Metric,
        counts: FailureCounts,
        verdict: GateVerdict
    ) throws {
        let decision = try decision(Readings.good(at: stage) { $0.metrics[metric] = counts })
        #expect(decision.verdict == verdict, "\(decision.explanation)")
    }

    @Test func `a record from before there were floors is recomputed unchanged`() throws {
        let stage = Stage.canary(share: 500)
        var gate = try Readings.plan().gate(at: stage)
        for place in gate.tests.indices { gate.tests[place].floor = nil }
        let decision = gate.decide(Readings.good(at: stage) { $0.metrics[.canaryFailures] = FailureCounts(5, of: 5) })
        #expect(decision.verdict == .rollBack)
        #expect(decision.tests.allSatisfy { $0.floor == nil })
        try expectRecomputable(decision)
    }

    @Test func `a record that was changed contradicts itself`() throws {
        let decision = try decision(Readings.good(at: .shadow(sample: .all)))
        var changed = decision
        changed.verdict = .rollBack
        #expect(changed.contradictions() == ["the verdict is rollBack, computed promote"])
        changed = decision
        changed.tests[0].value += 1e-5
        #expect(changed.contradictions().count == 1)
        changed = decision
        changed.reading.metrics[.comparison] = FailureCounts(1, of: 20_000)
        #expect(changed.contradictions().count == 1)
        changed = decision
        // The floors of the paired failures and of the slow pairs read it too.
        changed.reading.metrics[.comparison.includingOpenWindows] = FailureCounts(1, of: 20_000)
        #expect(changed.contradictions().count == 2)
        changed = decision
        changed.ceilings[0].isExceeded = true
        #expect(changed.contradictions().count == 1)
    }

    @Test func `where more units will not help, no number of them is told`() throws {
        let decision = try decision(
            Readings.good(at: .canary(share: 500)) {
                $0.metrics[.candidateFailures] = FailureCounts(1_340, of: 20_000)
                $0.metrics[.canaryFailures] = FailureCounts(1_340, of: 27_180)
            }
        )
        let against = try #require(decision.reasons.first { $0.metric == .candidateFailures })
        #expect(
            against.description.hasSuffix(
                "1340 of 20000 failed, which is 0.067, and the limit is 0.001; of the legacy side's, 0.068 did: no plan without `relativeFactor` tells them apart"
            ),
            "\(against)"
        )
        #expect(decision.operations?.first?.missing == nil)
        #expect(decision.operations?.first?.timeLeft == nil)
    }

    @Test func `a decision explains itself in aligned lines`() throws {
        let plan = try UpgradePlan([.legacyOnly, .shadow(sample: .all), .candidateOnly])
        let reading = Readings.good(at: .shadow(sample: .all)) { $0.metrics[.comparison] = FailureCounts(2, of: 6_000) }
        let text = plan.gate(at: reading.stage).decide(reading).explanation
        #expect(
            text == """
                shadow(10000), epoch 3: hold
                  comparison: 2 of 6000, mixture below 0.001: ln E 0.679 of 5.103

                TEST       METRIC           FAILED     OF     LN E  NEEDS     RULE
                promote    comparison            2   6000    0.679  5.103  –  mixture below 0.001
                roll back  mismatches+open       0  20100  -18.100  6.712  –  probability ratio 0.001 against 0.0001
                roll back  pairedFailures        2      5   -0.629  6.712  –  Bayes factor against a share of 0.5; 3 of 20100, probability ratio 0.001 against 0.0001: ln E -11.189
                veto       pairedSlow            2      5   -0.629  6.712  –  Bayes factor against a share of 0.5; 3 of 20100, probability ratio 0.02 against 0.01: ln E -201.953

                HOLDS ABOVE  SEEN     OF    SHARE    LIMIT
                uncounted      10  20010  0.00050  0.10000  –
                noise           5  20005  0.00066  0.01000  –
                expected.D5   100  20010  0.00500  0.10000  –

                """
        )
    }
}
