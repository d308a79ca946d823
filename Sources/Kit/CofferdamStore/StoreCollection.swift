import Cofferdam

/// A list of models in a ``Store``: what changes in the store, wherever, changes in it; what is set in it is set in the store.
/// One that is taken out of the store is taken out of it.
///
/// Those with the same key show the same list.
public final class StoreCollection<Model: StoreModel>: Sendable {
    let store: Store
    private let key: String?
    let core: CollectionCore<Model>

    /// - Parameter key: names the list among those of that model; nil: it is no other's.
    public init(_ models: [Model] = [], key: String? = nil, in store: Store) {
        self.store = store
        self.key = key
        core = store.locked { $0.makeCollection(key) }
        if !models.isEmpty { set(models) }
    }

    deinit { store.lockedThenDelivered { $0.leave(core, key) } }

    /// What is in it now; stays what it is.
    public var elements: PersistentList<Model> { store.locked { _ in core.elements } }

    /// Calls `body` with what is there now, and with every change while the result is held.
    public func listen(_ body: @escaping @Sendable (StoreEvent<CollectionState<Model>>) -> Void) -> StoreListenerToken {
        let listener = store.lockedThenDelivered { core.hub.add(body, in: $0) }
        return StoreListenerToken(listener, store)
    }

    // MARK: Changing, one thing at a time; for several as one see ``Store/update(context:origin:_:)``

    /// Replaces the list. An equal one changes nothing.
    ///
    /// - Parameter inSteps: whether listeners are told the fewest steps that lead to it: see ``ListDifference``. What has moved
    ///   is removed and inserted in them.
    public func set(
        _ models: some Collection<Model>,
        inSteps: Bool = false,
        context: (any Sendable)? = nil,
        origin: StoreListenerToken? = nil
    ) {
        store.update(context: context, origin: origin) { $0.set(models, in: self, inSteps: inSteps) }
    }

    /// Puts a model before the one at `index`, or at the end.
    ///
    /// - Throws: ``IndexOutOfRange``.
    public func insert(
        _ model: Model,
        at index: Int,
        context: (any Sendable)? = nil,
        origin: StoreListenerToken? = nil
    ) throws(IndexOutOfRange) {
        var result: Result<Void, IndexOutOfRange> = .success(())
        store.update(context: context, origin: origin) { update in
            result = Result { () throws(IndexOutOfRange) in try update.insert(model, at: index, in: self) }
        }
        try result.get()
    }

    public func append(
        _ models: some Collection<Model>,
        context: (any Sendable)? = nil,
        origin: StoreListenerToken? = nil
    ) {
        store.update(context: context, origin: origin) { update in
            for model in models { update.append(model, to: self) }
        }
    }

    /// Puts the model in the place of the one that is there, which may be another one.
    ///
    /// - Throws: ``IndexOutOfRange``.
    public func replace(
        at index: Int,
        by model: Model,
        context: (any Sendable)? = nil,
        origin: StoreListenerToken? = nil
    ) throws(IndexOutOfRange) {
        var result: Result<Void, IndexOutOfRange> = .success(())
        store.update(context: context, origin: origin) { update in
            result = Result { () throws(IndexOutOfRange) in try update.replace(at: index, by: model, in: self) }
        }
        try result.get()
    }

    /// Takes the element out of this list, not out of the store.
    ///
    /// - Throws: ``IndexOutOfRange``.
    public func remove(
        at index: Int,
        context: (any Sendable)? = nil,
        origin: StoreListenerToken? = nil
    ) throws(IndexOutOfRange) {
        var result: Result<Void, IndexOutOfRange> = .success(())
        store.update(context: context, origin: origin) { update in
            result = Result { () throws(IndexOutOfRange) in try update.remove(at: index, in: self) }
        }
        try result.get()
    }
}
