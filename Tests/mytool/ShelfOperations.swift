// snippet: table
import Cofferdam

enum ShelfOperations {
    static let book = PortOperation<any Shelf, String, Book>("book", .read) { try await $0.book($1) }
        .recorded { ["id": $0] }
        .spoiled { $0.title += "?" }

    static let books = PortOperation<any Shelf, ShelfRequest, ShelfPage>("books", .read) { try await $0.books($1) }
        .paged(
            by: Paging(
                cursor: \.cursor,
                next: \.next,
                setCursor: { $0.cursor = $1 },
                setNext: { $0.next = $1 },
                invalid: { _ in ShelfError(code: .badCursor) }
            )
        )
        .recorded { ["cursor": $0.cursor, "limit": $0.limit] }

    static let put = PortOperation<any Shelf, Book, Void>("put", .write) { try await $0.put($1) }
        .recorded { ["book": $0] }
}

extension Intercepted: Shelf where Port == any Shelf {
    func book(_ id: String) async throws -> Book {
        try await call(ShelfOperations.book, id) { try await $0.book($1) }
    }

    func books(_ request: ShelfRequest) async throws -> ShelfPage {
        try await call(ShelfOperations.books, request) { try await $0.books($1) }
    }

    func put(_ book: Book) async throws { try await call(ShelfOperations.put, book) { try await $0.put($1) } }
}
// end
