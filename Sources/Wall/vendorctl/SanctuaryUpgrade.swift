import CofferdamTool
import SanctuaryRouting

/// The upgrade that the app leads, for those who look after it.
func sanctuaryUpgrade() throws -> UpgradeTooling {
    UpgradeTooling([.init(SanctuaryUpgrade.capability, plan: try SanctuaryUpgrade.plan())])
}
