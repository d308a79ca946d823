import Cofferdam
public import CofferdamState  // a pending change is one of the kit's optimistic writes

// Pending changes are layers over what the store has, as those of a `Loadable` are. What is read and listened to contains
// them; what an update reads and what is saved does not.

extension Store {
    /// Shows a change of a model before the service has confirmed it, wherever the model is shown: alone, in lists and inside
    /// other models.
    ///
    /// Updates meanwhile, such as answers of the service, go below it. `OptimisticWrite.rollBack()` takes it away, and
    /// nothing else. After `OptimisticWrite.confirm()` it stays until an answer sets the model whose load began later: see
    /// ``beginLoad()``. ``removeAll(context:)`` drops it.
    ///
    /// - Parameter change: gets the model below the change, nil if there is none, and returns what to show instead; nil
    ///   removes the model, as ``remove(_:id:context:)`` does. It is applied again after each update, to a model that may
    ///   contain the change already, and runs under the store's lock: it may only use its argument.
    public func changeOptimistically<Model: StoreModel>(
        _ type: Model.Type = Model.self,
        id: Model.ID,
        _ change: @escaping @Sendable (Model?) -> Model?
    ) -> OptimisticWrite {
        addPending(
            PendingStoreChange { graph in
                let old = graph.slot(type, id)?.value
                if let new = change(old) {
                    if new != old { graph.set(new) }
                } else {
                    graph.remove(type, id)
                }
            } isAnswered: {
                $0.hasSet(type, id, since: $1)
            }
        )
    }

    /// Replaces a pending change by what the service has made of it, such as the order with the service's own number.
    ///
    /// An answer that arrives later, but whose load began before, does not overwrite it.
    ///
    /// - Parameters:
    ///   - write: a pending change of this store.
    ///   - change: changes what is below the pending changes. It may run more than once: insert by id, as
    ///     ``StoreUpdate/upsert(_:in:)`` does. It runs under the store's lock, so it may only call its argument.
    /// - Returns: false if the change was confirmed, rolled back or dropped before, or belongs to another store.
    @discardableResult
    public func confirm(
        _ write: OptimisticWrite,
        with change: @escaping @Sendable (borrowing StoreUpdate) -> Void
    ) -> Bool {
        guard write.owner == ObjectIdentifier(self) else { return false }
        return settle { $0.confirm(write.number) { change(StoreUpdate($0)) } }
    }

    /// Gives a model the id that the service has chosen instead of a temporary one.
    ///
    /// What shows or listens to the old id, a detail, a list or another model, follows: it gets the model with the new id. If
    /// the store has a model with the new id already, that one's values count. The store remembers the old id until
    /// ``removeAll(context:)``: who asks for it gets the same model.
    public func rename<Model: RenamableModel>(
        _ type: Model.Type = Model.self,
        from old: Model.ID,
        to new: Model.ID,
        context: (any Sendable)? = nil
    ) {
        update(context: context) { $0.rename(type, from: old, to: new) }
    }

    /// Notes that a load begins, for ``update(answering:context:origin:_:)`` with its answer: only a load that began after a
    /// confirmation must contain the change. A ``StoreList`` does so itself.
    public func beginLoad() -> StoreLoad {
        withLock { graph in
            let load = StoreLoad(began: graph.transaction.number, in: self)
            graph.began(load.began)
            return load
        }
    }

    func addPending(_ change: PendingStoreChange) -> OptimisticWrite {
        var number = 0
        withLockThenDeliver { graph in
            graph.transact(context: nil, origin: nil) { number = $0.addPending(change) }
        }
        return OptimisticWrite(
            number: number,
            of: ObjectIdentifier(self),
            confirm: { [weak self, number] in self?.settle { $0.confirm(number) } ?? false },
            rollBack: { [weak self, number] in self?.settle { $0.takeBack(number) } ?? false }
        )
    }

    private func settle(_ body: (Graph) -> Bool) -> Bool {
        var isPending = false
        withLockThenDeliver { graph in
            graph.transact(context: nil, origin: nil) { isPending = body($0) }
        }
        return isPending
    }

    /// The model without pending changes.
    func settled<Model: StoreModel>(_ type: Model.Type = Model.self, id: Model.ID) -> Model? {
        withLock { $0.settled(type, id) }
    }
}

extension StoreCollection {
    /// Shows a model in this list before the service has confirmed it, as ``Store/changeOptimistically(_:id:_:)`` shows a
    /// change. A list that has the model already keeps it where it is.
    ///
    /// - Parameter index: before which element below the change, at most; nil for the end.
    public func insertOptimistically(_ model: Model, at index: Int? = nil) -> OptimisticWrite {
        changeOptimistically { core, graph in
            let known = graph.slot(of: model)?.value ?? graph.set(model)
            guard core.indices(of: known.id, in: graph).isEmpty else { return }
            let count = core.elements.count
            core.insertKnown(known, at: min(max(index ?? count, 0), count), in: graph)
        }
    }

    /// Hides a model from this list before the service has confirmed it, as ``Store/changeOptimistically(_:id:_:)`` shows a
    /// change. The model stays in the store.
    public func removeOptimistically(id: Model.ID) -> OptimisticWrite {
        changeOptimistically { core, graph in
            for index in core.indices(of: id, in: graph).sorted(by: >) { core.remove(at: index, in: graph) }
        }
    }

    /// The list itself is not captured, because it keeps the store: one that its last user has left is changed no more.
    private func changeOptimistically(
        _ apply: @escaping @Sendable (CollectionCore<Model>, Graph) -> Void
    ) -> OptimisticWrite {
        store.addPending(
            PendingStoreChange { [core] graph in
                if core.users > 0 { apply(core, graph) }
            } isAnswered: { [core] _, start in
                core.setIn >= start.number
            }
        )
    }
}

/// A load from a service that is in flight until this is released: see ``Store/beginLoad()``.
public final class StoreLoad: Sendable {
    /// The number of the last update before it.
    let began: Int
    private let store: Store

    init(began: Int, in store: Store) { (self.began, self.store) = (began, store) }

    deinit { store.withLock { $0.ended(began) } }
}
