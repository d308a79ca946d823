public import Cofferdam  // what a provider shows comes as the kit's providers and sequences

/// Is notified when something other than the ``DataProvider`` itself changes its model.
public protocol DataProviderDelegate<Model>: AnyObject, Sendable {
    associatedtype Model: StoreModel

    /// Called as the store calls its listeners: outside of every lock, in the order of the changes.
    ///
    /// - Parameter event: what is there now, nil if it was removed; what else the update has changed, and its context.
    func dataProvider(_ provider: DataProvider<Model>, changed event: StoreEvent<Model?>)
}

/// One model for one screen: the store's value of one id, set by the screen or by anybody else, or read from the cache.
///
/// Any task may use it. Its own changes are shown at once, and its delegate is told only of what others change, unless
/// ``notifiesOfOwnChanges`` is set.
public final class DataProvider<Model: StoreModel>: StoreProvider {
    private struct State {
        var id: Model.ID?
        weak var delegate: (any DataProviderDelegate<Model>)?
        var notifiesOfOwnChanges = false
    }

    private let following: ProviderFollowing<Model?>
    private let archive: (any Archive<Model>)?
    private let state = Mutex(State())
    private var store: Store { following.store }

    private init(_ store: Store, _ archive: (any Archive<Model>)?, _ id: Model.ID?) {
        following = ProviderFollowing(nil, in: store, isSame: { $0 == $1 }, isEqual: { $0 == $1 })
        self.archive = archive
        following.onChange { [weak self] event in self?.tell(event) }
        if id != nil { listen(to: id) }
    }

    /// - Parameter id: whose model it shows, as soon as there is one.
    public convenience init(id: Model.ID? = nil, in store: Store) { self.init(store, nil, id) }

    /// A provider that keeps what it is given, and can fetch what was kept.
    public convenience init(id: Model.ID? = nil, in store: CachedStore) where Model: CachedModel {
        self.init(store.store, store.archive(Model.self), id)
    }

    // MARK: What it shows

    /// The model that was set, or that it was told of last; nil while there is none, or after it was removed.
    public var data: Model? { following.value }

    /// What it listens to, whether there is a model or not.
    public var modelIdentifier: Model.ID? { state.withLock { $0.id } }

    public var lastUpdated: ChangeTime { following.lastUpdated }

    /// Notified of changes; held weakly.
    public var delegate: (any DataProviderDelegate<Model>)? {
        get { state.withLock { $0.delegate } }
        set { state.withLock { $0.delegate = newValue } }
    }

    /// Whether the delegate is told of the provider's own changes too.
    public var notifiesOfOwnChanges: Bool {
        get { state.withLock { $0.notifiesOfOwnChanges } }
        set { state.withLock { $0.notifiesOfOwnChanges = newValue } }
    }

    /// Everything that it shows, own changes too: for those who only look.
    public var provider: Provider<StoreEvent<Model?>> { following.provider }

    /// What it shows first and then what it shows later; a slow consumer misses some, but never the last. Ends with the
    /// provider.
    public var states: ProviderStates<StoreEvent<Model?>> { provider.states }

    /// What it shows first and then everything that it shows later, own changes too. Ends with the provider.
    ///
    /// - Parameter limit: a consumer that is more than so many behind skips to the latest.
    public func events(limit: Int = 1024) -> ProviderValues<StoreEvent<Model?>> { provider.values(limit: limit) }

    // MARK: Changing

    /// Shows the model, and puts it into the store in place of what has its id. What was fetched or set before, and has not
    /// come yet, never shows.
    ///
    /// - Parameters:
    ///   - model: nil shows nothing here, and removes nothing from the store.
    ///   - updatesCache: false keeps nothing that is not kept yet.
    ///   - context: given to all who are told of it.
    public func set(_ model: Model?, updatesCache: Bool = true, context: (any Sendable)? = nil) {
        take(model?.id) { turn in
            guard let model else { return (nil, StoreEvent(value: nil, changes: .none, context: context)) }
            let changes = turn.update(context: context) { $0.set(model) }
            let known = turn.model(Model.self, id: model.id) ?? model
            if updatesCache { archive?.keep(known, at: turn.now()) }
            return (model.id, StoreEvent(value: known, changes: changes, context: context))
        }
    }

