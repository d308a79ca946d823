import Cofferdam

/// A list of models in a ``Store``. A model that changes in the store changes in the list, and vice versa; a model that
/// is removed from the store is removed from the list.
///
/// Collections with the same key have the same elements.
public final class StoreCollection<Model: StoreModel>: Sendable {
    let store: Store
    private let key: String?
    let core: CollectionCore<Model>

    /// - Parameter key: names the list among the lists of that model; nil for a list that is not shared.
    public init(_ models: [Model] = [], key: String? = nil, in store: Store) {
        self.store = store
        self.key = key
        core = store.withLock { $0.makeCollection(key) }
        if !models.isEmpty { set(models) }
    }

    deinit { store.withLockThenDeliver { $0.leave(core, key) } }

    /// The current elements, as a value.
    public var elements: PersistentList<Model> { store.withLock { _ in core.elements } }

    /// Calls `body` with the current elements and with every change while the token is held.
    public func listen(_ body: @escaping @Sendable (StoreEvent<CollectionState<Model>>) -> Void) -> StoreListenerToken {
        let listener = store.withLockThenDeliver { core.hub.add(body, in: $0) }
        return StoreListenerToken(listener, store)
    }

    // MARK: Changing one element at a time; for several as one see ``Store/update(answering:context:origin:_:)``
    //
    // An index is one of ``elements``. An element that is only there for a pending change can be neither replaced nor
    // removed: take the change back.

    /// Replaces the list. An equal one changes nothing.
    ///
    /// - Parameter inSteps: whether listeners get the fewest steps that lead to it: see ``ListDifference``. A moved element is
    ///   removed and inserted in them.
    public func set(
        _ models: some Collection<Model>,
        inSteps: Bool = false,
        context: (any Sendable)? = nil,
        origin: StoreListenerToken? = nil
    ) {
        store.update(context: context, origin: origin) { $0.set(models, in: self, inSteps: inSteps) }
    }

    /// Inserts a model before the element at `index`, or at the end.
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
            result = Result { () throws(IndexOutOfRange) in
                try update.insert(model, at: update.index(below: index, in: self, isInsertion: true) ?? index, in: self)
            }
        }
        try result.get()
    }

    /// Appends models, as one update.
    public func append(
        _ models: some Collection<Model>,
        context: (any Sendable)? = nil,
        origin: StoreListenerToken? = nil
    ) {
        store.update(context: context, origin: origin) { update in
            for model in models { update.append(model, to: self) }
        }
    }

    /// Replaces the element at `index` by a model, which may have another id.
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
            result = Result { () throws(IndexOutOfRange) in
                try update.replace(at: try place(of: index, update), by: model, in: self)
            }
        }
        try result.get()
    }

    private func place(of index: Int, _ update: borrowing StoreUpdate) throws(IndexOutOfRange) -> Int {
        if let place = update.index(below: index, in: self) { return place }
        throw IndexOutOfRange(index: index, count: update.elements(of: self).count)
    }

    /// Removes the element from this list, not from the store.
    ///
    /// - Throws: ``IndexOutOfRange``.
    public func remove(
        at index: Int,
        context: (any Sendable)? = nil,
        origin: StoreListenerToken? = nil
    ) throws(IndexOutOfRange) {
        var result: Result<Void, IndexOutOfRange> = .success(())
        store.update(context: context, origin: origin) { update in
            result = Result { () throws(IndexOutOfRange) in
                try update.remove(at: try place(of: index, update), in: self)
            }
        }
        try result.get()
    }
}
