package import CofferdamGate

/// The error rates of the gate at known failure rates, made to be printed as JSON.
package struct GateSimulationReport: Sendable, Hashable, Codable {
    package var alpha: Double
    package var exact: Exact
    /// At the limit: no more than α may be promoted.
    package var atLimit: Runs
    /// At a tenth of the limit: nearly all should be.
    package var good: Runs
    /// At ten times the limit: all must be rolled back, and soon.
    package var bad: Runs
    package var wholeUpgrade: WholeUpgrade
    /// Whole upgrades in worlds that mislead a gate.
    package var scenarios: [UpgradeScenario: Scenario]
    /// What the alarm did.
    package var alarm: [AlarmScenario: SimulatedAlarm.Result]

    /// Computed exactly, not by sampling.
    package struct Exact: Sendable, Hashable, Codable {
        package var horizon: Int
        package var promotedAtLimit: Double
        /// With a rollback test beside the promotion test, by true rate.
        package var byRate: [ByRate]

        package struct ByRate: Sendable, Hashable, Codable {
            package var rate: Double
            package var chances: SingleGate.Chances
        }
    }

    /// Runs of one gate at one rate.
    package struct Runs: Sendable, Hashable, Codable {
        package var rate: Double
        package var runs = 0
        package var promoted = 0
        package var rolledBack = 0
        /// The median number of verdicts until the end, over all runs.
        package var medianSamples = 0
        /// The number promoted, for each seed.
        package var promotedBySeed: [Int] = []
        package var runsOfSeed = 0
    }

    /// Runs of a whole plan.
    package struct WholeUpgrade: Sendable, Hashable, Codable {
        package var stages: [Stage]
        package var alphaOfPromotion: Double
        package var alphaOfRollback: Double
        package var good: Arrivals
        package var atLimit: Arrivals
    }

    package struct Arrivals: Sendable, Hashable, Codable {
        package var model: UpgradeModel
        package var runs = 0
        package var arrived = 0
        package var rolledBack = 0
        package var undecided = 0
        /// The median number of units counted in all stages of a run.
        package var medianUnits = 0
    }

    /// How the whole upgrades of one scenario ended.
    package struct Scenario: Sendable, Hashable, Codable {
        package var runs = 0
        package var promoted = 0
        package var rolledBack = 0
        package var expected: UpgradeScenario.Expectation

        package init(runs: Int = 0, promoted: Int = 0, rolledBack: Int = 0, expected: UpgradeScenario.Expectation) {
            (self.runs, self.promoted, self.rolledBack) = (runs, promoted, rolledBack)
            self.expected = expected
        }

        mutating func count(_ verdict: GateVerdict) {
            runs += 1
            promoted += verdict == .promote ? 1 : 0
            rolledBack += verdict == .rollBack ? 1 : 0
        }

        /// Whether it ended as expected, except for as many runs as may go wrong.
        package func isMet(alpha: Double) -> Bool {
            let (wrong, tolerated) = (alpha * Double(runs), Int(0.01 * Double(runs)))
            return switch expected {
            case .promote: promoted >= runs - tolerated && Double(rolledBack) <= wrong
            case .rollBack: rolledBack >= runs - tolerated && Double(promoted) <= wrong
            case .notPromote: Double(promoted) <= wrong
            }
        }
    }

    /// The requirements that are not met; empty if all are.
    package var violations: [String] {
        var violations: [String] = []
        func ask(_ isSo: Bool, _ text: String) { if !isSo { violations.append(text) } }
        ask(
            exact.promotedAtLimit <= alpha,
            "\(exact.promotedAtLimit) are promoted at the limit, by the exact calculation"
        )
        for (seed, promoted) in atLimit.promotedBySeed.enumerated() {
            let allowed = Self.maxPromoted(of: atLimit.runsOfSeed, alpha: alpha)
            ask(
                promoted <= allowed,
                "seed \(seed): \(promoted) of \(atLimit.runsOfSeed) promoted at the limit, at most \(allowed)"
            )
        }
        for (seed, promoted) in good.promotedBySeed.enumerated() {
            let minimum = Int(0.99 * Double(good.runsOfSeed))
            ask(promoted >= minimum, "seed \(seed): \(promoted) of \(good.runsOfSeed) promoted, at least \(minimum)")
        }
        ask(bad.rolledBack == bad.runs, "\(bad.runs - bad.rolledBack) of \(bad.runs) bad ones are not rolled back")
        ask(bad.medianSamples <= 300, "a bad one is rolled back after \(bad.medianSamples), at most 300")
        let (whole, limit) = (wholeUpgrade.good, wholeUpgrade.atLimit)
        ask(whole.arrived >= Int(0.99 * Double(whole.runs)), "\(whole.arrived) of \(whole.runs) good ones arrive")
        ask(
            Double(limit.arrived) <= alpha * Double(limit.runs),
            "\(limit.arrived) of \(limit.runs) at the limit arrive"
        )
        for (scenario, result) in scenarios.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            ask(
                result.isMet(alpha: alpha),
                "\(scenario.rawValue): \(result.promoted) promoted and \(result.rolledBack) rolled back of \(result.runs); "
                    + "expected: \(result.expected.rawValue)"
            )
        }
        for (scenario, result) in alarm.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            if scenario.breaks {
                ask(
                    result.alarms == result.runs,
                    "\(scenario.rawValue): \(result.alarms) alarms in \(result.runs) runs"
                )
            }
            ask(
                result.falseAlarms <= Self.maxFalseAlarms(inHours: result.quietHours),
                "\(scenario.rawValue): \(result.falseAlarms) false alarms in \(result.quietHours) hours"
            )
        }
        if let units = alarm[.breaksForAll]?.medianUnits {
            ask(units <= 10, "a break for all is seen after \(units) failing units, at most 10")
        }
        return violations
    }

    /// One in ten years, plus 3.5 standard deviations.
    private static func maxFalseAlarms(inHours hours: Int) -> Int {
        let mean = Double(hours) / 87_660
        return Int(mean + 3.5 * mean.squareRoot())
    }

    /// α of the runs, plus 3.5 standard deviations: 35 of 2,000 at 1 %.
    private static func maxPromoted(of runs: Int, alpha: Double) -> Int {
        let mean = alpha * Double(runs)
        return Int(mean + 3.5 * mean.squareRoot())
    }

    package var isGreen: Bool { violations.isEmpty }
}
