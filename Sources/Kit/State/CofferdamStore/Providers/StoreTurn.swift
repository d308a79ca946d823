/// One turn at a store's lock: everything that a provider does in it is atomic. Deliveries run after it.
///
/// Do not release a ``StoreListenerToken`` or a ``StoreCollection`` in a turn: releasing them takes the same lock.
struct StoreTurn {
    private let graph: Graph
    private let store: Store

    fileprivate init(_ graph: Graph, _ store: Store) {
        self.graph = graph
        self.store = store
    }

    /// Makes several changes as one update.
    ///
    /// - Returns: everything that the update changed.
    // Swift 6.3.1's optimizer crashes when it inlines this into generic code.
    @inline(never)
    @discardableResult
    func update(
        context: (any Sendable)?,
        _ body: (borrowing StoreUpdate) -> Void
    ) -> StoreChanges {
        var changes = StoreChanges.none
        graph.transact(context: context, origin: nil) {
            body(StoreUpdate($0))
        } published: {
            changes = $0.changes
        }
        return changes
    }

    /// The time of the last update.
    func now() -> ChangeTime { ChangeTime(update: graph.transaction.number) }

    /// The time of the next update.
    func next() -> ChangeTime { ChangeTime(update: graph.transaction.number + 1) }

    func model<Model: StoreModel>(_ type: Model.Type = Model.self, id: Model.ID) -> Model? {
        graph.slot(type, id)?.value
    }

    /// Without pending changes.
    func settled<Model: StoreModel>(_ type: Model.Type = Model.self, id: Model.ID) -> Model? {
        graph.settled(type, id)
    }

    /// Without pending changes.
    func settled<Model: StoreModel>(_ list: CollectionCore<Model>) -> PersistentList<Model> { graph.settled(list) }

    /// Whether there are pending changes of anything.
    var isCovered: Bool { graph.isCovered }

    /// Replaces each model, or the children inside it, by the store's value, which is newer than the cache's. Returns
    /// nil if the cache has changed since the reading for a model that the store does not have.
    func known<Model: StoreModel>(_ models: [Model], from reading: CacheReading) -> [Model]? {
        let replacements = KnownReplacements(graph: graph, reading: reading)
        let known = models.map { replacements.replacement(for: $0) ?? $0 }
        return reading.wasOutdated ? nil : known
    }

    /// All indices of the model in the collection, in no particular order.
    func indices<Model: StoreModel>(of id: Model.ID, in collection: StoreCollection<Model>) -> [Int] {
        collection.core.indices(of: id, in: graph)
    }

    /// Runs `body` after the deliveries that are queued so far.
    func afterDeliveries(_ body: @escaping @Sendable () -> Void) { graph.outbox.append(body) }

    // MARK: Listening

    func listen<Model: StoreModel>(
        id: Model.ID,
        isPaused: Bool,
        _ body: @escaping @Sendable (StoreEvent<Model?>) -> Void
    ) -> StoreListenerToken {
        held(graph.makeSlot(Model.self, id).makeHub().add(body, in: graph), isPaused)
    }

    func listen<Model: StoreModel>(
        to collection: StoreCollection<Model>,
        isPaused: Bool,
        _ body: @escaping @Sendable (StoreEvent<CollectionState<Model>>) -> Void
    ) -> StoreListenerToken {
        held(collection.core.hub.add(body, in: graph), isPaused)
    }

    /// Keeps the model with this id in the store until the result is released, even if the store keeps only observed
    /// models.
    func hold<Model: StoreModel>(_ type: Model.Type, id: Model.ID) -> StoreListenerToken {
        held(graph.makeSlot(type, id).makeHub().add({ _ in }, in: graph), false)
    }

    private func held(_ listener: AnyListener, _ isPaused: Bool) -> StoreListenerToken {
        if isPaused { listener.pause() }
        return StoreListenerToken(listener, store)
    }
}

extension Store {
    func turn(_ body: (StoreTurn) -> Void) {
        withLockThenDeliver { body(StoreTurn($0, self)) }
    }
}

private struct KnownReplacements: ChildReplacing {
    let graph: Graph
    let reading: CacheReading

    func replacement<Child: StoreModel>(for child: Child) -> Child? {
        if let known = graph.slot(of: child)?.value { return known }
        reading.check(child)
        return child.replacingChildren(self)
    }
}