    /// Shows what has that id, now or as soon as there is something; nil shows nothing, and listens to nothing.
    public func listen(to id: Model.ID?) {
        take(id) { turn in
            (id, StoreEvent(value: id.flatMap { turn.model(id: $0) }, changes: .none, context: nil))
        }
    }

    /// Shows what `change` gives, and listens to that id; nil changes nothing.
    ///
    /// - Parameter held: what is not to be forgotten between the change and the listening.
    private func take(
        _ held: Model.ID?,
        _ change: (StoreTurn) -> (id: Model.ID?, event: StoreEvent<Model?>)?
    ) {
        var (old, hold) = (nil as StoreListenerToken?, nil as StoreListenerToken?)
        let notifies = notifiesOfOwnChanges
        store.turn { turn in
            hold = held.map { turn.hold(Model.self, id: $0) }
            guard let (id, event) = change(turn) else { return }
            state.withLock { $0.id = id }
            let told = notifies ? event : nil
            guard let id else {
                old = following.show(event, told: told, in: turn, nil)
                return
            }
            old = following.show(event, told: told, in: turn, current: { $0.model(id: id) }) { isPaused, body in
                turn.listen(id: id, isPaused: isPaused, body)
            }
        }
        following.shown()
        for listening in [old, hold] { listening?.cancel() }
    }

    // MARK: Fetching

    /// Shows what the store has under that id, or else what the cache has.
    ///
    /// The cache is not asked for what is shown already, nor for what the store knows: that is newer. If the provider is set,
    /// or asked for something else, before the cache has answered, the answer is not shown.
    ///
    /// - Parameters:
    ///   - id: nil is what it listens to.
    ///   - listensOnMiss: whether it listens to that id if there is nothing; otherwise a miss changes nothing.
    ///   - context: given to others who are told of it.
    /// - Returns: what is shown afterwards; nil if there was nothing.
    /// - Throws: the cache's error, ``CachedStoreError`` or `CancellationError`; nothing is changed then.
    @discardableResult
    public func fetch(
        _ id: Model.ID? = nil,
        listensOnMiss: Bool = false,
        context: (any Sendable)? = nil
    ) async throws -> Model? {
        guard let id = id ?? modelIdentifier else { throw CachedStoreError(.noKey, String(reflecting: Model.self)) }
        if id == modelIdentifier, let data { return data }
        let request = following.request()
        if takeKnown(id, request) { return data }
        guard let archive else {
            if listensOnMiss { listen(to: id) }
            return nil
        }
        var isMiss = false
        try await archive.load(id) { model, reading in
            isMiss = false
            take(id) { turn in
                guard following.isCurrent(request) else { return nil }
                if let known = turn.model(Model.self, id: id) { return (id, Self.first(known)) }
                guard !reading.isOutdated() else { return nil }
                guard let model else {
                    isMiss = true
                    return listensOnMiss ? (id, Self.first(nil)) : nil
                }
                guard let fresh = turn.known([model], from: reading)?.first else { return nil }
                if fresh == model { archive.noteRead([model], at: turn.next()) }
                let changes = turn.update(context: context) { $0.set(fresh) }
                if fresh != model { archive.keep(fresh, at: turn.now()) }
                return (id, StoreEvent(value: fresh, changes: changes, context: context))
            }
        }
        return isMiss ? nil : data
    }

    /// Whether the store knows it.
    private func takeKnown(_ id: Model.ID, _ request: Int) -> Bool {
        var isKnown = false
        take(id) { turn in
            guard following.isCurrent(request), let model = turn.model(Model.self, id: id) else { return nil }
            isKnown = true
            return (id, Self.first(model))
        }
        return isKnown
    }

    private static func first(_ model: Model?) -> StoreEvent<Model?> {
        StoreEvent(value: model, changes: .none, context: nil)
    }

    // MARK: Listening

    public var isPaused: Bool { following.isPaused }
    public func pause() { following.pause() }
    public func resume() { following.resume() }

    public var seat: ProviderSeat {
        ProviderSeat(store: store) { [following] in following.join($0) }
    }

    private func tell(_ event: StoreEvent<Model?>) {
        delegate?.dataProvider(self, changed: event)
        following.noteInBatches(event, of: self)
    }
}
