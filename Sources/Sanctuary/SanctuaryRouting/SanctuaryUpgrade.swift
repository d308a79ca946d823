public import CofferdamUpgrade  // a plan is the kit's value

/// The upgrade from one SDK to the other. All six ports move together, because they share the session at the vendor.
public enum SanctuaryUpgrade {
    /// The upgrade's name in the store, and the salt for bucketing its units.
    public static let capability = "sanctuary"

    /// Hides the units' names from a server. The same in every installation; the server's operators do not need to know
    /// it.
    public static let salt = "b3b0f7c2-sanctuary-4a51-9d0e"

    /// The agreed differences of all ports.
    public static let expected: [AgreedDifference] = RoutedCapability.allCases.flatMap {
        expectedDifferences[$0, default: []]
    }

    /// Returns the stages and the evidence that each requires. No expected difference may occur more often than agreed.
    ///
    /// - Throws: ``GateError`` if the plan is invalid.
    public static func plan() throws(GateError) -> UpgradePlan {
        var settings = GateSettings.defaults
        settings.tolerate(expected)
        return try UpgradePlan(
            [
                .legacyOnly, .shadow(sample: .all), .canary(share: 500), .canary(share: .all), .candidateWithFallback,
                .candidateShadowed(sample: 1_000), .candidateOnly,
            ],
            settings: settings
        )
    }
}
