// snippet: contract
import CofferdamContracts

enum ShelfContract {
    static let rules: [Rule<any Shelf>] = [
        Rule("shelf/SHELF-01", "A book that was put is found, also one without a number of pages") { shelf, _ in
            var findings = Findings()
            for book in [Book(id: "8", title: "Emma", pages: 474), Book(id: "9", title: "Dune")] {
                try await shelf.put(book)
                findings.expectEqual(try await shelf.book(book.id), book, "the book")
            }
            return findings.violations
        },
        Rule("shelf/SHELF-02", "A book that is not there is an error") { shelf, _ in
            do {
                return [Violation("expected noSuchBook, got \(try await shelf.book("none"))")]
            } catch let error as ShelfError where error.code == .noSuchBook {
                return []
            }
        },
    ]

    /// What each adapter's library has at the beginning.
    static let seed = [
        Book(id: "1", title: "Emma", pages: 474), Book(id: "2", title: "Dune"),
        Book(id: "3", title: "Ulysses", pages: 730), Book(id: "4", title: "Dracula", pages: 418),
    ]
}

extension AdapterUnderTest<any Shelf> {
    static let v1 = AdapterUnderTest(name: "v1", identity: AdapterIdentity(version: "1", sdk: "1.9")) {
        V1Shelf(sdk: LibraryV1(library: .seeded()))
    }
    static let v2 = AdapterUnderTest(name: "v2", identity: AdapterIdentity(version: "1", sdk: "2.0")) {
        V2Shelf(sdk: LibraryV2(library: .seeded()))
    }
    static let fake = AdapterUnderTest(name: "fake", identity: AdapterIdentity(.fake, version: "1", sdk: "none")) {
        FakeShelf(ShelfContract.seed)
    }
}
// end

extension Library {
    static func seeded() -> Library {
        Library(ShelfContract.seed.map { Entry(id: $0.id, title: $0.title, pages: $0.pages) })
    }
}
