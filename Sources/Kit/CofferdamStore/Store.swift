import Cofferdam

/// One truth for many screens: each thing once, by its typed id. A list and a detail that show the same animal show the same
/// value, whoever changed it, alone or inside of something else.
///
/// An instance, for one user: ``removeAll(context:)`` at sign-out, or make another. Any task may use it. Listeners are called
/// outside of every lock, in the order of the changes, by whoever changes something: by one thread at a time, so a change made
/// in a callback is delivered after it. A call that changes something may so return before its own deliveries have run on
/// another thread: see ``delivered()``.
public final class Store: Sendable {
    /// What a store keeps.
    public enum Retention: Sendable {
        /// Everything that was set, until it is removed.
        case everything
        /// What somebody listens to, and what is inside of that.
        case observed
    }

    private let lock = Lock()
    private let graph: Graph

    public init(retention: Retention = .everything) { graph = Graph(keepsEverything: retention == .everything) }

    // MARK: Changing

    /// Puts in a model and all that is in it, each in place of what has its id. What is equal changes nothing, and nobody is
    /// told; what is inside of other things changes there too.
    ///
    /// - Parameters:
    ///   - context: given to all who are told of it.
    ///   - origin: a listener that is not told of it, because it knows; nor after a pause, unless others have changed the same
    ///     in that pause.
    public func set<Model: StoreModel>(
        _ model: Model,
        context: (any Sendable)? = nil,
        origin: StoreListenerToken? = nil
    ) {
        update(context: context, origin: origin) { $0.set(model) }
    }

    /// Puts in all of them as one update.
    public func set<Model: StoreModel>(_ models: some Sequence<Model>, context: (any Sendable)? = nil) {
        update(context: context) { update in
            for model in models { update.set(model) }
        }
    }

    /// Takes out what has that id. Where it was inside of something else it is left out, or, where that cannot be without it,
    /// takes that out as well. Its listeners hear nil, and are told again if it comes back.
    public func remove<Model: StoreModel>(_ type: Model.Type, id: Model.ID, context: (any Sendable)? = nil) {
        update(context: context) { $0.remove(type, id: id) }
    }

    /// Takes out everything, as at sign-out. Listeners stay registered.
    public func removeAll(context: (any Sendable)? = nil) {
        update(context: context) { $0.removeAll() }
    }

    /// Makes several changes as one: each listener is notified once, and only if its value has changed.
    /// `body` runs under the store's lock, so it may only call its argument.
    public func update(
        context: (any Sendable)? = nil,
        origin: StoreListenerToken? = nil,
        _ body: (borrowing StoreUpdate) -> Void
    ) {
        lockedThenDelivered { graph in
            graph.transact(context: context, origin: origin?.listener) { body(StoreUpdate($0)) }
        }
    }

    // MARK: Asking

    /// What has that id, if there is something.
    public func model<Model: StoreModel>(_ type: Model.Type = Model.self, id: Model.ID) -> Model? {
        locked { $0.slot(type, id)?.value }
    }

    /// Calls `body` with what is there now, and with every change while the result is held. It may be asked for before there
    /// is anything: then the first value is nil.
    public func listen<Model: StoreModel>(
        _ type: Model.Type = Model.self,
        id: Model.ID,
        _ body: @escaping @Sendable (StoreEvent<Model?>) -> Void
    ) -> StoreListenerToken {
        let listener = lockedThenDelivered { $0.makeSlot(type, id).makeHub().add(body, in: $0) }
        return StoreListenerToken(listener, self)
    }

    /// Calls `body` after each update, also one that has changed nothing, while the result is held.
    public func listenToUpdates(_ body: @escaping @Sendable (StoreEvent<Void>) -> Void) -> StoreListenerToken {
        let listener = lockedThenDelivered { $0.updates.add(body, in: $0) }
        return StoreListenerToken(listener, self)
    }

    /// Returns when the listeners have been told of everything that was changed before.
    public func delivered() async {
        await withCheckedContinuation { continuation in
            lockedThenDelivered { $0.outbox.append { continuation.resume() } }
        }
    }

    // MARK: The lock

    func locked<Result>(_ body: (Graph) -> Result) -> Result {
        lock.withLock { body(graph) }
    }

    /// Then runs the deliveries, unless another thread, or a callback's caller, is doing that already.
    func lockedThenDelivered<Result>(_ body: (Graph) -> Result) -> Result {
        var isToDrain = false
        let result = locked { graph in
            let result = body(graph)
            isToDrain = graph.beginsDraining()
            return result
        }
        if isToDrain { drain() }
        return result
    }

    private func drain() {
        while let deliveries = locked({ $0.takeDeliveries() }) {
            for deliver in deliveries { deliver() }
        }
    }
}
