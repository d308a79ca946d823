import Cofferdam

extension ListOperation {
    /// At least one for each of the ``rules``.
    public var mutants: [Mutant<Subject>] {
        [
            mutant("LIST-01", "drops the last item of a full page") { clean, query, effect in
                var page = try await clean(query)
                if page.items.count == query.limit {
                    page.items.removeLast()
                    effect.occurred()
                }
                return page
            },
            mutant("LIST-02", "always returns a cursor") { clean, query, effect in
                let endless = "on-and-on"
                if query.cursor == endless { return ListPage(items: [], next: endless) }
                var page = try await clean(query)
                if page.next == nil {
                    page.next = endless
                    effect.occurred()
                }
                return page
            },
            mutant("LIST-03", "stops on an empty page") { clean, query, effect in
                var page = try await clean(query)
                if page.items.isEmpty, page.next != nil {
                    page.next = nil
                    effect.occurred()
                }
                return page
            },
            mutant("LIST-04", "treats an empty cursor as the end") { clean, query, effect in
                var page = try await clean(query)
                if page.next == "" {
                    page.next = nil
                    effect.occurred()
                }
                return page
            },
            mutant("LIST-05", "stops silently at a repeated cursor") { clean, query, effect in
                do {
                    return try await clean(query)
                } catch  where isInvalidCursor(error) {
                    effect.occurred()
                    return ListPage(items: [], next: nil)
                }
            },
            mutant("LIST-06", "starts again from page one for an unknown cursor") { clean, query, effect in
                do {
                    return try await clean(query)
                } catch  where isInvalidCursor(error) {
                    effect.occurred()
                    return try await clean(ListQuery(limit: query.limit))
                }
            },
            mutant("LIST-07", "treats an empty page as the end of the list") { clean, query, effect in
                guard query.limit < 1 else { return try await clean(query) }
                effect.occurred()
                return ListPage(items: [], next: nil)
            },
            mutant("LIST-07", "fails above the vendor's cap") { clean, query, effect in
                var page = try await clean(query)
                guard query.limit >= aboveCap else { return page }
                // A vendor without a cap returns all in one page.
                if page.next != nil { page.next = nil } else if page.items.popLast() == nil { return page }
                effect.occurred()
                return page
            },
        ] + (sharedCursors == nil ? [forgetsExpired] : [knowsOnlyItsOwn])
            + (setFailing == nil ? [] : [beginsAgain]) + (selection?.mutants ?? [])
            + (selection?.pages.map { [leavesItsList($0), beginsAnotherList($0)] } ?? [])
            + (grow == nil ? [] : [repeatsWhatWasPushedOn, skipsWhatWasPushedOn])
            + (remove == nil ? [] : [skipsAfterRemoval, restartsAfterRemoval]) + walkMutants
    }

    private func leavesItsList(_ pages: PortCall<Subject, SelectedQuery, ListPage<Item>>) -> Mutant<Subject> {
        Mutant("LIST-10", "continues the cursor's own list, ignoring the current selection") { subject, effect in
            let given = Mutex<[String: String?]>([:])
            return pages.replaced(in: subject) { clean, query in
                do {
                    let page = try await clean(query)
                    if let next = page.next { given.withLock { $0[next] = .some(query.selection) } }
                    return page
                } catch  where isInvalidCursor(error) {
                    let known = given.withLock { given in query.page.cursor.flatMap { given[$0] } }
                    guard let selection = known else { throw error }
                    effect.occurred()
                    return try await clean(SelectedQuery(selection, query.page))
                }
            }
        }
    }

    private func beginsAnotherList(_ pages: PortCall<Subject, SelectedQuery, ListPage<Item>>) -> Mutant<Subject> {
        Mutant("LIST-10", "starts the current selection from the beginning for a cursor of another one") {
            subject,
            effect in
            pages.replaced(in: subject) { clean, query in
                do {
                    return try await clean(query)
                } catch  where isInvalidCursor(error) {
                    effect.occurred()
                    return try await clean(SelectedQuery(query.selection, ListQuery(limit: query.page.limit)))
                }
            }
        }
    }

    /// Repeats an item, as offsets do if new items come first.
    private var repeatsWhatWasPushedOn: Mutant<Subject> {
        growing("gives the last item of a page again once the list has grown") { page, last, _ in
            page.items.insert(last, at: 0)
        }
    }

    private var skipsWhatWasPushedOn: Mutant<Subject> {
        growing("skips an item once the list has grown") { page, _, before in
            if let index = page.items.firstIndex(where: before.contains) { page.items.remove(at: index) }
        }
    }

