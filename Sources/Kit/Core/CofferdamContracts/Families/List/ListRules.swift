extension ListOperation {
    /// LIST-01 to LIST-16; LIST-10 only if there is a `selection`, LIST-12 only if there are `sharedCursors`, LIST-16
    /// only if there are `instances`.
    public var rules: [Rule<Subject>] {
        [
            wholeList, lastPage, emptyPage, emptyCursor, repeatedCursor, invalidCursor, anyLimit, selected,
            failingPage,
        ] + (selection.map { [ownSelection($0)] } ?? []) + [growingList]
            + (sharedCursors.map { [servedElsewhere($0)] } ?? []) + [shrinkingList, everyLimit, walksAtOnce]
            + (instances.map { [walksOfTwo($0)] } ?? [])
    }

    private var wholeList: Rule<Subject> {
        Rule(
            "LIST-01",
            "Paging returns every item exactly once, in the documented order, whatever the limit and the vendor's cap"
        ) { subject, _ in
            var findings = Findings()
            let sizes = [0, 1, limit - 1, limit, limit + 1, 2 * limit + 1].map { (count: $0, limit: limit) }
            for (count, limit) in sizes + [(count: aboveCap * 3 / 5, limit: aboveCap)] {
                let seeded = try await seed(subject, count)
                let walk = await Walk(call.perform(subject), limit: limit, atMost: count + 2)
                findings.expect(walk, gives: seeded, inOrder: isOrdered, "\(count) items, \(limit) a page")
            }
            return findings.violations
        }
    }

    private var lastPage: Rule<Subject> {
        Rule(
            "LIST-02",
            "The last page has no cursor, and paging takes at most one call more than there are full pages"
        ) { subject, _ in
            var findings = Findings()
            for count in [0, 1, limit - 1, limit, limit + 1, 2 * limit] {
                _ = try await seed(subject, count)
                let bound = (count + limit - 1) / limit + 1
                let walk = await Walk(call.perform(subject), limit: limit, atMost: bound)
                findings.expect(walk.didEnd, "\(count) items: no end within \(bound) calls: \(walk.end)")
            }
            return findings.violations
        }
    }

    private var emptyPage: Rule<Subject> {
        Rule("LIST-03", "An empty page with a cursor does not end the list") { subject, _ in
            try await quirky(subject, .emptyPageWithCursor)
        }
    }

    private var emptyCursor: Rule<Subject> {
        Rule(
            "LIST-04",
            "A missing cursor ends the list; an empty cursor does not",
            requires: [vendorCursors]
        ) { subject, _ in try await quirky(subject, .emptyStringCursor) }
    }

    private var repeatedCursor: Rule<Subject> {
        Rule(
            "LIST-05",
            "A repeated cursor ends paging with the invalid-cursor error, neither looping nor stopping silently"
        ) { subject, _ in
            var findings = Findings()
            let seeded = try await seedThreePages(subject)
            try await setQuirk(subject, .repeatedCursor)
            let walk = await Walk(call.perform(subject), limit: limit, atMost: seeded.count)
            switch walk.end {
            case .lastPage:
                findings.expect(walk, gives: seeded, inOrder: isOrdered, "a walk that ended without an error")
            case .failed(let error):
                findings.expect(isInvalidCursor(error), "expected the error of an invalid cursor, got \(error)")
            case .tooLong: findings.add("no end within \(walk.calls) calls for \(seeded.count) items")
            }
            return findings.violations
        }
    }

    private var invalidCursor: Rule<Subject> {
        let foreign = sharedCursors?.malformed ?? ["not-made-here", "../items?cursor=&limit=1", "🦄 %00"]
        let rule = Rule<Subject>(
            "LIST-06",
            "A foreign or expired cursor gives the invalid-cursor error, never page one",
            consults: [vendorCursors]
        ) { subject, context in
            var findings = Findings()
            _ = try await seedThreePages(subject)
            for foreign in foreign {
                await expectInvalid(foreign, "foreign cursor \(foreign)", subject, &findings)
            }
            guard sharedCursors == nil, context.capabilities.contains(vendorCursors) else { return findings.violations }
            guard let next = try await call(subject, ListQuery(limit: limit)).next else {
                findings.add("the first of three pages has no cursor")
                return findings.violations
            }
            try await expireCursors(subject)
            await expectInvalid(next, "expired cursor", subject, &findings)
            return findings.violations
        }
        return foreign.isEmpty ? rule.inapplicable(because: "every text is a cursor of this list") : rule
    }

    private func expectInvalid(
        _ cursor: String,
        _ what: String,
        _ subject: Subject,
        _ findings: inout Findings
    ) async {
        await expectInvalid(what, &findings) { try await call(subject, ListQuery(cursor: cursor, limit: limit)) }
    }

    func expectInvalid(
        _ what: String,
        _ findings: inout Findings,
        _ fetch: () async throws -> ListPage<Item>
    ) async {
        do {
            let page = try await fetch()
            findings.add("\(what): expected the error of an invalid cursor, got \(page.items.count) items")
        } catch {
            findings.expect(isInvalidCursor(error), "\(what): expected the error of an invalid cursor, got \(error)")
        }
    }

    /// Expects a walk over three pages to be complete despite the quirk.
    private func quirky(_ subject: Subject, _ quirk: PagingQuirk) async throws -> [Violation] {
        var findings = Findings()
        let seeded = try await seedThreePages(subject)
        try await setQuirk(subject, quirk)
        let walk = await Walk(call.perform(subject), limit: limit, atMost: seeded.count)
        findings.expect(walk, gives: seeded, inOrder: isOrdered, quirk.rawValue)
        return findings.violations
    }

    /// What is left of a list after its first page.
    func rest(of all: [Item], after page: [Item]) -> [Item] {
        isOrdered ? Array(all.dropFirst(page.count)) : all.filter { !page.contains($0) }
    }

    /// Expects the page to have this many of the items: the first ones, if there is an order.
    func expectFirst(_ count: Int, of all: [Item], in page: [Item], _ what: String, _ findings: inout Findings) {
        guard !isOrdered else { return findings.expectEqual(page, Array(all.prefix(count)), what) }
        findings.expectEqual(Set(page).intersection(all).count, count, "\(what): how many of the list's items it has")
        findings.expectEqual(page.count, count, "\(what): how many items it has")
    }

    func seedThreePages(_ subject: Subject) async throws -> [Item] {
        try await seed(subject, 2 * limit + (limit + 1) / 2)
    }
}
