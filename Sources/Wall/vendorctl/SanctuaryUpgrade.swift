import CofferdamFleet
import CofferdamTool
import CofferdamUpgrade
import Foundation
import SanctuaryRouting

/// The upgrade that the app leads, for those who look after it.
func sanctuaryUpgrade() throws -> UpgradeTooling {
    UpgradeTooling([.init(SanctuaryUpgrade.capability, plan: try SanctuaryUpgrade.plan())], server: openFleet)
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
