import Cofferdam
public import CofferdamState  // what a provider shows comes as the kit's providers and sequences

/// Receives the changes of a ``CollectionDataProvider``'s list that the provider did not make itself.
public protocol CollectionDataProviderDelegate<Model>: AnyObject, Sendable {
    /// The provider's type of model.
    associatedtype Model: StoreModel

    /// Called after each change, in the order of the changes and outside of every lock, as the store calls its
    /// listeners.
    ///
    /// - Parameter event: the new elements, and the steps that lead to them from the old ones.
    func collectionDataProvider(
        _ provider: CollectionDataProvider<Model>,
        changed event: StoreEvent<CollectionState<Model>>
    )
}

/// A list of models for one screen. All providers of one type of model that have the same key show the same list.
///
/// Safe to use from any task. The provider shows its own changes at once. It notifies its delegate only of changes made
/// elsewhere and of the effects of its own changes on other elements, unless ``notifiesOfOwnChanges`` is set.
public final class CollectionDataProvider<Model: StoreModel>: StoreProvider {
    private struct State {
        var list: StoreCollection<Model>
        var key: String?
        weak var delegate: (any CollectionDataProviderDelegate<Model>)?
        var notifiesOfOwnChanges = false
    }

    let following: ProviderFollowing<CollectionState<Model>>
    let archive: (any Archive<Model>)?
    private let state: Mutex<State>
    var store: Store { following.store }

    private init(_ store: Store, _ archive: (any Archive<Model>)?, _ key: String?) {
        let list = StoreCollection<Model>(key: key, in: store)
        following = ProviderFollowing(
            CollectionState(elements: list.elements, change: .reset),
            in: store,
            isSame: { $0.elements.root === $1.elements.root },
            isEqual: { $0.elements == $1.elements }
        )
        self.archive = archive
        state = Mutex(State(list: list, key: key))
        following.onChange { [weak self] event in self?.notify(event) }
        show(list, key: key)
    }

    /// Creates a provider of the list with the given key, and shows the list at once if another provider has it.
    ///
    /// - Parameter key: the list's name; nil for a list that is neither shared nor saved.
    public convenience init(key: String? = nil, in store: Store) { self.init(store, nil, key) }

    /// Creates a provider that saves its list if it has a key, and can fetch a saved one.
    public convenience init(key: String? = nil, in store: CachedStore) where Model: CachedModel {
        self.init(store.store, store.archive(Model.self), key)
    }

    // MARK: Current values

    /// The current list, as a value.
    public var data: PersistentList<Model> { following.value.elements }
    /// The number of elements.
    public var count: Int { data.count }

    /// The element at `index`; nil if the index is out of range.
    public subscript(index: Int) -> Model? {
        let data = data
        return data.indices.contains(index) ? data[index] : nil
    }

    /// The list's name; nil if it is neither shared nor saved.
    public var key: String? { state.withLock { $0.key } }

    /// The time of the last change. All providers that one update changes have the same time.
    public var lastUpdated: ChangeTime { following.lastUpdated }

    /// Notified of changes; held weakly.
    public var delegate: (any CollectionDataProviderDelegate<Model>)? {
        get { state.withLock { $0.delegate } }
        set { state.withLock { $0.delegate = newValue } }
    }

    /// Whether the delegate is notified of the provider's own changes too.
    public var notifiesOfOwnChanges: Bool {
        get { state.withLock { $0.notifiesOfOwnChanges } }
        set { state.withLock { $0.notifiesOfOwnChanges = newValue } }
    }

    /// A read-only view of the provider, for code that only observes. Its events include the provider's own changes.
    public var provider: Provider<StoreEvent<CollectionState<Model>>> { following.provider }

    // MARK: Switching lists

    var list: StoreCollection<Model> { state.withLock { $0.list } }

    /// Shows another list with its current elements.
    private func show(_ list: StoreCollection<Model>, key: String?) {
        take(list, key: key) { _ in
            StoreEvent(
                value: CollectionState(elements: list.core.elements, change: .reset),
                changes: .none,
                context: nil
            )
        }
    }

    /// Shows the event that `change` returns and listens to the list; does nothing if `change` returns nil.
    ///
    /// - Parameters:
    ///   - notification: read after `change`; the event to notify the delegate of, by default none.
    ///   - change: runs in a turn.
    func take(
        _ list: StoreCollection<Model>,
        key: String?,
        notification: () -> StoreEvent<CollectionState<Model>>? = { nil },
        _ change: (StoreTurn) -> StoreEvent<CollectionState<Model>>?
    ) {
        var (oldListening, oldList) = (nil as StoreListenerToken?, nil as StoreCollection<Model>?)
        store.turn { turn in
            guard let event = change(turn) else { return }
            oldListening = following.show(
                event,
                notification: notification(),
                in: turn,
                current: Self.state(of: list.core)
            ) {
                isPaused,
                body in
                turn.listen(to: list, isPaused: isPaused, body)
            }
            oldList = state.withLock { state in
                let old = state.list
                (state.list, state.key) = (list, key)
                return old
            }
        }
        following.shown()
        oldListening?.cancel()
        withExtendedLifetime(oldList) {}
    }

    /// Captures the core and not the collection, because a collection must not be released in a turn.
    private static func state(of core: CollectionCore<Model>) -> @Sendable (StoreTurn) -> CollectionState<Model> {
        { _ in CollectionState(elements: core.elements, change: .reset) }
    }

