extension ListOperation {
    var anyLimit: Rule<Subject> {
        Rule(
            "LIST-07",
            "A limit below 1 is refused or treated as 1, as the port documents, and one above the vendor's cap returns the whole list"
        ) { subject, _ in
            var findings = Findings()
            let seeded = try await seedThreePages(subject)
            for limit in [0, -1, Int.min] {
                if let isInvalidLimit {
                    await findings.expectError("the error of an invalid limit", "limit \(limit)", where: isInvalidLimit)
                    {
                        try await call(subject, ListQuery(limit: limit))
                    }
                } else {
                    let page = try await call(subject, ListQuery(limit: limit))
                    expectFirst(1, of: seeded, in: page.items, "items of a page of \(limit)", &findings)
                }
            }
            let many = try await seed(subject, aboveCap * 3 / 5)
            for limit in [aboveCap, 1_000_000, Int.max] {
                let walk = await Walk(call.perform(subject), limit: limit, atMost: many.count + 2)
                findings.expect(walk, gives: many, inOrder: isOrdered, "limit \(limit)")
            }
            return findings.violations
        }
    }

    var failingPage: Rule<Subject> {
        Rule(
            "LIST-09",
            "A failing page throws after the earlier pages were returned, and resuming from the last cursor repeats nothing",
            level: .should,
            harnessCapabilities: setFailing == nil ? ["failingLists"] : []
        ) { subject, _ in
            guard let setFailing else { return [.undescribed("failingLists", "setFailing")] }
            var findings = Findings()
            let seeded = try await seedThreePages(subject)
            let first = try await call(subject, ListQuery(limit: limit))
            guard let next = first.next else {
                findings.add("the first of three pages has no cursor")
                return findings.violations
            }
            try await setFailing(subject, true)
            await findings.expectError("an error", "a page that fails", where: { _ in true }) {
                try await call(subject, ListQuery(cursor: next, limit: limit))
            }
            try await setFailing(subject, false)
            let rest = await Walk(call.perform(subject), from: next, limit: limit, atMost: seeded.count)
            expectFirst(first.items.count, of: seeded, in: first.items, "the page before", &findings)
            let left = self.rest(of: seeded, after: first.items)
            findings.expect(rest, gives: left, inOrder: isOrdered, "the pages from the last cursor")
            return findings.violations
        }
    }

    var selected: Rule<Subject> {
        let tag = selection?.capability ?? "listSelection"
        return Rule(
            "LIST-08",
            "Filters and sort orders reach the vendor, and change the list",
            requires: [tag]
        ) { subject, _ in
            guard let selection else { return [Violation("\(call.name) has no selection, though \(tag) is declared")] }
            return try await selection.violations(subject, try await seedThreePages(subject), inOrder: isOrdered)
        }
    }
}
