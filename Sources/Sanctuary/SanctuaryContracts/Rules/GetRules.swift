import CofferdamContracts
import SanctuaryDomain

/// GET: reading one animal, and reading it in a page.
enum GetRules {
    static let all: [Rule<SanctuarySubject>] = [
        fieldByField, unknownID, extraField, missingField, unknownGroup,
    ]

    private static let fixtures = [
        AnimalFixture(name: "kerberos", group: "mammal", legs: 4, heads: 3),
        AnimalFixture(name: "hydra", group: "reptile", legs: 0, heads: 9),
        AnimalFixture(name: "shadow", group: "other", legs: 0, heads: 0),
        AnimalFixture(name: "rumour", group: "bird", legs: nil, heads: nil),
        AnimalFixture(name: "", group: "fish", legs: 1000, heads: 1),
        AnimalFixture(name: "ñandú \"the greater\" \\ 鳥 & <b>", group: "bird", legs: 2, heads: 1),
    ]

    private static let fieldByField = Rule<SanctuarySubject>(
        "GET-01",
        "An animal is what the vendor was told, field by field: 0, nothing, \"\" and odd letters included"
    ) { subject, _ in
        var findings = Findings()
        try await subject.probe.reset(.empty)
        var expected: [Animal] = []
        for fixture in fixtures { expected.append(try await subject.add(fixture)) }
        for animal in expected {
            findings.expectEqual(try await subject.services.catalogue.animal(animal.id), animal, "animal")
        }
        findings.expect(
            await Walk(SanctuaryCalls.animals.perform(subject), limit: 50, atMost: 3),
            gives: expected,
            "page"
        )
        return findings.violations
    }

    private static let unknownID = Rule<SanctuarySubject>(
        "GET-02",
        "An id that the vendor does not know throws notFound"
    ) { subject, _ in
        var findings = Findings()
        try await subject.probe.reset(.empty)
        // The last of many: a well-made id that nothing after the next reset has.
        let forgotten = try await subject.probe.seedAnimals(20).map(\.id)
        try await subject.probe.reset(.empty)
        let kept = try await subject.probe.seedAnimals(3).map(\.id)
        guard let unknown = forgotten.last, !kept.contains(unknown) else {
            findings.add("the vendor knows every id that was tried: \(kept)")
            return findings.violations
        }
        for id in [unknown, AnimalID("no-such-animal")] {
            await findings.expectError(.notFound, "animal \(id)") { try await subject.services.catalogue.animal(id) }
        }
        return findings.violations
    }

    private static let extraField = Rule<SanctuarySubject>(
        "GET-03",
        "Fields that nobody knows are ignored"
    ) { subject, _ in
        var findings = Findings()
        let seeded = try await prepare(subject, .extraField)
        findings.expectEqual(try await subject.services.catalogue.animal(seeded[3].id), seeded[3], "animal")
        findings.expect(
            await Walk(SanctuaryCalls.animals.perform(subject), limit: 50, atMost: 3),
            gives: seeded,
            "page"
        )
        return findings.violations
    }

    private static let missingField = Rule<SanctuarySubject>(
        "GET-04",
        "A missing field throws decoding, naming its path"
    ) { subject, _ in
        var findings = Findings()
        let seeded = try await prepare(subject, .missing(field: "name"))
        let error = await findings.expectError(.decoding, "animal without a name") {
            try await subject.services.catalogue.animal(seeded[3].id)
        }
        findings.expect(error?.subject?.contains("name") ?? (error == nil), "animal: path \(error?.subject ?? "none")")
        let pageError = await findings.expectError(.decoding, "page with an animal without a name") {
            try await subject.services.catalogue.animals(PageRequest(limit: 50))
        }
        if let pageError {
            let path = pageError.subject ?? "none"
            findings.expect(path.contains("[3]") && path.contains("name"), "page: path \(path), not [3] and name")
        }
        return findings.violations
    }

    private static let unknownGroup = Rule<SanctuarySubject>(
        "GET-07",
        "A group that nobody has heard of is unknown(raw), and does the other animals no harm"
    ) { subject, _ in
        var findings = Findings()
        var expected = try await prepare(subject, .unknownGroup("Cryptid"))
        expected[3].group = .unknown("Cryptid")
        findings.expectEqual(try await subject.services.catalogue.animal(expected[3].id), expected[3], "animal")
        findings.expect(
            await Walk(SanctuaryCalls.animals.perform(subject), limit: 50, atMost: 3),
            gives: expected,
            "page"
        )
        return findings.violations
    }

    /// Twenty animals, of which the one at index 3 is odd.
    private static func prepare(
        _ subject: SanctuarySubject,
        _ corruption: AnimalCorruption
    ) async throws -> [Animal] {
        try await subject.probe.reset(.empty)
        let seeded = try await subject.probe.seedAnimals(20)
        try await subject.probe.corrupt(seeded[3].id, corruption)
        return seeded
    }
}

extension SanctuarySubject {
    /// Adds an animal, and says how the port must show it.
    fileprivate func add(_ fixture: AnimalFixture) async throws -> Animal {
        Animal(
            id: try await probe.addAnimal(fixture),
            name: fixture.name,
            displayName: fixture.name,
            group: AnimalGroup(fixture.group),
            legs: expectedCount(fixture.legs),
            heads: expectedCount(fixture.heads)
        )
    }
}
