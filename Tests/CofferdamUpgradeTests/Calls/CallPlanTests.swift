import Cofferdam
import Testing

@testable import CofferdamUpgrade

@Suite struct CallPlanTests {
    private static let stages: [Stage] = [
        .legacyOnly, .shadow(sample: .all), .canary(share: 5000), .candidateWithFallback,
        .candidateShadowed(sample: .all), .candidateOnly,
    ]

    /// The plan as text: first, fallback, shadow.
    private func text(_ plan: CallPlan) -> String {
        [plan.first, plan.fallback, plan.shadow].map { $0.map { $0 == .legacy ? "1" : "2" } ?? "-" }.joined()
    }

    private func plan(
        _ stage: Stage,
        _ effect: Effect,
        _ side: Side,
        _ dataOwnership: DataOwnership = .shared,
        isSampled: Bool = true,
        hasWritten: Bool = false
    ) -> CallPlan {
        CallPlan(
            at: stage,
            effect: effect,
            dataOwnership: dataOwnership,
            unitSide: side,
            isSampled: isSampled,
            hasWritten: hasWritten
        )
    }

    /// The stage decides a unit's side; in the canary it can be either.
    @Test(
        arguments: [
            (Effect.read, ["1--", "1-2", "1-2", "21-", "2-1", "2--"], "21-"),
            (.idempotent, ["1--", "1--", "1--", "21-", "2--", "2--"], "21-"),
            (.write, ["1--", "1--", "1--", "21-", "2--", "2--"], "21-"),
            (.exclusive, ["1--", "1--", "1--", "2--", "2--", "2--"], "2--"),
        ]
    )
    func `each stage asks the sides of its row`(effect: Effect, rows: [String], canary: String) {
        let plans = Self.stages.map { text(plan($0, effect, $0.side ?? .legacy)) }
        #expect(plans == rows)
        #expect(text(plan(.canary(share: 5000), effect, .candidate)) == canary)
    }

    @Test func `what is not sampled is not compared`() {
        for stage in Self.stages {
            #expect(plan(stage, .read, stage.side ?? .legacy, isSampled: false).shadow == nil)
        }
    }

    @Test(arguments: Side.allCases) func `a walk stays on its side, without fallback or shadow`(side: Side) {
        for stage in Self.stages {
            let plan = CallPlan(
                at: stage,
                effect: .read,
                dataOwnership: .shared,
                unitSide: stage.side ?? .legacy,
                isSampled: true,
                carried: side
            )
            #expect(plan.first == side && plan.fallback == nil && plan.shadow == nil, "\(stage)")
        }
    }

    /// With separate data on each side: before and after the unit's first write on the candidate.
    @Test(
        arguments: [
            (Effect.read, ["1--", "1-2", "1-2", "21-", "2-1", "2--"], ["1--", "1-2", "1-2", "2--", "2--", "2--"]),
            (.idempotent, ["1--", "1--", "1--", "2--", "2--", "2--"], ["1--", "1--", "1--", "2--", "2--", "2--"]),
            (.write, ["1--", "1--", "1--", "2--", "2--", "2--"], ["1--", "1--", "1--", "2--", "2--", "2--"]),
            (.exclusive, ["1--", "1--", "1--", "2--", "2--", "2--"], ["1--", "1--", "1--", "2--", "2--", "2--"]),
        ]
    )
    func `with separate data, a unit's writes always go where its reads go`(
        effect: Effect,
        before: [String],
        after: [String]
    ) {
        for (rows, hasWritten) in [(before, false), (after, true)] {
            let plans = Self.stages.map {
                text(plan($0, effect, $0.side ?? .legacy, .separate, hasWritten: hasWritten))
            }
            #expect(plans == rows, "has written: \(hasWritten)")
            let isReturned = effect == .read && !hasWritten
            let canary = plan(.canary(share: 5000), effect, .candidate, .separate, hasWritten: hasWritten)
            #expect(text(canary) == (isReturned ? "21-" : "2--"), "has written: \(hasWritten)")
        }
    }

    /// The rows: answer, unsent, failed, outcome unknown.
    @Test(
        arguments: [
            (Effect.read, [false, true, true, true]), (.idempotent, [false, true, true, true]),
            (.write, [false, true, false, false]), (.exclusive, [false, false, false, false]),
        ]
    )
    func `only what is harmless there is tried on the other side`(effect: Effect, permitted: [Bool]) {
        #expect(FailureMeaning.allCases.map { CallPlan.permitsFallback(after: $0, effect: effect) } == permitted)
    }
}
