#if Sandbox
import Cofferdam
import MenagerieV1
import SanctuaryDomain

extension Translator where Source == MenagerieV1.Animal, Target == SanctuaryDomain.Animal {
    /// Translates an animal requested in English, whose name is then canonical.
    static var animal: Self {
        Translator { source, report in
            let group = AnimalGroup(source.kind)
            if group.isUnknown {
                report.add(TranslationIssue("unknown kind", at: "kind", raw: source.kind, severity: .warning))
            }
            return SanctuaryDomain.Animal(
                id: AnimalID(source.id),
                name: source.name,
                displayName: source.name,
                group: group,
                legs: Count(source.legs, at: "legs", &report),
                heads: Count(source.heads, at: "heads", &report)
            )
        }
    }
}

extension Count {
    /// Creates a count. This vendor also sends 0 for "not recorded".
    fileprivate init(_ count: Int, at path: String, _ report: inout TranslationReport) {
        switch count {
        case 0: self = .ambiguousZero
        case 1...: self = .known(count)
        default:
            report.add(TranslationIssue("negative count", at: path, raw: String(count), severity: .warning))
            self = .unknown
        }
    }
}

extension AnimalID {
    /// Creates an id from the vendor's number, which V2 calls the legacy id.
    init(_ number: Int) { self.init(String(number)) }

    /// - Throws: `notFound` for an id that this vendor cannot have issued.
    func number() throws(SanctuaryError) -> Int {
        guard let number = Int(rawValue), String(number) == rawValue else {
            throw SanctuaryError(.notFound, "the vendor's V1 knows animals by number only", subject: rawValue)
        }
        return number
    }
}
#endif
