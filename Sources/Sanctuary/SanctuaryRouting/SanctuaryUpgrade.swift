public import CofferdamUpgrade  // a plan is the kit's value

/// The way from the one SDK to the other. All six ports move together, because the session at the vendor does.
public enum SanctuaryUpgrade {
    /// By which it is known: to the store, and as the salt of its units.
    public static let capability = "sanctuary"

    /// All that may differ, whichever port shows it.
    public static let expected: [AgreedDifference] = RoutedCapability.allCases.flatMap {
        expectedDifferences[$0, default: []]
    }

    /// The stages, and what each must show; nothing that is expected may come more often than was agreed.
    ///
    /// - Throws: ``GateError`` for what no plan can be.
    public static func plan() throws(GateError) -> UpgradePlan {
        var settings = GateSettings.defaults
        for agreed in expected { settings.expectedRates[agreed.difference.id] = agreed.rate }
        return try UpgradePlan(
            [
                .legacyOnly, .shadow(sample: .all), .canary(share: 500), .canary(share: .all), .candidateWithFallback,
                .candidateShadowed(sample: 1_000), .candidateOnly,
            ],
            settings: settings
        )
    }
}