    /// - Parameter change: corrupts a page before which the list has grown; receives the last item of the page before,
    ///   and all items that the list had then.
    private func growing(
        _ name: String,
        _ change: @escaping @Sendable (inout ListPage<Item>, _ last: Item, _ before: [Item]) -> Void
    ) -> Mutant<Subject> {
        Mutant("LIST-11", name) { subject, effect in
            let before = Mutex((last: Item?.none, all: [Item]()))
            return call.replaced(in: subject) { clean, query in
                var page = try await clean(query)
                let whole = await Walk(clean, limit: max(1, query.limit), atMost: 100)
                let old = before.withLock { before in
                    defer { before = (page.items.last, whole.items) }
                    return before
                }
                guard query.cursor != nil, let last = old.last, whole.items.count > old.all.count else { return page }
                effect.occurred()
                change(&page, last, old.all)
                return page
            }
        }
    }

    /// Skips an item, as offsets do if an earlier item is removed.
    private var skipsAfterRemoval: Mutant<Subject> {
        shrinking("skips an item once another one has been removed") { clean, query in
            do {
                var page = try await clean(query)
                if !page.items.isEmpty { page.items.removeFirst() }
                return page
            } catch  where isInvalidCursor(error) {
                return ListPage(items: [], next: nil)
            }
        }
    }

    private var restartsAfterRemoval: Mutant<Subject> {
        shrinking("starts again from page one once an item has been removed") { clean, query in
            try await clean(ListQuery(limit: query.limit))
        }
    }

    /// - Parameter page: returns a page, wrongly, before which the list has shrunk.
    private func shrinking(
        _ name: String,
        _ page:
            @escaping @Sendable (
                _ clean: PortCall<Subject, ListQuery, ListPage<Item>>.Perform, ListQuery
            ) async throws -> ListPage<Item>
    ) -> Mutant<Subject> {
        Mutant("LIST-13", name) { subject, effect in
            let known = Mutex(0)
            return call.replaced(in: subject) { clean, query in
                let count = await Walk(clean, limit: max(1, query.limit), atMost: 100).items.count
                let before = known.withLock { known in
                    defer { known = count }
                    return known
                }
                guard query.cursor != nil, count < before else { return try await clean(query) }
                effect.occurred()
                return try await page(clean, query)
            }
        }
    }

    private var beginsAgain: Mutant<Subject> {
        Mutant("LIST-09", "restarts after a failure, and returns the first page twice") { subject, effect in
            let hasFailed = Mutex(false)
            return call.replaced(in: subject) { clean, query in
                do {
                    let page = try await clean(query)
                    guard hasFailed.withLock({ $0 }) else { return page }
                } catch {
                    hasFailed.withLock { $0 = true }
                    throw error
                }
                hasFailed.withLock { $0 = false }
                effect.occurred()
                return try await clean(ListQuery(limit: query.limit))
            }
        }
    }

    private var knowsOnlyItsOwn: Mutant<Subject> {
        Mutant("LIST-12", "starts again for a cursor from another instance") { subject, effect in
            let own = Mutex<Set<String>>([])
            return call.replaced(in: subject) { clean, query in
                var query = query
                if let cursor = query.cursor, !own.withLock({ $0.contains(cursor) }) {
                    effect.occurred()
                    query.cursor = nil
                }
                let page = try await clean(query)
                if let next = page.next { own.withLock { _ = $0.insert(next) } }
                return page
            }
        }
    }

    private var forgetsExpired: Mutant<Subject> {
        Mutant("LIST-06", "starts again from page one for an expired cursor of its own") { subject, effect in
            let own = Mutex<Set<String>>([])
            return call.replaced(in: subject) { clean, query in
                do {
                    let page = try await clean(query)
                    if let next = page.next { own.withLock { _ = $0.insert(next) } }
                    return page
                } catch  where isInvalidCursor(error) {
                    guard let cursor = query.cursor, own.withLock({ $0.contains(cursor) }) else { throw error }
                    effect.occurred()
                    return try await clean(ListQuery(limit: query.limit))
                }
            }
        }
    }

    private func mutant(
        _ rule: RuleID,
        _ name: String,
        _ operation:
            @escaping @Sendable (
                _ clean: PortCall<Subject, ListQuery, ListPage<Item>>.Perform, ListQuery, MutantEffect
            ) async throws -> ListPage<Item>
    ) -> Mutant<Subject> {
        Mutant(rule, name) { subject, effect in
            call.replaced(in: subject) { try await operation($0, $1, effect) }
        }
    }
}
