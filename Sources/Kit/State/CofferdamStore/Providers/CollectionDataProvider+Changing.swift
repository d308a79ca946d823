extension CollectionDataProvider {
    // Each method makes one update, which shows at once here and in all providers with the same key. A list with a key
    // is saved. An index is one of ``data``: if the list has changed since and this provider is not notified yet, the
    // method finds that element's new index.
    //
    // - `updatesCache`: false saves neither the list nor models that are not saved yet.
    // - `context`: passed to all listeners that the change notifies.

    /// Replaces all elements, or switches to another list and sets its elements. Equal elements change nothing.
    ///
    /// - Parameter key: names the list from now on; nil leaves the key as it is.
    public func set(
        _ models: some Collection<Model>,
        key: String? = nil,
        updatesCache: Bool = true,
        context: (any Sendable)? = nil
    ) {
        let models = Array(models)
        let isOther = key != nil && key != self.key
        let list = isOther ? StoreCollection<Model>(key: key, in: store) : list
        change(list, key: key ?? self.key, new: models, updatesCache, context) { update, _ in
            update.set(models, in: list)
            return true
        }
    }

    /// Inserts models before the element at `index`, or at the end if `index` is the count.
    public func insert(
        _ models: some Collection<Model>,
        at index: Int,
        updatesCache: Bool = true,
        context: (any Sendable)? = nil
    ) throws(IndexOutOfRange) {
        let models = Array(models)
        try edit(at: index, isInsertion: true, new: models, updatesCache, context) { update, list, start in
            Self.result { () throws(IndexOutOfRange) in
                for (offset, model) in models.enumerated() {
                    try update.insert(model, at: start + offset, in: list)
                }
            }
        }
    }

    /// Appends models.
    public func append(
        _ models: some Collection<Model>,
        updatesCache: Bool = true,
        context: (any Sendable)? = nil
    ) {
        let (models, list) = (Array(models), list)
        change(list, key: key, new: models, updatesCache, context) { update, _ in
            for model in models { update.append(model, to: list) }
            return true
        }
    }

    /// Replaces the element at `index` by a model, which may have another id.
    public func replace(
        at index: Int,
        by model: Model,
        updatesCache: Bool = true,
        context: (any Sendable)? = nil
    ) throws(IndexOutOfRange) {
        try edit(at: index, new: [model], updatesCache, context) { update, list, index in
            Self.result { () throws(IndexOutOfRange) in try update.replace(at: index, by: model, in: list) }
        }
    }

    /// Removes the element from this list, but not from the store.
    public func remove(
        at index: Int,
        updatesCache: Bool = true,
        context: (any Sendable)? = nil
    ) throws(IndexOutOfRange) {
        try edit(at: index, new: [], updatesCache, context) { update, list, index in
            Self.result { () throws(IndexOutOfRange) in try update.remove(at: index, in: list) }
        }
    }

    // MARK: By id

    /// Updates the element with the model's id, at every index in this list and everywhere else in the store.
    ///
    /// - Throws: ``CachedStoreError/Code/unknownElement`` if the list does not contain the element.
    public func update(
        _ model: Model,
        updatesCache: Bool = true,
        context: (any Sendable)? = nil
    ) throws {
        let list = list
        let wasFound = change(list, key: key, new: [model], updatesCache, context) { update, indices in
            let found = indices(model.id)
            // Cannot fail: the indices were found in this turn.
            for index in found {
                _ = Self.result { () throws(IndexOutOfRange) in try update.replace(at: index, by: model, in: list) }
            }
            return !found.isEmpty
        }
        if !wasFound { throw Self.unknown(model.id) }
    }

    /// Removes every occurrence of the element from this list, but not from the store.
    ///
    /// - Throws: ``CachedStoreError/Code/unknownElement`` if the list does not contain the element.
    public func remove(id: Model.ID, updatesCache: Bool = true, context: (any Sendable)? = nil) throws {
        let list = list
        let wasFound = change(list, key: key, new: [], updatesCache, context) { update, indices in
            let found = indices(id).sorted(by: >)
            for index in found {
                _ = Self.result { () throws(IndexOutOfRange) in try update.remove(at: index, in: list) }
            }
            return !found.isEmpty
        }
        if !wasFound { throw Self.unknown(id) }
    }

    private static func unknown(_ id: Model.ID) -> CachedStoreError {
        CachedStoreError(.unknownElement, "\(String(reflecting: Model.self)) \(id)")
    }

    // MARK: Implementation

    private func edit(
        at index: Int,
        isInsertion: Bool = false,
        new: [Model],
        _ updatesCache: Bool,
        _ context: (any Sendable)?,
        _ body: (borrowing StoreUpdate, StoreCollection<Model>, Int) -> IndexOutOfRange?
    ) throws(IndexOutOfRange) {
        let list = list
        var error: IndexOutOfRange?
        change(list, key: key, new: new, updatesCache, context) { update, indices in
            let shown = data
            let place = place(of: index, isInsertion, in: shown, now: update.elements(of: list), indices)
            guard let place else {
                error = IndexOutOfRange(index: index, count: shown.count)
                return false
            }
            error = body(update, list, place)
            return error == nil
        }
        if let error { throw error }
    }

    /// The current index of the element at `index` of `shown`; nil if there is no such element, or no longer. An
    /// insertion before an element that was removed goes to the nearest valid index.
    private func place(
        of index: Int,
        _ isInsertion: Bool,
        in shown: PersistentList<Model>,
        now: PersistentList<Model>,
        _ indices: (Model.ID) -> [Int]
    ) -> Int? {
        if isInsertion, index == shown.count { return now.count }
        guard index >= 0, index < shown.count else { return nil }
        if shown == now { return index }
        return indices(shown[index].id).min() ?? (isInsertion ? Swift.min(index, now.count) : nil)
    }

    private static func result(_ body: () throws(IndexOutOfRange) -> Void) -> IndexOutOfRange? {
        do { try body() } catch { return error }
        return nil
    }

    /// Changes the list as one update and shows it, unless `body` returns false.
    ///
    /// - Parameter body: changes the list; `indices` gives a model's current indices. Returns whether it changed
    ///   anything.
    @discardableResult
    private func change(
        _ list: StoreCollection<Model>,
        key: String?,
        new: [Model],
        _ updatesCache: Bool,
        _ context: (any Sendable)?,
        _ body: (borrowing StoreUpdate, _ indices: (Model.ID) -> [Int]) -> Bool
    ) -> Bool {
        let notifies = notifiesOfOwnChanges
        var notification: StoreEvent<CollectionState<Model>>?
        var hasChanged = false
        take(list, key: key, notification: { notification }) { turn in
            let core = list.core
            let before = core.elements
            // Changes made elsewhere that were not delivered to this provider yet show together with its own.
            // So do those of pending changes, which are put on again.
            let isBehind = data != before || turn.isCovered
            var ownSteps: Int? = 0
            let changes = turn.update(context: context) { update in
                hasChanged = body(update) { turn.indices(of: $0, in: list) }
                ownSteps = core.steps?.count
            }
            guard hasChanged else { return nil }
            core.wipesWhenSet = archive?.wipes ?? 0
            if updatesCache, let key {
                let known = new.map { turn.settled(id: $0.id) ?? $0 }
                archive?.keep(turn.settled(core), for: key, new: known, at: turn.now())
            }
            let ownChange = core.elements.root === before.root ? .steps([]) : core.lastChange
            let change = isBehind ? .reset : ownChange
            let consequences = change.dropping(notifies || isBehind ? 0 : ownSteps)
            if let consequences {
                notification = StoreEvent(
                    value: CollectionState(elements: core.elements, change: consequences),
                    changes: changes,
                    context: context
                )
            }
            return StoreEvent(
                value: CollectionState(elements: core.elements, change: change),
                changes: changes,
                context: context
            )
        }
        return hasChanged
    }
}

extension CollectionChange {
    /// The change without its first `count` steps, or nil if no step remains. A reset has no steps: it remains only
    /// whole.
    fileprivate func dropping(_ count: Int?) -> CollectionChange? {
        switch self {
        case .reset: count == 0 ? self : nil
        case .steps(let steps):
            count.flatMap { $0 < steps.count ? .steps(Array(steps[$0...])) : nil }
        }
    }
}
