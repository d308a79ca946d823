import Testing

@testable import CofferdamUpgrade

@Suite struct CallPlanTests {
    private static let stages: [Stage] = [
        .legacyOnly, .shadow(sample: .all), .canary(share: 5000), .candidateWithFallback,
        .candidateShadowed(sample: .all), .candidateOnly,
    ]

    /// First, fallback, shadow.
    private func text(_ plan: CallPlan) -> String {
        [plan.first, plan.fallback, plan.shadow].map { $0.map { $0 == .legacy ? "1" : "2" } ?? "-" }.joined()
    }

    private func plan(_ stage: Stage, _ effect: Effect, _ side: Side, isSampled: Bool = true) -> CallPlan {
        CallPlan(at: stage, effect: effect, backing: .shared, unitSide: side, isSampled: isSampled)
    }

    /// A unit's side is what the stage makes it; in the canary it is either.
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

    @Test(arguments: Side.allCases) func `a walk ends where it began, alone`(side: Side) {
        for stage in Self.stages {
            let plan = CallPlan(
                at: stage,
                effect: .read,
                backing: .shared,
                unitSide: stage.side ?? .legacy,
                isSampled: true,
                carried: side
            )
            #expect(plan.first == side && plan.fallback == nil && plan.shadow == nil, "\(stage)")
        }
    }

    @Test func `with data of its own on each side, nobody reads the old one after a write on the new`() {
        func plan(_ backing: Backing, hasWritten: Bool) -> String {
            let plan = CallPlan(
                at: .candidateWithFallback,
                effect: .read,
                backing: backing,
                unitSide: .candidate,
                isSampled: false,
                hasWritten: hasWritten
            )
            return text(plan)
        }
        #expect(plan(.separate, hasWritten: false) == "21-")
        #expect(plan(.separate, hasWritten: true) == "2--")
        #expect(plan(.shared, hasWritten: true) == "21-")
    }

    /// Rows: answer, unsent, failed, outcome unknown.
    @Test(
        arguments: [
            (Effect.read, Backing.shared, [false, true, true, true]),
            (.read, .separate, [false, true, true, true]),
            (.idempotent, .shared, [false, true, true, true]),
            (.idempotent, .separate, [false, true, false, false]),
            (.write, .shared, [false, true, false, false]),
            (.write, .separate, [false, true, false, false]),
            (.exclusive, .shared, [false, false, false, false]),
            (.exclusive, .separate, [false, false, false, false]),
        ]
    )
    func `only what does no harm is tried on the other side`(effect: Effect, backing: Backing, permitted: [Bool]) {
        let found = FailureMeaning.allCases.map {
            CallPlan.permitsFallback(after: $0, effect: effect, backing: backing)
        }
        #expect(found == permitted)
    }
}
