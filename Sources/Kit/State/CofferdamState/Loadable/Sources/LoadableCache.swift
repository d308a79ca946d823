import Cofferdam

/// Loadables by key: all callers of a key share one instance while it is in use, and for a while afterwards.
public final class LoadableCache: Sendable {
    private struct Entry: Sendable {
        /// Nil once it has been collected; then it is held by others, or gone.
        var kept: (any CachedLoadable)?
        weak var shared: (any CachedLoadable)?
        /// When ``collect()`` first found it unused.
        var unusedSince: Duration?

        var loadable: (any CachedLoadable)? { kept ?? shared }
    }

    private struct Slot: Hashable {
        let key: LoadableKey
        let type: ObjectIdentifier
    }

    private struct State {
        var entries: [Slot: Entry] = [:]
        var sweeper: Task<Void, Never>?
    }

    private let state = Mutex(State())
    private let unusedLimit: Duration
    private let timekeeper: Timekeeper
    private let executor: (any TaskExecutor)?

    /// - Parameters:
    ///   - unusedLimit: how long an unused loadable is kept: one without callers, listeners and sequences that no token keeps
    ///     in sync. It is collected between this and twice this time later.
    public init(
        keepingUnusedFor unusedLimit: Duration = .seconds(300),
        clock: some Clock<Duration> = ContinuousClock(),
        executor: (any TaskExecutor)? = nil
    ) {
        self.unusedLimit = unusedLimit
        timekeeper = Timekeeper(clock)
        self.executor = executor
    }

    deinit { state.withLock { $0.sweeper }?.cancel() }

    /// The loadable for the key and the type of contents, created if there is none.
    ///
    /// - Parameter make: creates the loadable. It runs under a lock and must not use this cache.
    public func loadable<Contents: Sendable>(
        _ key: LoadableKey,
        of type: Contents.Type = Contents.self,
        make: () -> Loadable<Contents>
    ) -> Loadable<Contents> {
        let slot = Slot(key: key, type: ObjectIdentifier(type))
        let loadable = state.withLock { state in
            let loadable = state.entries[slot]?.loadable as? Loadable<Contents> ?? make()
            state.entries[slot] = Entry(kept: loadable, shared: loadable)
            return loadable
        }
        sweepWhileNeeded()
        return loadable
    }

    /// The loadable for the key, if there is one.
    public func existing<Contents: Sendable>(
        _ key: LoadableKey,
        of type: Contents.Type = Contents.self
    ) -> Loadable<Contents>? {
        state.withLock { $0.entries[Slot(key: key, type: ObjectIdentifier(type))]?.loadable as? Loadable<Contents> }
    }

    /// The keys of the loadables that exist, among the given one and those below it.
    public func keys(under key: LoadableKey = []) -> Set<LoadableKey> {
        state.withLock { state in
            Set(state.entries.filter { key.covers($0.key.key) && $0.value.loadable != nil }.map(\.key.key))
        }
    }

    /// Invalidates the loadables of that key and of those below it; those that are kept in sync load at once.
    public func invalidate(under key: LoadableKey = []) { each(under: key) { $0.invalidate() } }

    /// Resets the loadables of that key and of those below it.
    public func reset(under key: LoadableKey = []) { each(under: key) { $0.reset() } }

    /// Removes the loadables of that key and of those below it. Existing references stay valid; the next caller gets a new
    /// loadable.
    public func remove(under key: LoadableKey = []) {
        let removed = state.withLock { state in
            let removed = state.entries.filter { key.covers($0.key.key) }
            for slot in removed.keys { state.entries[slot] = nil }
            return removed
        }
        withExtendedLifetime(removed) {}
    }

    /// Removes loadables that were unused for longer than the limit. The cache calls it automatically.
    public func collect() {
        let now = timekeeper.now
        // Released loadables are freed outside of the lock.
        let released = state.withLock { state in
            var released: [any CachedLoadable] = []
            for (slot, var entry) in state.entries {
                guard let kept = entry.kept else {
                    if entry.shared == nil { state.entries[slot] = nil }
                    continue
                }
                if kept.isUsed {
                    entry.unusedSince = nil
                } else if let since = entry.unusedSince, now - since >= unusedLimit {
                    entry.kept = nil
                    released.append(kept)
                } else if entry.unusedSince == nil {
                    entry.unusedSince = now
                }
                state.entries[slot] = entry
            }
            return released
        }
        withExtendedLifetime(released) {}
    }

    /// How many loadables the cache holds, used or not.
    package var keptCount: Int { state.withLock { $0.entries.values.count { $0.kept != nil } } }

    private func each(under key: LoadableKey, _ body: (any CachedLoadable) -> Void) {
        let found = state.withLock { state in
            state.entries.filter { key.covers($0.key.key) }.compactMap(\.value.loadable)
        }
        for loadable in found { body(loadable) }
    }

    private func sweepWhileNeeded() {
        let (timekeeper, limit) = (timekeeper, unusedLimit)
        state.withLock { state in
            guard state.sweeper == nil else { return }
            state.sweeper = Task(executorPreference: executor) { [weak self] in
                while (try? await timekeeper.sleep(for: limit)) != nil {
                    guard let self, self.collectAndContinue() else { return }
                }
            }
        }
    }

    private func collectAndContinue() -> Bool {
        collect()
        return state.withLock { state in
            if state.entries.isEmpty { state.sweeper = nil }
            return !state.entries.isEmpty
        }
    }
}

/// What the cache needs of a loadable.
private protocol CachedLoadable: AnyObject, Sendable {
    var isUsed: Bool { get }
    func invalidate()
    func reset()
}

extension Loadable: CachedLoadable {
    fileprivate var isUsed: Bool { userCount > 0 || state.withLock { $0.run != nil } }
}

/// The key of a cached loadable: a path from the general to the particular.
///
/// `["animals"]` is above `["animals", 7]`, which is above `["animals", 7, "photos"]`.
public struct LoadableKey: Sendable, Hashable, ExpressibleByArrayLiteral, CustomStringConvertible {
    /// A part of a path.
    public struct Part: Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
        CustomStringConvertible
    {
        private enum Value: Hashable {
            case text(String)
            case number(Int)
        }

        private let value: Value

        /// Creates a part from a text.
        public init(_ text: String) { value = .text(text) }
        /// Creates a part from a number.
        public init(_ number: Int) { value = .number(number) }
        /// A part that is text.
        public init(stringLiteral text: String) { self.init(text) }
        /// A part that is a number.
        public init(integerLiteral number: Int) { self.init(number) }

        /// The text, or the number in digits.
        public var description: String {
            switch value {
            case .text(let text): text
            case .number(let number): "\(number)"
            }
        }
    }

    /// The parts, from the most general to the most specific.
    public var parts: [Part]

    /// Creates a key from parts.
    public init(_ parts: [Part]) { self.parts = parts }
    /// A key of these parts, from the general to the particular.
    public init(arrayLiteral parts: Part...) { self.init(parts) }

    /// Whether `key` is this one, or below it.
    func covers(_ key: LoadableKey) -> Bool { key.parts.starts(with: parts) }

    /// The parts, separated by slashes.
    public var description: String { parts.map(\.description).joined(separator: "/") }
}
