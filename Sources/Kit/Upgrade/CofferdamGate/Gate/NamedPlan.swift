/// Predefined plans.
public enum NamedPlan: String, Sendable, Hashable, Codable, CaseIterable {
    /// At most 0.1 % of the units may fail, and the candidate's share grows in many small steps.
    case strict
    /// At most 0.1 % of the units may fail.
    case standard
    /// At most 1 % of the units may fail, with fewer gates: for an app with few users.
    case small
    /// For builds with one side each: two builds of the legacy side are compared first, then those of both sides. See
    /// ``Arm``.
    case arms

    /// The plans for processes that hold both sides.
    package static let staged: [NamedPlan] = [.strict, .standard, .small]

    package var stages: [Stage] {
        switch self {
        case .strict:
            [
                .legacyOnly, .shadow(sample: .all), .canary(share: 100), .canary(share: 500), .canary(share: 1000),
                .canary(share: 2500), .canary(share: 5000), .candidateWithFallback, .candidateShadowed(sample: .all),
                .candidateOnly,
            ]
        case .standard:
            [
                .legacyOnly, .shadow(sample: .all), .canary(share: 500), .canary(share: 5000), .candidateWithFallback,
                .candidateShadowed(sample: .all), .candidateOnly,
            ]
        case .small:
            [.legacyOnly, .shadow(sample: .all), .canary(share: 2000), .candidateWithFallback, .candidateOnly]
        case .arms: [.legacyOnly, .aa, .arms, .candidateOnly]
        }
    }

    package var settings: GateSettings {
        switch self {
        case .strict, .standard: .defaults
        case .arms: .defaults { $0.relativeFactor = 1.5 }
        case .small:
            .defaults {
                $0.limit = 0.01
                $0.minimumBaselineCalls = 1_000
                $0.longestSeconds = 30 * 24 * 60 * 60
            }
        }
    }

    /// - Throws: ``GateError`` for an attempt that leaves too little of α.
    func plan(
        attempt: Int = 1,
        against baseline: LegacyBaseline? = nil,
        counting installations: CountedInstallations = .all
    ) throws(GateError) -> UpgradePlan {
        var settings = settings
        (settings.attempt, settings.promotionCounts) = (attempt, installations)
        return try UpgradePlan(stages, settings: settings, against: baseline)
    }
}

extension UpgradePlan {
    /// Creates a predefined plan: `try .named(.small)`.
    ///
    /// - Parameter installations: those whose evidence counts for a promotion.
    package static func named(
        _ name: NamedPlan,
        counting installations: CountedInstallations = .all
    ) throws(GateError) -> UpgradePlan {
        try name.plan(counting: installations)
    }
}
