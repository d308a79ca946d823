import CofferdamGate
@testable import CofferdamUpgrade
import Testing
import UpgradeTestSupport

@Suite("Why the gate decided, in words") struct DecisionWordsTests {
    private static let canary = Stage.canary(share: 500)

    private static func words(_ stage: Stage, _ change: (inout GateReading) -> Void) throws -> String {
        try Requests.decision(at: stage, change).inWords
    }

    @Test func `a step back says how many users met what, and where`() throws {
        let different = try Self.words(.shadow(sample: .all)) {
            $0.metrics[.mismatches.includingOpenWindows] = FailureCounts(7, of: 90)
            $0.metrics[.mismatches.includingOpenWindows.of("place")] = FailureCounts(7, of: 60)
            $0.metrics[.mismatches.includingOpenWindows.of("get")] = FailureCounts(0, of: 88)
            // Failures are no other answers.
            $0.metrics[.comparison.includingOpenWindows] = FailureCounts(30, of: 90)
            $0.metrics[.comparison.includingOpenWindows.of("get")] = FailureCounts(30, of: 88)
        }
        #expect(different == "7 of 90 users got another answer from V2, all in `place`")
        func failing(_ place: Int, _ change: (inout GateReading) -> Void = { _ in }) throws -> String {
            try Self.words(Self.canary) {
                $0.metrics[.canaryFailures] = FailureCounts(1_200, of: 1_210)
                $0.metrics[.activeUnits] = FailureCounts(20_000, of: 400_000)
                $0.metrics[.candidateFailures.includingOpenWindows] = FailureCounts(1_200, of: 20_000)
                $0.metrics[.candidateFailures.includingOpenWindows.of("place")] = FailureCounts(place, of: 9_000)
                change(&$0)
            }
        }
        #expect(try failing(1_200) == "1,200 of 20,000 users had a failure on V2, all in `place`")
        #expect(try failing(700) == "1,200 of 20,000 users had a failure on V2, most in `place`")
        #expect(try failing(500) == "1,200 of 20,000 users had a failure on V2")
        #expect(
            try failing(0) { $0.breaker = BreakerHistory(openings: 3, longestSeconds: 70) }
                == "V2 failed so often that V1 took its calls over 3 times, for up to 1 min 10 s"
        )
    }

    @Test func `a step on, and one that is left to a person, say what was counted`() throws {
        #expect(
            try Self.words(.shadow(sample: .all)) { _ in }
                == "Enough is known: none of 20,100 users got another answer from V2"
        )
        #expect(try Self.words(Self.canary) { _ in } == "Enough is known: 1 of 20,100 users had a failure on V2")
        #expect(
            try Self.words(Self.canary) { $0.isKept = false }
                == "Enough is known, but users count again after a restart, so a person must confirm: 1 of 20,100 users had a failure on V2"
        )
        #expect(
            try Self.words(Self.canary) { $0.metrics[.candidateFailures] = FailureCounts(170, of: 200_000) }
                == "Undecided after 1 d 1 h: 1 of 20,100 users had a failure on V2"
        )
    }

    @Test func `every test that sends V2 back has its words`() throws {
        var told: Set<String> = []
        for settings in [0.0, 2] {
            let plan = try Readings.plan {
                if settings > 0 { $0.relativeFactor = settings }
                $0.additionalLimits = [Metric("crashes"): 0.001]
            }
            for stage in plan.stages {
                let gate = plan.attempt(1).gate(at: stage)
                for test in gate.tests where test.role == .rollBack {
                    let metric = Metric(test.metric.rawValue.replacing("*", with: "declined"))
                    let reading = Readings.good(at: stage) {
                        $0.metrics[.legacyGaveUp] = FailureCounts(1, of: 10_000)
                        $0.metrics[.legacyAnswers("declined")] = FailureCounts(1, of: 10_000)
                        $0.metrics[Metric("crashes")] = FailureCounts(0, of: 20_000)
                        $0.metrics[metric] = FailureCounts(900, of: 1_000)
                    }
                    let decision = gate.decide(reading)
                    guard decision.reasons.first?.metric == metric, decision.verdict == .rollBack else {
                        Issue.record("\(stage), \(metric): \(decision.reasons)")
                        continue
                    }
                    told.insert(decision.inWords)
                    for word in ["ln e", "ratio", "factor", "unit", "legacy", "candidate", "canary", "open"] {
                        #expect(!decision.inWords.lowercased().contains(word), "\(metric): \(decision.inWords)")
                    }
                }
            }
        }
        #expect(told.contains("900 of 1,000 users count in `crashes` against V2"))
        #expect(told.count > 9, "\(told)")
    }
}
