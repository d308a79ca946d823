import Cofferdam
import CofferdamContracts
import Testing

/// Checks the newer promises of lists on shelves that break them as adapters do.
@Suite struct ListPromiseTests {
    private func findings(_ rule: RuleID, of shelf: @escaping @Sendable () -> Shelf) async throws -> String {
        let rules = ShelfContract.books.rules.filter { $0.id == rule }
        let adapter = AdapterUnderTest(name: "shelf", capabilities: ["listSelection"]) { shelf() }
        let row = try #require(await ContractRunner(rules: rules, adapters: [adapter]).run().rows.first)
        return row.outcome == .failed ? row.detail ?? "" : "\(row.outcome)"
    }

    @Test func `a cursor that is only an offset is caught serving every selection`() async throws {
        let found = try await findings("LIST-10") {
            var shelf = Shelf()
            shelf.booksByPages = { [vendor = shelf.vendor] query in
                vendor.state.withLock { state in
                    let books = state.books.filter { query.selection == nil || $0.author == query.selection }
                    let start = query.page.cursor.flatMap { Int($0) } ?? 0
                    let items = Array(books.dropFirst(start).prefix(query.page.limit))
                    let end = start + items.count
                    return ListPage(items: items, next: end < books.count ? "\(end)" : nil)
                }
            }
            return shelf
        }
        #expect(found.contains("a cursor of Ann, by none: expected the error of an invalid cursor"))
        #expect(found.contains("a cursor of the whole list, by Ann: expected the error of an invalid cursor"))
    }

    @Test func `offsets into a list with the newest first repeat items that new ones push back`() async throws {
        let found = try await findings("LIST-11") {
            var shelf = Shelf()
            shelf.books = { [vendor = shelf.vendor] query in
                vendor.state.withLock { state in
                    let start = query.cursor.flatMap { Int($0) } ?? 0
                    let items = Array(state.books.reversed().dropFirst(start).prefix(query.limit))
                    let end = start + items.count
                    return ListPage(items: items, next: end < state.books.count ? "\(end)" : nil)
                }
            }
            return shelf
        }
        #expect(found.contains("were returned twice"))
    }

    /// - Parameter isRefused: whether a cursor from before the last removal is refused.
    private func offsets(isRefused: Bool) -> @Sendable () -> Shelf {
        {
            var shelf = Shelf()
            shelf.books = { [vendor = shelf.vendor] query in
                try vendor.state.withLock { state in
                    let asked = query.cursor?.split(separator: "/").compactMap { Int($0) } ?? [0, state.books.count]
                    if isRefused, asked[1] > state.books.count { throw ShelfError.invalidCursor }
                    let items = Array(state.books.dropFirst(asked[0]).prefix(query.limit))
                    let end = asked[0] + items.count
                    return ListPage(items: items, next: end < state.books.count ? "\(end)/\(state.books.count)" : nil)
                }
            }
            return shelf
        }
    }

    @Test func `offsets hide an item once an earlier one has been removed`() async throws {
        let found = try await findings("LIST-13", of: offsets(isRefused: false))
        #expect(found.contains("the first item was removed after the first page: expected 24 items, got 23, 1 missing"))
        #expect(found.contains("the whole page was removed after the first page: expected 15 items, got 5, 10 missing"))
        #expect(!found.contains("an item of a later page"))
    }

    @Test func `a walk may end with an invalid cursor at a removal`() async throws {
        #expect(try await findings("LIST-13", of: offsets(isRefused: true)) == "passed")
    }

    @Test func `a walk from the beginning has everything that a removal left`() async throws {
        let found = try await findings("LIST-13") {
            var shelf = offsets(isRefused: true)()
            shelf.books = { [vendor = shelf.vendor, clean = shelf.books] query in
                var page = try await clean(query)
                if query.cursor == nil, vendor.state.withLock({ $0.books.count }) < 25 { page.items.removeFirst() }
                return page
            }
            return shelf
        }
        #expect(found.contains("removed after the first page: a walk from the beginning: expected 24 items, got 23"))
    }

    @Test func `a list that cannot be made to grow is not judged`() async throws {
        let list = Self.list()
        let rule = try #require(list.rules.first { $0.id == "LIST-11" })
        let row = try #require(await ContractRunner(rules: [rule], adapters: [.shelf]).run().rows.first)
        #expect(row.outcome == .skipped)
        #expect(row.missingHarnessCapabilities == ["growingLists"])
        #expect(!list.rules.contains { $0.id == "LIST-10" })
    }

    @Test func `a list that the harness turns out not to change is not judged`() async {
        let unmet = UnmetRequirements(harnessCapabilities: ["changes"])
        let list = Self.list(grow: { _, _ in throw unmet }, remove: { _, _ in throw unmet })
        let rules = list.rules.filter { ["LIST-11", "LIST-13"].contains($0.id) }
        let report = await ContractRunner(rules: rules, adapters: [.shelf]).run()
        #expect(report.rows.map(\.missingHarnessCapabilities) == [["changes"], ["changes"]])
    }

    @Test func `a harness that claims what the description lacks fails the rules`() async {
        let selection = ListSelection<Shelf, Book>(
            call: shelf("books by", \.booksBy),
            arguments: [],
            selected: { _, all in all },
            arrived: { _ in [] }
        )
        let rules = Self.list(selection: selection).rules.filter { !$0.harnessCapabilities.isEmpty }
        let claimed: Set<HarnessCapability> = ["failingLists", "selectedPages", "growingLists", "shrinkingLists"]
        let adapter = AdapterUnderTest(
            name: "shelf",
            capabilities: ["listSelection"],
            harnessCapabilities: claimed
        ) { Shelf() }
        let rows = await ContractRunner(rules: rules, adapters: [adapter]).run().rows
        #expect(rows.map(\.rule) == ["LIST-09", "LIST-10", "LIST-11", "LIST-13"])
        #expect(
            rows.map(\.detail) == [
                "the harness claims failingLists, and there is no setFailing",
                "the harness claims selectedPages, and there is no pages",
                "the harness claims growingLists, and there is no grow",
                "the harness claims shrinkingLists, and there is no remove",
            ]
        )
    }

    /// A list whose harness can only do what these arguments do.
    private static func list(
        grow: (@Sendable (Shelf, _ count: Int) async throws -> Void)? = nil,
        remove: (@Sendable (Shelf, Book) async throws -> Void)? = nil,
        selection: ListSelection<Shelf, Book>? = nil
    ) -> ListOperation<Shelf, Book> {
        ListOperation(
            call: shelf("books", \.books),
            isInvalidCursor: { $0 as? ShelfError == .invalidCursor },
            seed: { shelf, count in
                shelf.vendor.state.withLock { $0 = ShelfVendor.State() }
                return (0..<count).map { _ in shelf.vendor.add() }
            },
            setQuirk: { _, _ in },
            expireCursors: { _ in },
            grow: grow,
            remove: remove,
            selection: selection
        )
    }
}
