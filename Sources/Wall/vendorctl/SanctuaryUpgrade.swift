import CofferdamFleet
import CofferdamTool
import CofferdamUpgrade
import Foundation

/// The way from V1 to V2. All six ports move together, because the session at the vendor does.
func sanctuaryUpgrade() throws -> UpgradeTooling {
    let stages: [Stage] = [
        .legacyOnly, .shadow(sample: .all), .canary(share: 500), .canary(share: .all), .candidateWithFallback,
        .candidateShadowed(sample: 1_000), .candidateOnly,
    ]
    return UpgradeTooling([.init("sanctuary", plan: try UpgradePlan(stages))], server: openFleet)
}

/// The upgrade of many instances at once, in their etcd; who one is stands in the environment, as for `etcdctl`.
@Sendable private func openFleet(_ addresses: String, mayCreate: Bool) async throws -> UpgradeStorage {
    let etcd = try EtcdAccess(addresses, environment: ProcessInfo.processInfo.environment)
    return UpgradeStorage(
        store: etcd.store(prefix: "/apps/sanctuary"),
        evidence: MemoryEvidenceLog(),
        note: "What the instances have counted is in Prometheus, and not shown here."
    )
}
