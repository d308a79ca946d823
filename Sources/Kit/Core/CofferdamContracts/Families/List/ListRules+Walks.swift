import Cofferdam

// Walks that run at once, and limits that change from page to page.
extension ListOperation {
    var everyLimit: Rule<Subject> {
        Rule(
            "LIST-14",
            "No page, the first or a later one, has more items than its own limit, also if the limit changes from page to page"
        ) { subject, _ in
            var findings = Findings()
            let seeded = try await seedThreePages(subject)
            for limits in [[limit], [limit, 1], [1, limit, 2]] {
                var sizes: [(items: Int, limit: Int)] = []
                func page(_ query: ListQuery) async throws -> ListPage<Item> {
                    let limit = limits[sizes.count % limits.count]
                    let page = try await call(subject, ListQuery(cursor: query.cursor, limit: limit))
                    sizes.append((page.items.count, limit))
                    return page
                }
                let what = "limits \(limits)"
                let walk = await Walk(page, limit: limit, atMost: seeded.count + 2)
                findings.expect(walk, gives: seeded, inOrder: isOrdered, what)
                for (number, size) in sizes.enumerated() where size.items > size.limit {
                    findings.add("\(what): page \(number + 1) has \(size.items) items, its limit is \(size.limit)")
                }
            }
            return findings.violations
        }
    }

    var walksAtOnce: Rule<Subject> {
        Rule(
            "LIST-15",
            "Walks at once, with other limits and selections, page by page in any order, each show what they show alone, also when a page is asked for twice",
            consults: selection.map { [$0.capability] } ?? []
        ) { subject, context in
            let all = try await seedThreePages(subject)
            var walks = [
                walk("by \(limit)", all, limit) { try await call(subject, $0) },
                walk("by \(smallLimit)", all, smallLimit) { try await call(subject, $0) },
            ]
            if let selection, let pages = selection.pages, context.capabilities.contains(selection.capability) {
                walks += selection.arguments.prefix(2).map { argument in
                    walk("of \(argument)", selection.selected(argument, all), smallLimit) {
                        try await pages(subject, SelectedQuery(argument, $0))
                    }
                }
            }
            return try await interleaved(walks)
        }
    }

    func walksOfTwo(_ instances: ListInstances<Subject, Item>) -> Rule<Subject> {
        Rule(
            "LIST-16",
            "Walks at once on two instances of the adapter, also of two users, each show what they show alone",
            requires: [instances.capability]
        ) { subject, _ in
            let all = try await seedThreePages(subject)
            let other = try await instances.another(subject)
            do {
                try await instances.prepare(other)
                var violations = try await interleaved([
                    walk("on one", all, limit) { try await call(subject, $0) },
                    walk("on the other", all, smallLimit) { try await call(other, $0) },
                    walk("on the other, again", all, limit) { try await call(other, $0) },
                ])
                if let user = instances.otherUser {
                    try await user.signIn(other)
                    let theirs = try await user.seed?(subject, all.count - 1) ?? all
                    violations += try await interleaved([
                        walk("of one user", all, limit) { try await call(subject, $0) },
                        walk("of the other user", theirs, limit) { try await call(other, $0) },
                        walk("of one user, again", all, smallLimit) { try await call(subject, $0) },
                        walk("of the other user, again", theirs, smallLimit) { try await call(other, $0) },
                    ])
                }
                await instances.close(other)
                return violations
            } catch {
                await instances.close(other)
                throw error
            }
        }
    }

    private var smallLimit: Int { max(1, limit / 3) }

    /// - Parameter expected: what the walk shows alone.
    private func walk(
        _ name: String,
        _ expected: [Item],
        _ limit: Int,
        _ page: @escaping @Sendable (ListQuery) async throws -> ListPage<Item>
    ) -> PlannedWalk<Item> {
        PlannedWalk(name: name, expected: expected, page: page, query: ListQuery(limit: limit))
    }

    /// Takes the walks' pages in several orders, which only the seeds decide.
    private func interleaved(_ plans: [PlannedWalk<Item>]) async throws -> [Violation] {
        var findings = Findings()
        for seed in 1...3 as ClosedRange<UInt64> {
            var (generator, walks) = (SeededGenerator(seed: seed), plans)
            while let index = walks.indices.filter({ !walks[$0].isOver }).randomElement(using: &generator) {
                try await walks[index].step(asksTwice: Bool.random(using: &generator), inOrder: isOrdered)
            }
            for walk in walks {
                let what = "\(walk.name), order \(seed)"
                if let problem = walk.problem { findings.add("\(what): \(problem)") }
                findings.expect(walk.items, are: walk.expected, inOrder: isOrdered, what)
            }
        }
        return findings.violations
    }
}

/// One of several walks whose pages are taken in turns.
private struct PlannedWalk<Item: Sendable & Hashable> {
    let name: String
    let expected: [Item]
    let page: @Sendable (ListQuery) async throws -> ListPage<Item>
    var query: ListQuery
    var items: [Item] = []
    var calls = 0
    var isOver = false
    var problem: String?

