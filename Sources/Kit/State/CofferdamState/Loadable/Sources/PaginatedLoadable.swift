import Cofferdam

/// Contents in pages, loaded in both directions from a first page.
///
/// ``contents`` is a loadable of all loaded pages. Fetching it loads them again, one after the other from the cursor of the
/// first; if one fails and is retried, the pages before it are not loaded again. Concurrent callers for the next page share one
/// load. Reloading and adding pages are serialised: a page that is asked for during a reload belongs to the reloaded list.
public final class PaginatedLoadable<Cursor: Sendable, Page: Sendable>: Sendable {
    /// The pages that were loaded.
    public typealias Contents = Pages<Cursor, Page>

    /// All loaded pages.
    public let contents: Loadable<Contents>
    /// The load of the next page: its state and error.
    public let next: Loadable<Page>
    /// The load of the previous page: its state and error.
    public let previous: Loadable<Page>
    private let edges: Edges

    private struct Edges: Sendable {
        let cursor: @Sendable (PageDirection, Contents.Entry) -> Cursor?
    }

    /// - Parameters:
    ///   - first: the cursor of the first page.
    ///   - maximumPages: how many pages are kept; further ones replace those at the other end. Nil for all.
    ///   - cursor: returns the cursor of the page next to a page in that direction; nil if there is none.
    ///   - load: loads a page.
    public init(
        startingAt first: Cursor,
        maximumPages: Int? = nil,
        freshness: Freshness = .always,
        retry: LoadRetry = .never,
        clock: some Clock<Duration> = ContinuousClock(),
        executor: (any TaskExecutor)? = nil,
        cursor: @escaping @Sendable (PageDirection, Contents.Entry) -> Cursor?,
        load: @escaping @Sendable (Cursor) async throws -> Page
    ) {
        let edges = Edges(cursor: cursor)
        let turnstile = AsyncMutex()
        let reload = Reload<Cursor, Page>()
        let current = Current<Contents>()
        let loading = Loadable<Contents>.Loading(
            load: { _ in
                do {
                    return try await turnstile.run {
                        let old = current.loadable?.snapshot.settledContents?.entries ?? []
                        let pages = try await reload.pages(old, startingAt: first, edges.cursor, load)
                        return LoadResult(result: .success(ContentsBox(pages)))
                    }
                } catch {
                    return LoadResult(result: .failure(error))
                }
            },
            begin: { reload.begin() }
        )
        let contents = Loadable<Contents>(
            freshness: freshness,
            retry: retry,
            timekeeper: Timekeeper(clock),
            executor: executor,
            loading: loading
        )
        current.loadable = contents
        self.edges = edges
        self.contents = contents
        func edge(_ direction: PageDirection) -> Loadable<Page> {
            Loadable<Page>(freshness: .never, retry: retry, clock: clock, executor: executor) {
                while true {
                    // Nothing is loaded yet, or a reset came while this waited.
                    if contents.snapshot.settledContents == nil {
                        let pages = try await contents.fetchIfNeeded()
                        guard let edge = Self.edge(direction, of: pages) else { throw Self.missing(direction) }
                        return edge.page
                    }
                    // A reload that has ended commits without the turnstile, and what it replaces is not extended.
                    let ended = reload.ended
                    if contents.snapshot.settledContents?.reload != ended {
                        try await contents.wait(for: .settled)
                        reload.forget(ended, unless: contents.snapshot.settledContents?.reload)
                    }
                    let page = try await turnstile.run { () async throws -> Page? in
                        guard contents.snapshot.settledContents?.reload == reload.ended else { return nil }
                        return try await Self.extend(contents, direction, maximumPages, edges, load)
                    }
                    if let page { return page }
                }
            }
        }
        next = edge(.next)
        previous = edge(.previous)
    }

    /// Whether there is a page in that direction; nil while no page is loaded.
    public func hasPage(_ direction: PageDirection) -> Bool? {
        guard let entry = Self.edge(direction, of: contents.snapshot.contents) else { return nil }
        return edges.cursor(direction, entry) != nil
    }

    /// Adds the page after the last one; loads the first if there is none.
    ///
    /// - Throws: ``LoadableError/Code/noSuchPage`` if there is none; otherwise as ``Loadable/fetch()``.
    @discardableResult
    public func fetchNext() async throws -> Page { try await next.fetch() }

    /// Adds the page before the first one; loads the first if there is none.
    ///
    /// - Throws: ``LoadableError/Code/noSuchPage`` if there is none; otherwise as ``Loadable/fetch()``.
    @discardableResult
    public func fetchPrevious() async throws -> Page { try await previous.fetch() }

    private static func edge(_ direction: PageDirection, of pages: Contents?) -> Contents.Entry? {
        direction == .next ? pages?.entries.last : pages?.entries.first
    }

