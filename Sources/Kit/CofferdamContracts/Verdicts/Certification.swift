/// The last run in which a fake and a live adapter both passed, on which users of the fake can rely.
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
    /// What this run certifies: a whole one, in which nothing of the fake failed and nothing of at least one live
    /// adapter.
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

    /// Shows for each fake what this run certifies, or otherwise what an earlier one has.
    package mutating func certify(after earlier: [Certification]) {
        let new = newCertifications
        certifications = adapters.filter { $0.identity.kind == .fake }.compactMap { fake in
            (new + earlier).first { $0.fake == fake.name }
        }
    }
}
