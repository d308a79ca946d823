import Cofferdam
import CofferdamContracts

/// A port with features that few ports have: a filtered list, versions, progress, streamed uploads.
struct Shelf: Sendable {
    var books: @Sendable (ListQuery) async throws -> ListPage<Book>
    var booksByPages: @Sendable (SelectedQuery) async throws -> ListPage<Book>
    var booksBy: @Sendable (_ author: String) async throws -> [Book]
    var all: @Sendable (()) async throws -> [Book]
    var book: @Sendable (_ id: Int) async throws -> Book
    var retitle: @Sendable (Retitling) async throws -> Void
    var remove: @Sendable (_ id: Int) async throws -> Void
    var cover: @Sendable (_ id: Int) async throws -> [UInt8]
    var coverWithProgress: @Sendable (ReportedInput<Int>) async throws -> Void
    var add: @Sendable (_ cover: UploadBody) async throws -> Void
    var openAnother: @Sendable (()) async throws -> Shelf
    let vendor: ShelfVendor
}

struct Book: Sendable, Hashable {
    let id: Int
    var author: String
    var title: String
    var version: Int
}

struct Retitling: Sendable, Hashable {
    var id: Int
    var title: String
    var version: Int
}

enum ShelfError: Error, Hashable {
    case notFound, conflict, truncated, notACover, invalidCursor
}

/// The vendor: the contents of the shelf, and the calls that it received.
final class ShelfVendor: Sendable {
    struct State: Sendable {
        var books: [Book] = []
        var covers: [Int: [UInt8]] = [:]
        var authorsAsked: [String] = []
        var faults: [VendorFault] = []
        var isFailing = false
        var uploaded: [UInt8] = []
    }

    let state = Mutex(State())

    func add(author: String = "Ann") -> Book {
        state.withLock { state in
            let book = Book(id: state.books.count + 1, author: author, title: "untitled", version: 1)
            state.books.append(book)
            return book
        }
    }

    func change<Value: Sendable>(_ id: Int, _ change: (inout Book) throws -> Value) throws -> Value {
        try state.withLock { state in
            guard let index = state.books.firstIndex(where: { $0.id == id }) else { throw ShelfError.notFound }
            return try change(&state.books[index])
        }
    }
}

extension Shelf {
    /// Creates the port over a vendor, by default one of its own.
    init(_ vendor: ShelfVendor = ShelfVendor()) {
        self.vendor = vendor
        openAnother = { _ in Shelf(vendor) }
        books = { query in
            try vendor.state.withLock { state in
                if state.isFailing { throw ShelfError.truncated }
                let last = query.cursor.flatMap(Int.init) ?? 0
                let rest = state.books.drop { $0.id <= last }
                let items = Array(rest.prefix(max(1, min(query.limit, 50))))
                return ListPage(items: items, next: items.count < rest.count ? items.last.map { "\($0.id)" } : nil)
            }
        }
        booksByPages = { query in
            try vendor.state.withLock { state in
                let books = state.books.filter { query.selection == nil || $0.author == query.selection }
                var start = 0
                if let cursor = query.page.cursor {
                    let parts = cursor.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
                    guard parts.count == 2, parts[1] == query.selection ?? "", let offset = Int(parts[0]) else {
                        throw ShelfError.invalidCursor
                    }
                    start = offset
                }
                let items = Array(books.dropFirst(start).prefix(query.page.limit))
                let end = start + items.count
                return ListPage(items: items, next: end < books.count ? "\(end)/\(query.selection ?? "")" : nil)
            }
        }
        booksBy = { author in
            vendor.state.withLock { state in
                state.authorsAsked.append(author)
                return state.books.filter { $0.author == author }
            }
        }
        all = { _ in vendor.state.withLock { $0.books } }
        book = { id in try vendor.change(id) { $0 } }
        retitle = { change in
            try vendor.change(change.id) { book in
                guard book.version == change.version else { throw ShelfError.conflict }
                book.title = change.title
                book.version += 1
            }
        }
        remove = { id in
            _ = try vendor.change(id) { $0 }
            vendor.state.withLock { $0.books.removeAll { $0.id == id } }
        }
        cover = { id in try vendor.cover(id) }
        coverWithProgress = { cover in
            cover.report(0)
            if vendor.state.withLock({ $0.faults.last == .stall(afterBytes: 70_000) }) {
                _ = vendor.state.withLock { $0.faults.popLast() }
                let nothing = AsyncStream<Never> { _ in }
                for await _ in nothing {}
                throw CancellationError()
            }
            let size = Double(try vendor.cover(cover.input).count)
            for piece in stride(from: 10_000, to: size, by: 10_000) { cover.report(piece / size) }
            cover.report(1)
        }
        add = { cover in
            vendor.state.withLock { $0.uploaded = [] }
            while let piece = try await cover.next() { vendor.state.withLock { $0.uploaded += piece } }
        }
    }
}

extension ShelfVendor {
    fileprivate func cover(_ id: Int) throws -> [UInt8] {
        try state.withLock { state in
            guard let cover = state.covers[id] else { throw ShelfError.notFound }
            guard state.faults.popLast() == nil else { throw ShelfError.truncated }
            // The first byte marks a cover.
            guard cover.isEmpty || cover[0] == 0xFF, cover.count < 3 || cover[1] != 0xD8 else {
                throw ShelfError.notACover
            }
            return cover
        }
    }
}

extension AdapterUnderTest<Shelf> {
    static let shelf = AdapterUnderTest(
        name: "shelf",
        capabilities: ["listSelection", "versions", "progress", "streamUpload", "instances"]
    ) { Shelf() }
}

/// Returns a call of the shelf, at the call site's location.
func shelf<Input: Sendable, Output: Sendable>(
    _ name: String,
    _ path: any WritableKeyPath<Shelf, PortCall<Shelf, Input, Output>.Perform> & Sendable
) -> PortCall<Shelf, Input, Output> {
    PortCall(
        name,
        get: { $0[keyPath: path] },
        replace: { shelf, perform in
            var shelf = shelf
            shelf[keyPath: path] = perform
            return shelf
        }
    )
}
