#if Sandbox
import Cofferdam
import MenagerieV2
import SanctuaryDomain

extension Translator where Source == MenagerieV2.Accessory, Target == SanctuaryDomain.Accessory {
    static var accessories: Translator {
        Translator { source, report throws(TranslationIssue) in
            guard let link = SanctuaryDomain.Accessory.Link(rawValue: source.state.rawValue) else {
                throw TranslationIssue("unknown state", at: "state", raw: source.state.rawValue)
            }
            guard let lastSeen = Instant(seconds: source.lastSeenAt / 1000) else {
                throw TranslationIssue("not a valid time", at: "lastSeenAt", raw: "\(source.lastSeenAt)")
            }
            if !plausible.contains(lastSeen) {
                report.add(
                    TranslationIssue(
                        "an implausible time",
                        at: "lastSeenAt",
                        raw: "\(source.lastSeenAt)",
                        severity: .warning
                    )
                )
            }
            return SanctuaryDomain.Accessory(
                id: AccessoryID(source.id),
                name: source.name,
                link: link,
                battery: battery(source.battery, &report),
                lastSeen: lastSeen
            )
        }
    }

    /// From 2001 to 2100: milliseconds taken for seconds, or dates from another epoch, lie outside.
    private static var plausible: Range<Instant> {
        .referenceDate2001..<Instant(millisecondsSince1970: 4_102_444_800_000)
    }

    /// Returns the percentage, rounded; nil and an issue outside 0 to 100.
    private static func battery(_ percent: Double, _ report: inout TranslationReport) -> Battery? {
        let battery = (0...100).contains(percent) ? Battery(percent: Int(percent.rounded())) : nil
        if battery == nil {
            report.add(
                TranslationIssue("not a percentage", at: "battery", raw: "\(percent)", severity: .warning)
            )
        }
        return battery
    }
}
#endif
