import Cofferdam
public import CofferdamState  // what a provider shows comes as the kit's providers and sequences

/// Receives the changes of a ``DataProvider``'s model that the provider did not make itself.
public protocol DataProviderDelegate<Model>: AnyObject, Sendable {
    /// The provider's type of model.
    associatedtype Model: StoreModel

    /// Called after each change, in the order of the changes and outside of every lock, as the store calls its
    /// listeners.
    ///
    /// - Parameter event: the model, or nil if it was removed; everything that the update changed; and its context.
    func dataProvider(_ provider: DataProvider<Model>, changed event: StoreEvent<Model?>)
}

/// One model for one screen: follows the store's model with one id, changes it, and fetches it from the cache.
///
/// Safe to use from any task. The provider shows its own changes at once. It notifies its delegate only of changes made
/// elsewhere, unless ``notifiesOfOwnChanges`` is set.
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
        following.onChange { [weak self] event in self?.notify(event) }
        if id != nil { listen(to: id) }
    }

    /// Creates a provider of the model with the given id.
    ///
    /// - Parameter id: the id of the model to follow; nil follows nothing yet.
    public convenience init(id: Model.ID? = nil, in store: Store) { self.init(store, nil, id) }

    /// Creates a provider that saves the models it is given and can fetch saved ones.
    public convenience init(id: Model.ID? = nil, in store: CachedStore) where Model: CachedModel {
        self.init(store.store, store.archive(Model.self), id)
    }

    // MARK: Current values

    /// The model, as last set or delivered; nil if there is none yet or it was removed.
    public var data: Model? { following.value }

    /// The id that the provider follows, even while there is no model with it.
    public var modelIdentifier: Model.ID? { state.withLock { $0.id } }

    /// The time of the last change. All providers that one update changes have the same time.
    public var lastUpdated: ChangeTime { following.lastUpdated }

    /// Notified of changes; held weakly.
    public var delegate: (any DataProviderDelegate<Model>)? {
        get { state.withLock { $0.delegate } }
        set { state.withLock { $0.delegate = newValue } }
    }

    /// Whether the delegate is notified of the provider's own changes too.
    public var notifiesOfOwnChanges: Bool {
        get { state.withLock { $0.notifiesOfOwnChanges } }
        set { state.withLock { $0.notifiesOfOwnChanges = newValue } }
    }

    /// A read-only view of the provider, for code that only observes. Its events include the provider's own changes.
    public var provider: Provider<StoreEvent<Model?>> { following.provider }

    // MARK: Changing

    /// Shows the model and sets it in the store. The provider drops the results of earlier fetches that are still
    /// running, and earlier changes that have not been delivered yet.
    ///
    /// - Parameters:
    ///   - model: nil empties the provider and removes nothing from the store.
    ///   - updatesCache: false does not save a model that is not saved yet.
    ///   - context: passed to all listeners that the change notifies.
    public func set(_ model: Model?, updatesCache: Bool = true, context: (any Sendable)? = nil) {
        take(model?.id) { turn in
            guard let model else { return (nil, StoreEvent(value: nil, changes: .none, context: context)) }
            let changes = turn.update(context: context) { $0.set(model) }
            let known = turn.model(Model.self, id: model.id) ?? model
            if updatesCache { archive?.keep(turn.settled(id: model.id) ?? model, at: turn.now()) }
            return (model.id, StoreEvent(value: known, changes: changes, context: context))
        }
    }

    /// Follows another model: shows the one with this id, now or when it is set; nil empties the provider.
    public func listen(to id: Model.ID?) {
        take(id) { turn in
            (id, StoreEvent(value: id.flatMap { turn.model(id: $0) }, changes: .none, context: nil))
        }
    }

    /// Shows the event that `change` returns and listens to its id; does nothing if `change` returns nil.
    ///
    /// - Parameter held: the id of a model that the store must not release between the change and the listening.
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
            let notification = notifies ? event : nil
            guard let id else {
                old = following.show(event, notification: notification, in: turn, nil)
                return
            }
            old = following.show(event, notification: notification, in: turn, current: { $0.model(id: id) }) {
                isPaused,
                body in
                turn.listen(id: id, isPaused: isPaused, body)
            }
        }
        following.shown()
        for listening in [old, hold] { listening?.cancel() }
    }

    // MARK: Fetching

    /// Shows the model with this id from the store, or else from the cache.
    ///
    /// The provider reads the cache only if neither it nor the store has the model, because they are newer. It drops
    /// the cache's result if it was set or asked for another model in the meantime.
    ///
    /// - Parameters:
    ///   - id: nil for the id that the provider follows.
    ///   - listensOnMiss: whether the provider follows the id if there is no such model; otherwise a miss changes
    ///     nothing.
    ///   - context: passed to other listeners that the change notifies.
    /// - Returns: the model that the provider shows now; nil if there is none.
    /// - Throws: the cache's error, ``CachedStoreError`` or `CancellationError`; the provider is unchanged then.
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

    /// Shows the store's model; false if the store does not have it.
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

    /// Whether the provider is paused.
    public var isPaused: Bool { following.isPaused }

    /// Stops delivering changes made elsewhere. The provider's own changes still show at once, together with all
    /// changes before them. Idempotent.
    public func pause() { following.pause() }

    /// Delivers the changes since ``pause()`` as one, with the context of the last update. Does not notify if the value
    /// is the same as before the pause. Idempotent.
    public func resume() { following.resume() }

    /// The provider's registration with its store, which ``ProviderBatch`` uses.
    public var registration: ProviderRegistration {
        ProviderRegistration(store: store) { [following] in following.join($0) }
    }

    private func notify(_ event: StoreEvent<Model?>) {
        delegate?.dataProvider(self, changed: event)
        following.noteInBatches(event, of: self)
    }
}
