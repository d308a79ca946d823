import Cofferdam
public import CofferdamState  // a list is a loadable

/// A list that is loaded as a whole, whose elements live in a ``Store``, and that is saved between launches.
///
/// The list is a `Loadable`, a ``StoreCollection`` and their ``ListPersistence``. A change that the store receives
/// elsewhere appears in the list, and loading the list updates every screen that shows one of its elements.
///
/// ```swift
/// let animals = StoreList<Animal>(in: store, persistence: persistence) { try await catalogue.allAnimals() }
/// let current = try await animals.loadable.fetch()
/// ```
///
/// ``forget()`` empties the list at sign-out. A load, a ``put(_:epoch:)`` or a restoration that began before takes no
/// effect after it.
public final class StoreList<Model: StoreModel>: Sendable {
    /// Completes models with what the store knows of the models inside them; runs under the store's lock, so it may
    /// only call its argument.
    public typealias Resolve = @Sendable ([Model], borrowing StoreUpdate) -> [Model]

    /// The list as it is loaded: its state, age and error.
    public let loadable: Loadable<[Model]>
    /// The list as the store has it: its elements and how they change.
    public let collection: StoreCollection<Model>
    private let store: Store
    private let resolve: Resolve
    private let persistence: ListPersistence<Model>?
    private let epochs: EpochCounter
    private let listening = Mutex<StoreListenerToken?>(nil)

    /// - Parameters:
    ///   - persistence: where the list is saved; nil for a list that is not.
    ///   - freshness: how long the loaded list is fresh.
    ///   - executor: runs the loads.
    ///   - prepare: called before saved models are resolved, to put what they refer to into the store.
    ///   - resolve: completes each loaded or restored model.
    ///   - load: loads the whole list.
    public init(
        in store: Store,
        persistence: ListPersistence<Model>? = nil,
        freshness: Freshness = .always,
        executor: (any TaskExecutor)? = nil,
        prepare: @escaping @Sendable () async -> Void = {},
        resolve: @escaping Resolve = { models, _ in models },
        load: @escaping @Sendable () async throws -> [Model]
    ) {
        let collection = StoreCollection<Model>(in: store)
        let epochs = EpochCounter()
        // Returns the elements as the store has them below pending changes. Models of an earlier epoch are refused; restored ones replace nothing.
        let adopt = { @Sendable (models: [Model], epoch: Int, load: StoreLoad?) throws(CancellationError) in
            var isAdopted = false
            store.update(answering: load) { update in
                guard epochs.current == epoch else { return }
                let models = load == nil ? models.map { update.model(id: $0.id) ?? $0 } : models
                update.set(resolve(models, update), in: collection)
                isAdopted = true
            }
            guard isAdopted else { throw CancellationError() }
            return store.withLock { Array($0.settled(collection.core)) }
        }
        let saved = WeakLoadable<[Model]>()
        let loadablePersistence = persistence.map { list in
            list.storage.persistence(of: list, saved) {
                let epoch = epochs.current
                return { models in
                    await prepare()
                    return try adopt(models, epoch, nil)
                }
            }
        }
        loadable = Loadable(freshness: freshness, persistence: loadablePersistence, executor: executor) {
            let (epoch, begun) = (epochs.current, store.beginLoad())
            return try adopt(try await load(), epoch, begun)
        }
        (self.store, self.collection, self.persistence) = (store, collection, persistence)
        (self.resolve, self.epochs) = (resolve, epochs)
        saved.value = loadable
        let pending = PendingElements<Model>()
        let listening = collection.listen { [weak loadable, weak store, core = collection.core] event in
            guard let loadable, let store else { return }
            pending.follow(event, of: core, in: store, loadable)
        }
        self.listening.withLock { $0 = listening }
    }

    /// How many times the list was forgotten. Read it before a request and pass it to ``put(_:epoch:)`` with the
    /// response.
    public var epoch: Int { epochs.current }

    /// Adds or updates a model that was not loaded with the list. A new one is appended if the list is loaded.
    ///
    /// - Parameter epoch: ``epoch`` when the model was requested. If the list was forgotten since, nothing changes.
    /// - Returns: the model as the store has it.
    @discardableResult
    public func put(_ model: Model, epoch: Int) -> Model {
        let isLoaded = loadable.snapshot.contents != nil
        store.update { update in
            guard epochs.current == epoch else { return }
            let model = resolve([model], update)[0]
            let isInList = update.elements(of: collection).contains { $0.id == model.id }
            if isLoaded, !isInList { update.append(model, to: collection) } else { update.set(model) }
        }
        let settled = store.settled(id: model.id) ?? model
        loadable.correct { [epochs] in epochs.current == epoch ? $0.upserting(settled) : $0 }
        return store.model(id: model.id) ?? model
    }

