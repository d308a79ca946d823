import Cofferdam
import CofferdamContracts

@testable import CofferdamTool
@testable import mytool

extension ShelfOperations {
    static let unrecorded = PortOperation<any Shelf, String, Book>("unrecorded", .read) { try await $0.book($1) }
}

/// An adapter whose cursors no other adapter understands.
struct ShelfDouble: Shelf {
    let name: String
    var books: [Book]
    /// Thrown instead of an answer.
    var failure: ShelfError?
    /// Whether each page leads to the second one.
    var isEndless = false

    init(_ name: String, _ books: [Book] = ShelfContract.seed) {
        self.name = name
        self.books = books
    }

    func book(_ id: String) async throws -> Book {
        if let failure { throw failure }
        guard let book = books.first(where: { $0.id == id }) else { throw ShelfError(code: .noSuchBook) }
        return book
    }

    func books(_ request: ShelfRequest) async throws -> ShelfPage {
        if let failure { throw failure }
        let prefix = "\(name)-\(request.limit)-"
        guard request.cursor?.hasPrefix(prefix) ?? true,
            let start = Int(request.cursor?.dropFirst(prefix.count) ?? "0")
        else { throw ShelfError(code: .badCursor) }
        if isEndless { return ShelfPage(items: [], next: "\(prefix)1") }
        let end = min(start + request.limit, books.count)
        return ShelfPage(items: Array(books[start..<end]), next: end < books.count ? "\(prefix)\(end)" : nil)
    }

    func put(_ book: Book) async throws { throw ShelfError(code: .failed) }
}

extension ShelfDouble {
    var adapter: AdapterUnderTest<any Shelf> {
        AdapterUnderTest(name: name, identity: AdapterIdentity(version: "1", sdk: name), open: { self })
    }
}

extension TapeTooling<any Shelf> {
    static func shelves(knowing known: [KnownDrift] = []) -> Self {
        TapeTooling(
            calls: [
                TapedCall(ShelfOperations.book, on: { $0 }, calls: ["1", "2", "none"]),
                TapedCall(ShelfOperations.books, on: { $0 }, calls: [ShelfRequest(limit: 2), ShelfRequest(limit: 3)]),
            ],
            errors: ShelfErrorRecord.self,
            known: [DriftKnowledge(id: "D1", title: "known", drifts: known)]
        )
    }
}
