package import CofferdamUpgrade

/// Gate readings without failures, for tests to change in one place.
package enum Readings {
    package static let stages: [Stage] = [
        .legacyOnly, .shadow(sample: .all), .canary(share: 500), .canary(share: .all), .candidateWithFallback,
        .candidateShadowed(sample: 1000), .candidateOnly,
    ]

    /// A reading that suffices for a promotion at α = 0.01, within the horizon.
    package static func good(at stage: Stage) -> GateReading {
        GateReading(
            stage: stage,
            epoch: 3,
            seconds: 90_000,
            metrics: [
                .comparison: FailureCounts(0, of: 20_000),
                .uncounted: FailureCounts(10, of: 20_010),
                .noise: FailureCounts(5, of: 20_005),
                .pairedFailures: FailureCounts(2, of: 5),
                .candidateFailures: FailureCounts(1, of: 20_000),
                .canaryFailures: FailureCounts(1, of: 20),
                .activeUnits: FailureCounts(20_000, of: 400_000),
                Metric.comparison.includingOpenWindows: FailureCounts(0, of: 20_100),
                Metric.mismatches.includingOpenWindows: FailureCounts(0, of: 20_100),
                .pairedSlow: FailureCounts(2, of: 5),
                Metric.candidateFailures.includingOpenWindows: FailureCounts(1, of: 20_100),
                .canarySlow: FailureCounts(2, of: 40),
                .canaryGaveUp: FailureCounts(0, of: 4), .canaryUnseen: .none,
                .legacyFailures: FailureCounts(0, of: 10_000),
                .expected("D5"): FailureCounts(100, of: 20_010),
            ],
            breaker: BreakerHistory(),
            isKept: true
        )
    }

    package static func good(at stage: Stage, _ change: (inout GateReading) -> Void) -> GateReading {
        var reading = good(at: stage)
        change(&reading)
        return reading
    }

    package static func plan(_ change: (inout GateSettings) -> Void = { _ in }) throws -> UpgradePlan {
        try UpgradePlan(stages, settings: .defaults(change))
    }
}
