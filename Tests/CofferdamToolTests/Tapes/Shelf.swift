import Cofferdam
import CofferdamContracts

@testable import CofferdamTool

/// A port with a get, a list of pages and a write, for tapes.
protocol Shelf: Sendable {
    func book(_ id: String) async throws -> Book
    func books(_ request: ShelfRequest) async throws -> ShelfPage
    func put(_ book: Book) async throws
}

struct Book: Sendable, Hashable, Codable {
    var id: String
    var title: String
    var pages: Int?

    static let all = [
        Book(id: "1", title: "Emma", pages: 474), Book(id: "2", title: "Dune", pages: nil),
        Book(id: "3", title: "Ulysses", pages: 730),
    ]
}

struct ShelfRequest: Sendable, Hashable {
    var cursor: String?
    var genre: String?
}

struct ShelfPage: Sendable, Hashable, Codable {
    var items: [Book]
    var next: String?
}

struct ShelfError: Error, Hashable, Codable, TapeErrorRecord {
    var code: String
}

enum ShelfOperations {
    static let book = PortOperation<any Shelf, String, Book>("book", .read) { try await $0.book($1) }
        .recorded { ["id": $0] }
    static let books = PortOperation<any Shelf, ShelfRequest, ShelfPage>("books", .read) { try await $0.books($1) }
        .paged(
            by: Paging(
                cursor: \.cursor,
                next: \.next,
                setCursor: { $0.cursor = $1 },
                setNext: { $0.next = $1 },
                invalid: { ShelfError(code: "cursor \($0)") }
            )
        )
        .recorded { ["cursor": $0.cursor, "genre": $0.genre] }
    static let put = PortOperation<any Shelf, Book, Void>("put", .write) { try await $0.put($1) }
        .recorded { ["book": $0] }
    static let unrecorded = PortOperation<any Shelf, String, Book>("unrecorded", .read) { try await $0.book($1) }
}

/// An adapter whose cursors no other adapter understands.
struct ShelfDouble: Shelf {
    let name: String
    var books: [Book]
    var pageSize = 2
    /// Thrown instead of an answer.
    var failure: ShelfError?
    /// Whether each page leads to the second one.
    var isEndless = false

    init(_ name: String, _ books: [Book]) {
        self.name = name
        self.books = books
    }

    func book(_ id: String) async throws -> Book {
        if let failure { throw failure }
        guard let book = books.first(where: { $0.id == id }) else { throw ShelfError(code: "notFound") }
        return book
    }

    func books(_ request: ShelfRequest) async throws -> ShelfPage {
        if let failure { throw failure }
        let prefix = "\(name)-\(request.genre ?? "all")-"
        guard request.cursor?.hasPrefix(prefix) ?? true,
            let start = Int(request.cursor?.dropFirst(prefix.count) ?? "0")
        else { throw ShelfError(code: "foreign cursor") }
        if isEndless { return ShelfPage(items: [], next: "\(prefix)1") }
        let end = min(start + pageSize, books.count)
        return ShelfPage(items: Array(books[start..<end]), next: end < books.count ? "\(prefix)\(end)" : nil)
    }

    func put(_ book: Book) async throws { throw ShelfError(code: "read only") }
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
                TapedCall(ShelfOperations.books, on: { $0 }, calls: [ShelfRequest(), ShelfRequest(genre: "novel")]),
            ],
            errors: ShelfError.self,
            known: [DriftKnowledge(id: "D1", title: "known", drifts: known)]
        )
    }
}
