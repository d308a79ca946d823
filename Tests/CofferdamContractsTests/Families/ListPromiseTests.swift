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
        let list = ListOperation<Shelf, Book>(
            call: shelf("books", \.books),
            isInvalidCursor: { _ in false },
            seed: { _, _ in [] },
            setQuirk: { _, _ in },
            expireCursors: { _ in }
        )
        let rule = try #require(list.rules.first { $0.id == "LIST-11" })
        let row = try #require(await ContractRunner(rules: [rule], adapters: [.shelf]).run().rows.first)
        #expect(row.outcome == .skipped)
        #expect(row.missingHarnessCapabilities == ["growingLists"])
        #expect(!list.rules.contains { $0.id == "LIST-10" })
    }
}
