import CofferdamTool
import CofferdamUpgrade

/// The way from V1 to V2. All six ports move together, because the session at the vendor does.
func sanctuaryUpgrade() throws -> UpgradeTooling {
    let stages: [Stage] = [
        .legacyOnly, .shadow(sample: .all), .canary(share: 500), .canary(share: .all), .candidateWithFallback,
        .candidateShadowed(sample: 1_000), .candidateOnly,
    ]
    return UpgradeTooling([.init("sanctuary", plan: try UpgradePlan(stages))])
}
