import CofferdamContracts
import SanctuaryDomain

/// LIST: walking the catalogue.
enum ListRules {
    static let all: [Rule<SanctuarySubject>] = [
        wholeList, lastPage, emptyPage, emptyCursor, repeatedCursor, invalidCursor,
    ]

    private static let limit = 10

    private static let wholeList = Rule<SanctuarySubject>(
        "LIST-01",
        "The pages of a walk hold every animal exactly once, oldest first, whatever the limit and the vendor's cap"
    ) { subject, _ in
        var findings = Findings()
        let sizes = [0, 1, limit - 1, limit, limit + 1, 2 * limit + 1].map { (count: $0, limit: limit) }
        for (count, limit) in sizes + [(count: 120, limit: 200)] {
            try await subject.probe.reset(.empty)
            let seeded = try await subject.probe.seedAnimals(count)
            let walk = await subject.walk(limit: limit, atMost: count + 2)
            findings.expect(walk, gives: seeded, "\(count) animals, \(limit) a page")
        }
        return findings.violations
    }

    private static let lastPage = Rule<SanctuarySubject>(
        "LIST-02",
        "The last page has no cursor, and a walk ends within one call more than there are full pages"
    ) { subject, _ in
        var findings = Findings()
        for count in [0, 1, limit - 1, limit, limit + 1, 2 * limit] {
            try await subject.probe.reset(.empty)
            _ = try await subject.probe.seedAnimals(count)
            let bound = (count + limit - 1) / limit + 1
            let walk = await subject.walk(limit: limit, atMost: bound)
            findings.expect(walk.didEnd, "\(count) animals: no end within \(bound) calls: \(walk.end)")
        }
        return findings.violations
    }

    private static let emptyPage = Rule<SanctuarySubject>(
        "LIST-03",
        "An empty page that has a cursor does not end the walk"
    ) { subject, _ in try await quirky(subject, .emptyPageWithCursor) }

    private static let emptyCursor = Rule<SanctuarySubject>(
        "LIST-04",
        "The absence of a cursor ends the walk, not its emptiness",
        requires: [Capability.vendorCursors.tag]
    ) { subject, _ in try await quirky(subject, .emptyStringCursor) }

    private static let repeatedCursor = Rule<SanctuarySubject>(
        "LIST-05",
        "A cursor that repeats itself ends the walk by invalidCursor: it is never endless, and never silently short"
    ) { subject, _ in
        var findings = Findings()
        let seeded = try await prepare(subject, .repeatedCursor)
        let walk = await subject.walk(limit: limit, atMost: seeded.count)
        switch walk.end {
        case .lastPage: findings.expect(walk, gives: seeded, "a walk that ended without an error")
        case .failed(let error):
            let code = (error as? SanctuaryError)?.code
            findings.expect(code == .invalidCursor, "expected invalidCursor, got \(error)")
        case .tooLong: findings.add("no end within \(walk.calls) calls for \(seeded.count) animals")
        }
        return findings.violations
    }

    private static let invalidCursor = Rule<SanctuarySubject>(
        "LIST-06",
        "A foreign or expired cursor gives invalidCursor, never page one"
    ) { subject, context in
        var findings = Findings()
        _ = try await prepare(subject, nil)
        for foreign in ["not-made-here", "../animals?cursor=&limit=1", "🦄 %00"] {
            await findings.expectError(.invalidCursor, "foreign cursor \(foreign)") {
                try await subject.services.catalogue.animals(PageRequest(cursor: Cursor(foreign), limit: limit))
            }
        }
        guard context.capabilities.contains(Capability.vendorCursors.tag) else { return findings.violations }
        let first = try await subject.services.catalogue.animals(PageRequest(limit: limit))
        guard let next = first.next else {
            findings.add("the first of three pages has no cursor")
            return findings.violations
        }
        try await subject.probe.expireCursors()
        await findings.expectError(.invalidCursor, "expired cursor") {
            try await subject.services.catalogue.animals(PageRequest(cursor: next, limit: limit))
        }
        return findings.violations
    }

    /// A walk over three pages is complete in spite of the quirk.
    private static func quirky(_ subject: SanctuarySubject, _ quirk: PagingQuirk) async throws -> [Violation] {
        var findings = Findings()
        let seeded = try await prepare(subject, quirk)
        let walk = await subject.walk(limit: limit, atMost: seeded.count)
        findings.expect(walk, gives: seeded, quirk.rawValue)
        return findings.violations
    }

    private static func prepare(_ subject: SanctuarySubject, _ quirk: PagingQuirk?) async throws -> [Animal] {
        try await subject.probe.reset(.empty)
        let seeded = try await subject.probe.seedAnimals(2 * limit + 5)
        try await subject.probe.setPagingQuirk(quirk)
        return seeded
    }
}

extension SanctuarySubject {
    /// Walks the whole catalogue.
    func walk(limit: Int, atMost calls: Int) async -> Walk<Animal> {
        await Walk(limit: limit, atMost: calls) { try await services.catalogue.animals($0) }
    }
}
