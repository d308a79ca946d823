/// The installations of an app whose evidence counts.
///
/// The token of an app is in every copy of it, so that anyone can report any number of units. An installation that has
/// enrolled signs its reports with a key of its own, and counts for a few units only; one that is attested has also
/// convinced the team's verifier that it is the team's app on a real device.
public enum CountedInstallations: String, Sendable, Hashable, Codable, CaseIterable, CustomStringConvertible {
    /// All that have the app's token.
    case all
    /// Those that have enrolled, attested or not.
    case enrolled
    /// Those that are enrolled and attested.
    case attested

    /// The raw value.
    public var description: String { rawValue }
}

/// How many units of an epoch each kind of installation reported. A unit that several kinds reported belongs to the most
/// trusted one.
package struct InstallationCounts: Sendable, Hashable, Codable {
    /// Not enrolled.
    package var plain = 0
    /// Enrolled, but not attested.
    package var enrolled = 0
    package var attested = 0

    package init(plain: Int = 0, enrolled: Int = 0, attested: Int = 0) {
        (self.plain, self.enrolled, self.attested) = (plain, enrolled, attested)
    }

    /// - Parameter counts: the counts of all builds and installations in an epoch.
    package init(_ counts: [EvidenceCounts]) {
        func units(_ installations: CountedInstallations?) -> Int {
            counts.reduce(0) { $1.key.installations == installations ? $0 + $1.decidingUnits : $0 }
        }
        // All reports are among those of all, and the attested ones among the enrolled.
        attested = units(.attested)
        enrolled = max(0, units(.enrolled) - attested)
        plain = max(0, units(nil) - attested - enrolled)
    }

    /// For people: whose evidence it is, and whose can move the gate.
    package func text(_ counted: CountedInstallations) -> String {
        let total = max(1, plain + enrolled + attested)
        func share(_ units: Int, _ kind: String) -> String { "\(units) \(kind) (\(units * 100 / total) %)" }
        let shares =
            "Users by installation: \(share(attested, "attested")), \(share(enrolled, "enrolled")), "
            + "\(share(plain, "plain"))."
        return shares + " " + counted.risk
    }
}

extension CountedInstallations {
    /// Who can move a gate for whose promotions these count, for people.
    package var risk: String {
        switch self {
        case .all: "Anyone with the app's token can move this gate."
        case .enrolled:
            "Only enrolled installations count for a promotion. Anyone with the app's token can send the upgrade back."
        case .attested:
            "Only attested installations count for a promotion. Anyone with the app's token can send the upgrade back."
        }
    }
}
