import Synchronization

/// A stand-in for the vendor's service.
final class Library: Sendable {
    struct Entry: Sendable {
        var id: String
        var title: String
        var pages: Int?
    }

    private struct State {
        var entries: [String: Entry]
        var stored: [String: Int] = [:]
    }

    private let state: Mutex<State>

    init(_ entries: [Entry]) {
        state = Mutex(State(entries: Dictionary(uniqueKeysWithValues: entries.map { ($0.id, $0) })))
    }

    /// How often each title was stored.
    var stored: [String: Int] { state.withLock { $0.stored } }
    /// All entries, by their ids.
    var entries: [Entry] { state.withLock { $0.entries.values.sorted { $0.id < $1.id } } }

    func entry(_ id: String) -> Entry? { state.withLock { $0.entries[id] } }

    func store(_ entry: Entry) {
        state.withLock { state in
            state.entries[entry.id] = entry
            state.stored[entry.title, default: 0] += 1
        }
    }
}

/// A stand-in for the SDK's V1. It has no errors, and 0 pages are an unknown number.
struct LibraryV1: Sendable {
    let library: Library

    func find(_ id: String) -> (title: String, pages: Int)? {
        library.entry(id).map { ($0.title, $0.pages ?? 0) }
    }

    func list(from offset: Int, count: Int) -> [(id: String, title: String, pages: Int)] {
        library.entries.dropFirst(offset).prefix(count).map { ($0.id, $0.title, $0.pages ?? 0) }
    }

    func save(id: String, title: String, pages: Int) {
        library.store(Library.Entry(id: id, title: title, pages: pages == 0 ? nil : pages))
    }
}

/// A stand-in for its V2, with errors and tokens.
struct LibraryV2: Sendable {
    enum Failure: Error { case notFound, invalidToken }

    let library: Library

    func item(_ id: String) async throws(Failure) -> Library.Entry {
        guard let entry = library.entry(id) else { throw .notFound }
        return entry
    }

    func items(token: String?, limit: Int) async throws(Failure) -> (items: [Library.Entry], token: String?) {
        let mark = "after:"
        guard token?.hasPrefix(mark) ?? true else { throw .invalidToken }
        let start = token?.dropFirst(mark.count) ?? ""
        let rest = library.entries.filter { $0.id > start }
        let items = Array(rest.prefix(limit))
        return (items, items.count < rest.count ? items.last.map { mark + $0.id } : nil)
    }

    func upsert(_ entry: Library.Entry) async { library.store(entry) }
}
