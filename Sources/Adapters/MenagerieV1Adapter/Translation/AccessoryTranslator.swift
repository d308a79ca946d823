#if Sandbox
import Cofferdam
import MenagerieV1
import SanctuaryDomain

extension Translator where Source == MenagerieAccessory, Target == Accessory {
    static var accessory: Self {
        Translator { source, report throws(TranslationIssue) in
            guard let lastSeen = Instant(seconds: source.lastSeen, after: .referenceDate2001) else {
                throw TranslationIssue("not a valid time", at: "last_seen", raw: String(source.lastSeen))
            }
            let battery = Battery(share: source.battery)
            if battery == nil {
                let raw = String(source.battery)
                report.add(
                    TranslationIssue("battery is not between 0 and 1", at: "battery", raw: raw, severity: .warning)
                )
            }
            if source.isActive, !source.isConnected {
                report.add(TranslationIssue("active, but not linked", at: "active", raw: "true", severity: .warning))
            }
            return Accessory(
                id: AccessoryID(source.id),
                name: source.name,
                link: source.isActive ? .active : source.isConnected ? .linked : .available,
                battery: battery,
                lastSeen: lastSeen
            )
        }
    }
}

extension Battery {
    /// Returns nil outside 0 to 1, so that a percentage is never taken for a share.
    fileprivate init?(share: Double) {
        guard (0...1).contains(share) else { return nil }
        self.init(percent: Int((share * 100).rounded()))
    }
}
#endif
