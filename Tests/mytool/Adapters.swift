import Cofferdam

struct V1Shelf: Shelf {
    let sdk: LibraryV1

    func book(_ id: String) async throws -> Book {
        guard let found = sdk.find(id) else { throw ShelfError(code: .noSuchBook) }
        return book(id, found.title, found.pages)
    }

    func books(_ request: ShelfRequest) async throws -> ShelfPage {
        guard let start = Int(request.cursor ?? "0") else { throw ShelfError(code: .badCursor) }
        let found = sdk.list(from: start, count: request.limit + 1)
        let items = found.prefix(request.limit).map { book($0.id, $0.title, $0.pages) }
        return ShelfPage(items: items, next: items.count < found.count ? "\(start + items.count)" : nil)
    }

    func put(_ book: Book) async throws { sdk.save(id: book.id, title: book.title, pages: book.pages ?? 0) }

    private func book(_ id: String, _ title: String, _ pages: Int) -> Book {
        Book(id: id, title: title, pages: pages == 0 ? nil : pages)
    }
}

struct V2Shelf: Shelf {
    let sdk: LibraryV2

    func book(_ id: String) async throws -> Book { try await Book(translated { try await sdk.item(id) }) }

    func books(_ request: ShelfRequest) async throws -> ShelfPage {
        let page = try await translated { try await sdk.items(token: request.cursor, limit: request.limit) }
        return ShelfPage(items: page.items.map(Book.init), next: page.token)
    }

    func put(_ book: Book) async throws {
        await sdk.upsert(Library.Entry(id: book.id, title: book.title, pages: book.pages))
    }

    private func translated<Value>(_ call: () async throws -> Value) async throws -> Value {
        do {
            return try await call()
        } catch LibraryV2.Failure.notFound {
            throw ShelfError(code: .noSuchBook)
        } catch LibraryV2.Failure.invalidToken {
            throw ShelfError(code: .badCursor)
        }
    }
}

extension Book {
    fileprivate init(_ entry: Library.Entry) { self.init(id: entry.id, title: entry.title, pages: entry.pages) }
}

/// The app's own fake.
actor FakeShelf: Shelf {
    private var all: [String: Book]

    init(_ books: [Book]) { all = Dictionary(uniqueKeysWithValues: books.map { ($0.id, $0) }) }

    func book(_ id: String) throws -> Book {
        guard let book = all[id] else { throw ShelfError(code: .noSuchBook) }
        return book
    }

    func books(_ request: ShelfRequest) throws -> ShelfPage {
        if let cursor = request.cursor, all[cursor] == nil { throw ShelfError(code: .badCursor) }
        let rest = all.values.filter { $0.id > request.cursor ?? "" }.sorted { $0.id < $1.id }
        let items = Array(rest.prefix(request.limit))
        return ShelfPage(items: items, next: items.count < rest.count ? items.last?.id : nil)
    }

    func put(_ book: Book) { all[book.id] = book }
}