    // MARK: Listening

    /// Whether the provider is paused.
    public var isPaused: Bool { following.isPaused }

    /// Stops delivering changes made elsewhere. The provider's own changes still show at once, together with all
    /// changes before them. Idempotent.
    public func pause() { following.pause() }

    /// Delivers the changes since ``pause()`` as one, with the context of the last update. Does not notify if the list
    /// is the same as before the pause. Idempotent.
    public func resume() { following.resume() }

    /// The provider's registration with its store, which ``ProviderBatch`` uses.
    public var registration: ProviderRegistration {
        ProviderRegistration(store: store) { [following] in following.join($0) }
    }

    private func notify(_ event: StoreEvent<CollectionState<Model>>) {
        delegate?.collectionDataProvider(self, changed: event)
        following.noteInBatches(event, of: self)
    }
}

extension CollectionDataProvider {
    /// Shows the list with this key: another provider's, or else the saved one.
    ///
    /// The provider reads the cache only if the store does not have the list. It drops the cache's result if it was set
    /// or asked for another list in the meantime, or if another provider has set the list.
    ///
    /// - Parameters:
    ///   - key: nil for the provider's own key.
    ///   - context: passed to other providers.
    /// - Returns: the list; nil if there is none, which changes nothing.
    /// - Throws: the cache's error, ``CachedStoreError`` or `CancellationError`; the provider is unchanged then.
    @discardableResult
    public func fetch(key: String? = nil, context: (any Sendable)? = nil) async throws -> PersistentList<Model>? {
        guard let key = key ?? self.key else { throw CachedStoreError(.noKey, String(reflecting: Model.self)) }
        let request = following.request()
        let list = key == self.key ? list : StoreCollection<Model>(key: key, in: store)
        var isFound = takeKnown(list, key, request)
        guard !isFound, let archive else { return isFound ? data : nil }
        try await archive.loadList(key) { models, reading in
            isFound = true
            take(list, key: key) { turn in
                guard following.isCurrent(request) else { return nil }
                if isKnown(list) { return Self.first(list) }
                guard !reading.isOutdated() else { return nil }
                guard let models else {
                    isFound = false
                    return nil
                }
                guard let fresh = turn.known(models, from: reading) else { return nil }
                archive.noteRead(zip(models, fresh).filter { $0 == $1 }.map(\.0), at: turn.next())
                let changes = turn.update(context: context) { $0.set(fresh, in: list) }
                list.core.wipesWhenSet = archive.wipes
                for (old, new) in zip(models, fresh) where old != new { archive.keep(new, at: turn.now()) }
                return StoreEvent(
                    value: CollectionState(elements: list.core.elements, change: .reset),
                    changes: changes,
                    context: context
                )
            }
        }
        return isFound ? data : nil
    }

    /// Shows the store's list; false if the store does not have it.
    private func takeKnown(_ list: StoreCollection<Model>, _ key: String, _ request: Int) -> Bool {
        var isFound = false
        take(list, key: key) { _ in
            guard following.isCurrent(request), isKnown(list) else { return nil }
            isFound = true
            return Self.first(list)
        }
        return isFound
    }

    /// Whether the store has the list. An empty one counts only if it was set or read since the last
    /// ``CachedStore/removeAll(context:)``.
    private func isKnown(_ list: StoreCollection<Model>) -> Bool {
        list.core.wipesWhenSet == (archive?.wipes ?? 0) || !list.core.elements.isEmpty
    }

    private static func first(_ list: StoreCollection<Model>) -> StoreEvent<CollectionState<Model>> {
        StoreEvent(
            value: CollectionState(elements: list.core.elements, change: .reset),
            changes: .none,
            context: nil
        )
    }
}

extension CollectionDataProvider where Model: CachedModel {
    /// Changes and saves a list without a provider of your own; reads it first if necessary.
    ///
    /// ```swift
    /// try await CollectionDataProvider<Animal>.edit("favourites", in: store) { $0.append([animal]) }
    /// ```
    ///
    /// - Throws: ``CachedStoreError/Code/unknownList`` if neither the store nor the cache has the list; the error of
    ///   `change`; the cache's error.
    public static func edit(
        _ key: String,
        in store: CachedStore,
        context: (any Sendable)? = nil,
        _ change: @Sendable (CollectionDataProvider<Model>) throws -> Void
    ) async throws {
        let provider = CollectionDataProvider(key: key, in: store)
        guard try await provider.fetch(context: context) != nil else {
            throw CachedStoreError(.unknownList, CacheKeys.list(Model.self, key))
        }
        try change(provider)
        try await store.written()
    }

    /// Sets and saves a list without a provider of your own.
    public static func set(
        _ models: some Collection<Model>,
        key: String,
        in store: CachedStore,
        context: (any Sendable)? = nil
    ) async throws {
        CollectionDataProvider(key: key, in: store).set(models, context: context)
        try await store.written()
    }
}

extension CollectionDataProvider: DerivableCollection {
    /// A filtered and sorted view of this list that follows its changes.
    public func derived(
        isShown: @escaping @Sendable (Model) -> Bool,
        order: (@Sendable (Model, Model) -> Bool)?
    ) -> DerivedCollection<Model> {
        DerivedCollection(of: self, isShown: isShown, order: order) { self.provider.listen($0) }
    }
}
