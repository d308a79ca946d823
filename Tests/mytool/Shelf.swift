// snippet: port
/// The books of a library.
protocol Shelf: Sendable {
    /// - Throws: `noSuchBook`.
    func book(_ id: String) async throws -> Book

    /// One page of the books, in the order of their ids.
    ///
    /// - Throws: `badCursor` for a cursor that this shelf has not returned.
    func books(_ request: ShelfRequest) async throws -> ShelfPage

    /// Adds the book, or replaces the one with its id.
    func put(_ book: Book) async throws
}

struct Book: Sendable, Hashable, Codable {
    var id: String
    var title: String
    var pages: Int?
}

struct ShelfRequest: Sendable, Hashable {
    var cursor: String?
    var limit = 50
}

struct ShelfPage: Sendable, Hashable, Codable {
    var items: [Book]
    var next: String?
}

struct ShelfError: Error {
    enum Code: String, Codable {
        case noSuchBook, badCursor, unreachable, outcomeUnknown, failed
    }

    var code: Code
    /// The SDK's error, for the log.
    var cause: (any Error)?
}
// end