    /// Updates a model wherever it is shown, without adding it to the list.
    ///
    /// - Returns: the model as the store has it.
    @discardableResult
    public func update(_ model: Model) -> Model {
        store.update { $0.set(resolve([model], $0)[0]) }
        return store.model(id: model.id) ?? model
    }

    /// The model completed with what the store knows. The store does not change.
    public func resolved(_ model: Model) -> Model {
        var resolved = model
        store.update { resolved = resolve([model], $0)[0] }
        return resolved
    }

    /// Removes a model from the store, and so from the list.
    public func remove(_ id: Model.ID) { store.remove(Model.self, id: id) }

    /// Forgets the list: its elements in the store with their pending changes, the loaded contents and the saved ones.
    ///
    /// - Throws: ``ListNotDeleted`` if the saved list remains on the device. It is forgotten in memory anyway.
    public func forget() async throws {
        store.update { update in
            epochs.advance()
            update.forget(collection)
        }
        // A load may begin at once; it belongs to the new epoch.
        loadable.reset()
        if let persistence { try await persistence.storage.delete(persistence.key) }
    }

    /// Puts the saved models into the store, except those that it already has. Loads nothing.
    public func restore() async {
        guard let persistence, let models = await persistence.storage.restore(persistence) else { return }
        store.update { update in
            for model in models where update.model(Model.self, id: model.id) == nil { update.set(model) }
        }
    }

    /// Saves the current contents and returns when they are written. A list also saves itself after each change.
    public func save() async {
        guard let persistence else { return }
        await persistence.storage.save(persistence) { [loadable] in loadable.snapshot }
    }
}

/// Keeps a list's loadable equal to the list in the store: below, what the store has without pending changes; on top, one
/// change that shows the list with them.
private final class PendingElements<Model: StoreModel>: Sendable {
    private let shown = Mutex<OptimisticWrite?>(nil)

    func follow(
        _ event: StoreEvent<CollectionState<Model>>,
        of core: CollectionCore<Model>,
        in store: Store,
        _ loadable: Loadable<[Model]>
    ) {
        let (settled, isCovered) = store.withLock { ($0.settled(core), $0.isCovered(core)) }
        // An update that pending changes hide is no event: what is below them counts as a whole. So does what is left when they
        // are confirmed.
        let isWhole = isCovered || shown.withLock { $0 != nil }
        let changes: (([Model]) -> [Model])? =
            if isWhole { { _ in Array(settled) } } else { changes(of: event, in: store) }
        // The list's own load comes back as an event too: observers are notified of it only once.
        if let changes, let models = loadable.snapshot.settledContents, changes(models) != models {
            loadable.correct(changes)
        }
        let elements = event.value.elements
        let new = isCovered ? loadable.writeOptimistically { _ in Array(elements) } : nil
        shown.withLock { exchange(&$0, with: new) }?.rollBack()
    }

    /// What an event changes in the loaded models; nil if it is nothing.
    private func changes(
        of event: StoreEvent<CollectionState<Model>>,
        in store: Store
    ) -> (([Model]) -> [Model])? {
        let (updated, deleted) = (event.changes.updated(Model.self), event.changes.deleted(Model.self))
        guard !updated.isEmpty || !deleted.isEmpty else { return nil }
        var newModels: [Model.ID: Model] = [:]
        for model in event.value.elements where updated.contains(model.id) { newModels[model.id] = model }
        // A renamed one is in the list with its new id.
        for id in updated where newModels[id] == nil {
            if let model = store.settled(Model.self, id: id), model.id != id { newModels[id] = model }
        }
        return { models in
            models.filter { newModels[$0.id] != nil || !deleted.contains($0.id) }.map { newModels[$0.id] ?? $0 }
        }
    }
}

private final class EpochCounter: Sendable {
    private let count = Mutex(0)
    var current: Int { count.withLock { $0 } }
    func advance() { count.withLock { $0 += 1 } }
}