    /// Takes the next page.
    ///
    /// - Parameter asksTwice: whether to ask for it once more, and to go on from the second answer.
    mutating func step(asksTwice: Bool, inOrder: Bool) async throws {
        do {
            var page = try await page(query)
            if asksTwice {
                let again = try await self.page(query)
                // Without an order, a walk that begins again may have another one.
                let isSame =
                    inOrder ? again.items == page.items : query.cursor == nil || Set(again.items) == Set(page.items)
                if !isSame {
                    problem = "page \(calls + 1), asked for twice, is another one the second time"
                }
                page = again
            }
            items += page.items
            calls += 1
            query.cursor = page.next
            isOver = page.next == nil
            if !isOver, calls > expected.count + 1 { (isOver, problem) = (true, "no end within \(calls) pages") }
        } catch {
            try Task.checkCancellation()
            (isOver, problem) = (true, "page \(calls + 1) fails: \(error)")
        }
    }
}

/// The instances of an adapter that are open at the same time and show the same list, for LIST-16.
public struct ListInstances<Subject: Sendable, Item: Sendable & Hashable>: Sendable {
    let capability: CapabilityTag
    let another: PortCall<Subject, Void, Subject>
    let prepare: @Sendable (Subject) async throws -> Void
    let otherUser: OtherUser?
    let close: @Sendable (Subject) async -> Void

    /// Describes how another instance is opened on the same list.
    ///
    /// - Parameters:
    ///   - capability: the capability of adapters that can have several instances.
    ///   - another: opens another instance on the same vendor.
    ///   - prepare: signs the same user in on it, where that is needed.
    ///   - otherUser: another user of the vendor; nil if the port knows no users.
    ///   - close: closes it.
    public init(
        capability: CapabilityTag = "instances",
        another: PortCall<Subject, Void, Subject>,
        prepare: @escaping @Sendable (Subject) async throws -> Void = { _ in },
        otherUser: OtherUser? = nil,
        close: @escaping @Sendable (Subject) async -> Void
    ) {
        self.capability = capability
        self.another = another
        self.prepare = prepare
        self.otherUser = otherUser
        self.close = close
    }

    /// The user of the other instance, while the first one's user walks the list too.
    public struct OtherUser: Sendable {
        let signIn: @Sendable (Subject) async throws -> Void
        let seed: (@Sendable (Subject, _ count: Int) async throws -> [Item])?

        /// Describes another user of the vendor.
        ///
        /// - Parameters:
        ///   - signIn: signs the user in on an instance, in place of the one who is signed in there.
        ///   - seed: adds this many items that the list shows to this user alone, and returns what it then shows to
        ///     them. Nil if it shows the same to all users.
        public init(
            signIn: @escaping @Sendable (Subject) async throws -> Void,
            seed: (@Sendable (Subject, _ count: Int) async throws -> [Item])? = nil
        ) {
            self.signIn = signIn
            self.seed = seed
        }
    }
}

extension ListOperation {
    /// The mutants that break LIST-14 to LIST-16.
    var walkMutants: [Mutant<Subject>] {
        [
            Mutant("LIST-14", "keeps the first page's limit for the whole walk") { subject, effect in
                let first = Mutex(0)
                return call.replaced(in: subject) { clean, query in
                    if query.cursor == nil { first.withLock { $0 = query.limit } }
                    let limit = first.withLock(\.self)
                    if limit != query.limit { effect.occurred() }
                    return try await clean(ListQuery(cursor: query.cursor, limit: limit))
                }
            },
            Mutant("LIST-15", "has one position for all walks") { subject, effect in
                sharing(SharedPosition(), in: subject, effect)
            },
            Mutant("LIST-15", "goes on when a page is asked for twice") { subject, effect in
                let last = Mutex<(asked: String?, next: String?)>((nil, nil))
                return call.replaced(in: subject) { clean, query in
                    var query = query
                    let known = last.withLock(\.self)
                    if let cursor = query.cursor, cursor == known.asked, let next = known.next {
                        effect.occurred()
                        query.cursor = next
                    }
                    let page = try await clean(query)
                    last.withLock { [query] in $0 = (query.cursor, page.next) }
                    return page
                }
            },
        ] + (instances.map { [haveOnePosition($0)] + ($0.otherUser?.seed == nil ? [] : [haveOneUser($0)]) } ?? [])
    }

    private func haveOneUser(_ instances: ListInstances<Subject, Item>) -> Mutant<Subject> {
        Mutant("LIST-16", "asks as the first instance's user on all of them") { subject, effect in
            instances.another.replaced(in: subject) { clean in
                call.replaced(in: try await clean()) { _, query in
                    effect.occurred()
                    return try await call(subject, query)
                }
            }
        }
    }

    private func haveOnePosition(_ instances: ListInstances<Subject, Item>) -> Mutant<Subject> {
        Mutant("LIST-16", "has one position for the walks of all instances") { subject, effect in
            let position = SharedPosition()
            return instances.another.replaced(in: sharing(position, in: subject, effect)) { clean in
                sharing(position, in: try await clean(), effect)
            }
        }
    }

    /// Returns the subject whose walks go on where any of them was last.
    private func sharing(_ position: SharedPosition, in subject: Subject, _ effect: MutantEffect) -> Subject {
        call.replaced(in: subject) { clean, query in
            var query = query
            if let cursor = query.cursor, let last = position.cursor.withLock(\.self), last != cursor {
                effect.occurred()
                query.cursor = last
            }
            let page = try await clean(query)
            position.cursor.withLock { $0 = page.next }
            return page
        }
    }
}

private final class SharedPosition: Sendable {
    let cursor = Mutex<String?>(nil)
}
