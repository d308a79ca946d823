#if Sandbox
import Cofferdam
import MenagerieV2
import SanctuaryDomain

extension Translator where Source == MenagerieV2.Animal, Target == SanctuaryDomain.Animal {
    /// Translates the vendor's animals; the map must know their ids.
    static func animals(_ ids: AnimalIDMap) -> Translator {
        Translator { source, report throws(TranslationIssue) in
            guard let id = ids.id(of: source.id) else { throw TranslationIssue("not an id", at: "id", raw: source.id) }
            let group = AnimalGroup(source.kind.rawValue)
            if group.isUnknown {
                report.add(TranslationIssue("unknown group", at: "kind", raw: source.kind.rawValue, severity: .warning))
            }
            return SanctuaryDomain.Animal(
                id: id,
                name: source.name,
                displayName: source.localizedName,
                group: group,
                legs: count(source.legs, at: "legs", &report),
                heads: count(source.heads, at: "heads", &report)
            )
        }
    }

    /// Translates a count: a missing one is unknown, and 0 means none.
    private static func count(_ value: Int?, at path: String, _ report: inout TranslationReport) -> Count {
        guard let value else { return .unknown }
        guard value >= 0 else {
            report.add(TranslationIssue("a negative count", at: path, raw: "\(value)", severity: .warning))
            return .unknown
        }
        return .known(value)
    }
}
#endif
