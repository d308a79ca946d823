public import Cofferdam  // what a provider shows comes as the kit's providers and sequences

/// Is notified when something other than the ``CollectionDataProvider`` itself changes its list.
public protocol CollectionDataProviderDelegate<Model>: AnyObject, Sendable {
    associatedtype Model: StoreModel

    /// Called as the store calls its listeners: outside of every lock, in the order of the changes.
    ///
    /// - Parameter event: the elements now, and the steps that lead to them from those before.
    func collectionDataProvider(
        _ provider: CollectionDataProvider<Model>,
        changed event: StoreEvent<CollectionState<Model>>
    )
}

/// A list of models for one screen. All providers of a model with the same key show the same list.
///
/// Safe to use from any task. Its own changes are shown at once. Its delegate is notified only of changes by others and of the
/// effects of its own changes on other elements, unless ``notifiesOfOwnChanges`` is set.
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
        following.onChange { [weak self] event in self?.tell(event) }
        show(list, key: key)
    }

    /// - Parameter key: names the list, which is shown at once if another provider has it. Nil for a list that is neither shared nor saved.
    public convenience init(key: String? = nil, in store: Store) { self.init(store, nil, key) }

    /// A provider that saves its list, if that has a key, and can fetch a saved one.
    public convenience init(key: String? = nil, in store: CachedStore) where Model: CachedModel {
        self.init(store.store, store.archive(Model.self), key)
    }

    // MARK: What it shows

    /// The current list, as a value.
    public var data: PersistentList<Model> { following.value.elements }
    /// The number of elements.
    public var count: Int { data.count }

    /// Nil if there is no such element.
    public subscript(index: Int) -> Model? {
        let data = data
        return data.indices.contains(index) ? data[index] : nil
    }

    /// The list's name.
    public var key: String? { state.withLock { $0.key } }

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

    /// Everything that it shows, own changes too: for those who only look.
    public var provider: Provider<StoreEvent<CollectionState<Model>>> { following.provider }

    /// What it shows first and then what it shows later; a slow consumer misses some, but never the last. Ends with the
    /// provider.
    public var states: ProviderStates<StoreEvent<CollectionState<Model>>> { provider.states }

    /// What it shows first and then everything that it shows later, own changes too. Ends with the provider.
    ///
    /// - Parameter limit: a consumer that is more than so many behind skips to the latest.
    public func events(limit: Int = 1024) -> ProviderValues<StoreEvent<CollectionState<Model>>> {
        provider.values(limit: limit)
    }

    // MARK: Taking another list

    var list: StoreCollection<Model> { state.withLock { $0.list } }

    /// Shows a list as it stands.
    private func show(_ list: StoreCollection<Model>, key: String?) {
        take(list, key: key) { _ in
            StoreEvent(
                value: CollectionState(elements: list.core.elements, change: .reset),
                changes: .none,
                context: nil
            )
        }
    }

    /// Shows what `change` gives, and listens to that list; nil changes nothing.
    ///
    /// - Parameter change: in a turn; also says what the delegate is to be told of it, which is nothing by default.
    func take(
        _ list: StoreCollection<Model>,
        key: String?,
        told: () -> StoreEvent<CollectionState<Model>>? = { nil },
        _ change: (StoreTurn) -> StoreEvent<CollectionState<Model>>?
    ) {
        var (oldListening, oldList) = (nil as StoreListenerToken?, nil as StoreCollection<Model>?)
        store.turn { turn in
            guard let event = change(turn) else { return }
            oldListening = following.show(event, told: told(), in: turn, current: Self.state(of: list.core)) {
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

    /// Holds no collection, which must not be released in a turn.
    private static func state(of core: CollectionCore<Model>) -> @Sendable (StoreTurn) -> CollectionState<Model> {
        { _ in CollectionState(elements: core.elements, change: .reset) }
    }

    // MARK: Listening

    public var isPaused: Bool { following.isPaused }
    public func pause() { following.pause() }
    public func resume() { following.resume() }

    public var seat: ProviderSeat {
        ProviderSeat(store: store) { [following] in following.join($0) }
    }

    private func tell(_ event: StoreEvent<CollectionState<Model>>) {
        delegate?.collectionDataProvider(self, changed: event)
        following.noteInBatches(event, of: self)
    }
}

extension CollectionDataProvider {
    /// Shows the list with that key: another provider's, or else the saved one.
    ///
    /// The cache is not asked for what is shown already. If the provider is set, or asked for something else, before the cache
    /// has answered, the answer is not shown; nor is it if another provider has set the list meanwhile.
    ///
    /// - Parameters:
    ///   - key: nil for its own.
    ///   - context: passed to other providers.
    /// - Returns: the list; nil if there is none, which changes nothing.
    /// - Throws: the cache's error, ``CachedStoreError`` or `CancellationError`; nothing is changed then.
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
                list.core.knownSince = archive.wipes
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

    /// Whether the store knows the list.
    private func takeKnown(_ list: StoreCollection<Model>, _ key: String, _ request: Int) -> Bool {
        var isFound = false
        take(list, key: key) { _ in
            guard following.isCurrent(request), isKnown(list) else { return nil }
            isFound = true
            return Self.first(list)
        }
        return isFound
    }

    /// An empty list may not have been set, or not since the store was emptied.
    private func isKnown(_ list: StoreCollection<Model>) -> Bool {
        list.core.knownSince == (archive?.wipes ?? 0) || !list.core.elements.isEmpty
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
    /// Changes a list that need not have a provider: reads it if necessary, changes it and saves it.
    ///
    /// ```swift
    /// try await CollectionDataProvider<Animal>.edit("favourites", in: store) { $0.append([animal]) }
    /// ```
    ///
    /// - Throws: ``CachedStoreError/Code/unknownList`` if neither the store nor the cache has it, for then there is nothing to
    ///   change; what `change` throws; the cache's error.
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

    /// Sets and saves a list that need not have a provider.
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
    public func derived(
        isShown: @escaping @Sendable (Model) -> Bool,
        order: (@Sendable (Model, Model) -> Bool)?
    ) -> DerivedCollection<Model> {
        DerivedCollection(of: self, isShown: isShown, order: order) { self.provider.listen($0) }
    }
}
