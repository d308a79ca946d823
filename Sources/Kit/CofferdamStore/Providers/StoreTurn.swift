/// One turn at a store's lock: a provider's steps in it are atomic. Deliveries run after it.
///
/// Nothing that holds a ``StoreListenerToken`` or a ``StoreCollection`` may be released in a turn, because that takes the lock too.
struct StoreTurn {
    private let graph: Graph
    private let store: Store

    fileprivate init(_ graph: Graph, _ store: Store) {
        self.graph = graph
        self.store = store
    }

    /// Makes several changes as one.
    ///
    /// - Returns: what it has changed.
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

    /// When the last update was made.
    func now() -> ChangeTime { ChangeTime(update: graph.transaction.number) }

    /// When the next update will be made.
    func next() -> ChangeTime { ChangeTime(update: graph.transaction.number + 1) }

    func model<Model: StoreModel>(_ type: Model.Type = Model.self, id: Model.ID) -> Model? {
        graph.slot(type, id)?.value
    }

    /// The models with what the store knows of them, or else of what is inside of them: a value that comes from a cache is
    /// older. Nil if it is older than what the cache has by now of what the store does not know.
    func known<Model: StoreModel>(_ models: [Model], from reading: CacheReading) -> [Model]? {
        let knownFirst = KnownFirst(graph: graph, reading: reading)
        let known = models.map { knownFirst.replacement(for: $0) ?? $0 }
        return reading.wasOutdated ? nil : known
    }

    /// Where that model stands in the collection, each time that it does; in no order.
    func indices<Model: StoreModel>(of id: Model.ID, in collection: StoreCollection<Model>) -> [Int] {
        collection.core.indices(of: id, in: graph)
    }

    /// Runs `body` when what was caused so far has been delivered.
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

    /// Keeps a store of what is observed from forgetting what has that id, until the result is released.
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
        lockedThenDelivered { body(StoreTurn($0, self)) }
    }
}

private struct KnownFirst: ChildReplacing {
    let graph: Graph
    let reading: CacheReading

    func replacement<Child: StoreModel>(for child: Child) -> Child? {
        if let known = graph.slot(of: child)?.value { return known }
        reading.check(child)
        return child.replacingChildren(self)
    }
}