    private static func missing(_ direction: PageDirection) -> LoadableError {
        LoadableError(.noSuchPage, "there is no \(direction.rawValue) page")
    }

    private static func extend(
        _ contents: Loadable<Contents>,
        _ direction: PageDirection,
        _ maximumPages: Int?,
        _ edges: Edges,
        _ load: (Cursor) async throws -> Page
    ) async throws -> Page {
        guard let edge = edge(direction, of: contents.snapshot.settledContents),
            let cursor = edges.cursor(direction, edge)
        else { throw missing(direction) }
        let entry = Contents.Entry(cursor: cursor, page: try await load(cursor))
        try Task.checkCancellation()
        contents.add(entry, direction, keeping: maximumPages)
        return entry.page
    }
}

/// The reloads of a list of pages.
private final class Reload<Cursor: Sendable, Page: Sendable>: Sendable {
    private typealias Entry = Pages<Cursor, Page>.Entry

    private struct State {
        var run = 0
        /// The pages that this run has loaded, for its next attempt.
        var loaded: [Entry] = []
        /// The last reload that has ended, and that has committed or will.
        var ended = 0
        var count = 0
    }

    private let state = Mutex(State())

    var ended: Int { state.withLock { $0.ended } }

    /// Begins a run, whose first attempt starts at the first page.
    func begin() { state.withLock { ($0.run, $0.loaded) = ($0.run + 1, []) } }

    /// Notes that a reload did not commit, because it was cancelled or overtaken.
    func forget(_ reload: Int, unless committed: Int?) {
        state.withLock { if $0.ended == reload, let committed { $0.ended = committed } }
    }

    func pages(
        _ old: [Pages<Cursor, Page>.Entry],
        startingAt first: Cursor,
        _ following: (PageDirection, Pages<Cursor, Page>.Entry) -> Cursor?,
        _ load: (Cursor) async throws -> Page
    ) async throws -> Pages<Cursor, Page> {
        var (run, entries) = state.withLock { ($0.run, $0.loaded) }
        var cursor = entries.last.map { following(.next, $0) } ?? old.first?.cursor ?? first
        while let at = cursor, entries.count < max(old.count, 1) {
            try Task.checkCancellation()
            let entry = Entry(cursor: at, page: try await load(at))
            entries.append(entry)
            state.withLock { if $0.run == run { $0.loaded = entries } }
            cursor = following(.next, entry)
        }
        let reload = state.withLock { state in
            if state.run == run { state.loaded = [] }
            state.count += 1
            state.ended = state.count
            return state.count
        }
        return Pages(entries, of: reload)
    }
}

/// Gives the load of a loadable access to that loadable.
private final class Current<Contents: Sendable>: Sendable {
    private struct Reference { weak var loadable: Loadable<Contents>? }
    private let state = Mutex(Reference())

    var loadable: Loadable<Contents>? {
        get { state.withLock { $0.loadable } }
        set { state.withLock { $0.loadable = newValue } }
    }
}

extension Loadable {
    fileprivate func add<Cursor, Page>(
        _ entry: Pages<Cursor, Page>.Entry,
        _ direction: PageDirection,
        keeping maximum: Int?
    ) where Contents == Pages<Cursor, Page> {
        correct { pages in
            var entries = pages.entries
            entries.insert(entry, at: direction == .next ? entries.endIndex : entries.startIndex)
            if let maximum, entries.count > max(1, maximum) {
                if direction == .next { entries.removeFirst() } else { entries.removeLast() }
            }
            return Pages(entries, of: pages.reload)
        }
    }
}

/// The loaded pages in order, each with its cursor.
public struct Pages<Cursor: Sendable, Page: Sendable>: Sendable {
    /// A page and its cursor.
    public struct Entry: Sendable {
        /// The cursor with which the page was loaded.
        public let cursor: Cursor
        /// The page.
        public let page: Page

        /// Creates an entry.
        init(cursor: Cursor, page: Page) {
            self.cursor = cursor
            self.page = page
        }
    }

    /// The entries, in order.
    package internal(set) var entries: [Entry]
    /// The number of the reload that loaded them; pages may have been added since.
    let reload: Int

    /// Creates pages from entries.
    init(_ entries: [Entry] = [], of reload: Int = 0) { (self.entries, self.reload) = (entries, reload) }

    /// The pages with a changed one, for `Loadable.correct(_:)` and `Loadable.writeOptimistically(_:)`.
    ///
    /// - Parameter change: called with each page, and returns what takes its place.
    public func mapPages(_ change: (Page) -> Page) -> Pages {
        Pages(entries.map { Entry(cursor: $0.cursor, page: change($0.page)) }, of: reload)
    }

    /// The pages without their cursors.
    public var pages: [Page] { entries.map(\.page) }
}

/// The direction in which pages are added.
public enum PageDirection: String, Sendable, Hashable, CaseIterable {
    case next
    case previous
}
