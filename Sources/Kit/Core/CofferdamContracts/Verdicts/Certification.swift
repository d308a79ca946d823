/// The last run in which a fake and a live adapter both passed; users of the fake rely on it.
package struct Certification: Sendable, Hashable, Codable {
    package var fake: String
    /// The live adapters that passed in the same run.
    package var live: [String]
    package var digest: String
    package var fixtures: String
    package var date: CalendarDay

    package init(fake: String, live: [String], digest: String, fixtures: String, date: CalendarDay) {
        self.fake = fake
        self.live = live
        self.digest = digest
        self.fixtures = fixtures
        self.date = date
    }
}

extension ContractReport {
    /// The certifications of this run. A fake is certified by a whole run in which neither it nor at least one live
    /// adapter failed a rule.
    package var newCertifications: [Certification] {
        guard isWhole, problems.isEmpty, !digest.isEmpty, let stamp else { return [] }
        let clean = adapters.filter { adapter in
            let rows = rows.filter { $0.adapter == adapter.name }
            return rows.contains { $0.outcome == .passed } && !rows.contains { $0.outcome.isFailure }
        }
        let live = clean.filter { $0.identity.kind == .live }.map(\.name)
        guard !live.isEmpty else { return [] }
        return clean.filter { $0.identity.kind == .fake }.map { fake in
            Certification(
                fake: fake.name,
                live: live,
                digest: digest,
                fixtures: stamp.fixtures,
                date: stamp.date
            )
        }
    }

    /// Sets the certification of each fake: this run's, or otherwise an earlier one.
    package mutating func certify(after earlier: [Certification]) {
        let new = newCertifications
        certifications = adapters.filter { $0.identity.kind == .fake }.compactMap { fake in
            (new + earlier).first { $0.fake == fake.name }
        }
    }
}
