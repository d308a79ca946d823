// What a cursor leads to when it is used elsewhere, or when the list has changed in the meantime.
extension ListOperation {
    func ownSelection(_ selection: ListSelection<Subject, Item>) -> Rule<Subject> {
        let rule = Rule<Subject>(
            "LIST-10",
            "A cursor is valid for its own selection only: with another selection it is an error, never a page of another list",
            requires: [selection.capability],
            harnessCapabilities: selection.pages == nil ? ["selectedPages"] : []
        ) { subject, _ in
            guard let pages = selection.pages else { return [.undescribed("selectedPages", "pages")] }
            var findings = Findings()
            let all = try await seedThreePages(subject)
            guard let own = selection.arguments.first(where: { selection.selected($0, all).count > 1 }) else {
                findings.add("no argument selects more than one item")
                return findings.violations
            }
            let first = try await pages(subject, SelectedQuery(own, ListQuery(limit: 1)))
            let whole = try await pages(subject, SelectedQuery(nil, ListQuery(limit: 1)))
            guard let next = first.next, let nextOfAll = whole.next else {
                findings.add("a page with one of several items has no cursor")
                return findings.violations
            }
            for other in selection.arguments.filter({ $0 != own }) + [nil] {
                await expectInvalid("a cursor of \(own), by \(other ?? "none")", &findings) {
                    try await pages(subject, SelectedQuery(other, ListQuery(cursor: next, limit: limit)))
                }
            }
            await expectInvalid("a cursor of the whole list, by \(own)", &findings) {
                try await pages(subject, SelectedQuery(own, ListQuery(cursor: nextOfAll, limit: limit)))
            }
            // None of this has used up the cursor.
            let rest = await Walk(
                { try await pages(subject, SelectedQuery(own, $0)) },
                from: next,
                limit: limit,
                atMost: all.count
            )
            let expected = self.rest(of: selection.selected(own, all), after: first.items)
            findings.expect(rest, gives: expected, inOrder: isOrdered, "the pages of \(own) from its cursor")
            return findings.violations
        }
        guard sharedCursors != nil else { return rule }
        return rule.inapplicable(because: "a cursor of the port's own means the same, whatever is selected")
    }

    func servedElsewhere(_ shared: SharedCursors<Subject>) -> Rule<Subject> {
        Rule(
            "LIST-12",
            "A cursor of the port's own works on any instance: paging that switches instance at each page returns everything once"
        ) { subject, _ in
            var findings = Findings()
            let all = try await seedThreePages(subject)
            let other = try await shared.elsewhere(subject)
            for (what, first, second) in [("away and back", subject, other), ("back and away", other, subject)] {
                var calls = 0
                func page(_ query: ListQuery) async throws -> ListPage<Item> {
                    calls += 1
                    return try await call(calls.isMultiple(of: 2) ? second : first, query)
                }
                let walk = await Walk(page, limit: limit, atMost: all.count)
                findings.expect(walk.calls > 1, "\(what): the first of three pages has no cursor")
                findings.expect(walk, gives: all, inOrder: isOrdered, what)
            }
            await shared.close(other)
            return findings.violations
        }
    }

    var growingList: Rule<Subject> {
        Rule(
            "LIST-11",
            "A list that grows during paging returns the original items exactly once, and nothing twice",
            harnessCapabilities: grow == nil ? ["growingLists"] : []
        ) { subject, _ in
            guard let grow else { return [.undescribed("growingLists", "grow")] }
            var findings = Findings()
            for added in [1, limit] {
                let seeded = try await seedThreePages(subject)
                var growths = 0
                func pageThenGrowth(_ query: ListQuery) async throws -> ListPage<Item> {
                    let page = try await call(subject, query)
                    if page.next != nil, growths < 3 {
                        growths += 1
                        try await grow(subject, added)
                    }
                    return page
                }
                let walk = await Walk(pageThenGrowth, limit: limit, atMost: seeded.count + 3 * added)
                if case .failed(let unmet as UnmetRequirements) = walk.end { throw unmet }
                let what = "\(added) more after each page"
                findings.expect(growths > 0, "\(what): the first of three pages has no cursor")
                findings.expect(walk.didEnd, "\(what): the walk did not finish: \(walk.end)")
                let known = Set(seeded)
                findings.expect(walk.items.filter(known.contains), are: seeded, inOrder: isOrdered, what)
                let twice = walk.items.count - Set(walk.items).count
                findings.expect(twice == 0, "\(what): \(twice) were returned twice")
            }
            return findings.violations
        }
    }

    var shrinkingList: Rule<Subject> {
        Rule(
            "LIST-13",
            "A removal during paging hides none of the other items: each comes exactly once, or the walk ends with the invalid-cursor error and a new one has them all",
            harnessCapabilities: remove == nil ? ["shrinkingLists"] : []
        ) { subject, _ in
            guard let remove else { return [.undescribed("shrinkingLists", "remove")] }
            var findings = Findings()
            for removal in Removal.allCases {
                let seeded = try await seedThreePages(subject)
                var removed: Set<Item> = []
                func pageThenRemoval(_ query: ListQuery) async throws -> ListPage<Item> {
                    let page = try await call(subject, query)
                    guard removed.isEmpty else { return page }
                    removed = Set(removal.items(of: page.items, in: seeded))
                    for item in seeded where removed.contains(item) { try await remove(subject, item) }
                    return page
                }
                let walk = await Walk(pageThenRemoval, limit: limit, atMost: seeded.count)
                if case .failed(let unmet as UnmetRequirements) = walk.end { throw unmet }
                let others = seeded.filter { !removed.contains($0) }
                let what = "\(removal.rawValue) was removed after the first page"
                findings.expect(walk.calls > 1, "\(what): the first of three pages has no cursor")
                let twice = walk.items.count - Set(walk.items).count
                findings.expect(twice == 0, "\(what): \(twice) were returned twice")
                switch walk.end {
                case .lastPage:
                    let found = walk.items.filter { !removed.contains($0) }
                    findings.expect(found, are: others, inOrder: isOrdered, what)
                case .failed(let error) where isInvalidCursor(error):
                    let again = await Walk(call.perform(subject), limit: limit, atMost: seeded.count)
                    findings.expect(again, gives: others, inOrder: isOrdered, "\(what): a walk from the beginning")
                case .failed, .tooLong: findings.add("\(what): the walk did not finish: \(walk.end)")
                }
            }
            return findings.violations
        }
    }
}

/// What LIST-13 removes once it has read the first page.
private enum Removal: String, CaseIterable {
    case first = "the first item"
    case last = "the last item of the page"
    case page = "the whole page"
    case later = "an item of a later page"

    func items<Item: Hashable>(of page: [Item], in all: [Item]) -> [Item] {
        switch self {
        case .first: Array(page.prefix(1))
        case .last: Array(page.suffix(1))
        case .page: page
        case .later: Array(all.filter { !page.contains($0) }.prefix(1))
        }
    }
}
