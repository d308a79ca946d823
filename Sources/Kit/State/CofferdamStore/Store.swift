import Cofferdam

/// A single source of truth for many screens: each entity once, by its typed id. A list and a detail that show the same
/// animal show the same value, whether it was changed alone or inside another model.
///
/// A store belongs to one user: call ``removeAll(context:)`` at sign-out, or create another. Safe to use from any task.
/// The thread that changes the store calls the listeners, outside of every lock and in the order of the changes. One thread
/// does so at a time: a change made in a callback is delivered after it, and a call that changes something may return before
/// another thread has made its deliveries; see ``delivered()``.
public final class Store: Sendable {
    /// Which models a store keeps.
    public enum Retention: Sendable {
        /// All models, until they are removed.
        case everything
        /// Models with listeners, and the models inside them.
        case observed
    }

    private let lock = Lock()
    private let graph: Graph

    /// Creates an empty store.
    public init(retention: Retention = .everything) { graph = Graph(keepsEverything: retention == .everything) }

    // MARK: Changing

    /// Sets a model and the models inside it, each by its id, wherever they occur. An equal model changes nothing and notifies
    /// no listener.
    ///
    /// - Parameters:
    ///   - context: passed to the listeners.
    ///   - origin: a listener that is not notified, because it made the change. After a pause it is notified only if
    ///     others changed the same model during the pause.
    public func set<Model: StoreModel>(
        _ model: Model,
        context: (any Sendable)? = nil,
        origin: StoreListenerToken? = nil
    ) {
        update(context: context, origin: origin) { $0.set(model) }
    }

    /// Sets all models as one update.
    public func set<Model: StoreModel>(_ models: some Sequence<Model>, context: (any Sendable)? = nil) {
        update(context: context) { update in
            for model in models { update.set(model) }
        }
    }

    /// Removes the model with that id. A model that contains it is left without it, or removed too if it requires it. Listeners
    /// get nil, and the model again if it is set again.
    public func remove<Model: StoreModel>(_ type: Model.Type, id: Model.ID, context: (any Sendable)? = nil) {
        update(context: context) { $0.remove(type, id: id) }
    }

    /// Removes everything, as at sign-out. Listeners stay registered.
    public func removeAll(context: (any Sendable)? = nil) {
        update(context: context) { $0.removeAll() }
    }

    /// Makes several changes as one: each listener is notified once, and only if its value has changed.
    /// `body` runs under the store's lock, so it may only call its argument.
    ///
    /// What it reads and changes is without pending changes, which are put on top of the result.
    ///
    /// - Parameter load: the load that this answers. Changes that were confirmed before it began, of what `body` sets, are no
    ///   longer pending: the answer contains them. Nil for a local change.
    public func update(
        answering load: StoreLoad? = nil,
        context: (any Sendable)? = nil,
        origin: StoreListenerToken? = nil,
        _ body: (borrowing StoreUpdate) -> Void
    ) {
        withLockThenDeliver { graph in
            graph.transact(context: context, origin: origin?.listener, answering: load) { body(StoreUpdate($0)) }
        }
    }

    // MARK: Asking

    /// The model with that id; nil if there is none.
    public func model<Model: StoreModel>(_ type: Model.Type = Model.self, id: Model.ID) -> Model? {
        withLock { $0.slot(type, id)?.value }
    }

    /// Calls `body` with the current model and with every change while the token is held. Before a model is set the value is
    /// nil.
    public func listen<Model: StoreModel>(
        _ type: Model.Type = Model.self,
        id: Model.ID,
        _ body: @escaping @Sendable (StoreEvent<Model?>) -> Void
    ) -> StoreListenerToken {
        let listener = withLockThenDeliver { $0.makeSlot(type, id).makeHub().add(body, in: $0) }
        return StoreListenerToken(listener, self)
    }

    /// Calls `body` after each update while the token is held, even after one that changed nothing.
    public func listenToUpdates(_ body: @escaping @Sendable (StoreEvent<Void>) -> Void) -> StoreListenerToken {
        let listener = withLockThenDeliver { $0.updates.add(body, in: $0) }
        return StoreListenerToken(listener, self)
    }

    /// Returns when the listeners have been notified of all earlier changes.
    public func delivered() async {
        await withCheckedContinuation { continuation in
            withLockThenDeliver { $0.outbox.append { continuation.resume() } }
        }
    }

    // MARK: The lock

    func withLock<Result>(_ body: (Graph) -> Result) -> Result {
        lock.withLock { body(graph) }
    }

    /// Runs `body` under the lock, and then makes the deliveries, unless another thread or an outer call on this one is
    /// making them.
    func withLockThenDeliver<Result>(_ body: (Graph) -> Result) -> Result {
        var shouldDrain = false
        let result = withLock { graph in
            let result = body(graph)
            shouldDrain = graph.beginsDraining()
            return result
        }
        if shouldDrain { drain() }
        return result
    }

    private func drain() {
        while let deliveries = withLock({ $0.takeDeliveries() }) {
            for deliver in deliveries { deliver() }
        }
    }
}
