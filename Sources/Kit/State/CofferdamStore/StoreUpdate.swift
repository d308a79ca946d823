/// Several changes as one: see ``Store/update(answering:context:origin:_:)``.
public struct StoreUpdate: ~Copyable {
    private let graph: Graph

    init(_ graph: Graph) { self.graph = graph }

    /// Removes the models of a collection from the store, and the pending changes of both.
    func forget<Model: StoreModel>(_ collection: StoreCollection<Model>) {
        let start = graph.updateStart
        for model in collection.core.elements { graph.remove(Model.self, model.id) }
        collection.core.set([], in: graph)
        graph.dropAnswered(since: start)
    }

    // MARK: Models

    /// Sets a model and the models inside it. The last value set for an id counts.
    public func set<Model: StoreModel>(_ model: Model) { graph.set(model) }

    /// Removes the model with that id.
    public func remove<Model: StoreModel>(_ type: Model.Type, id: Model.ID) { graph.remove(type, id) }

    /// Removes everything.
    public func removeAll() { graph.removeAll() }

    /// The model with that id, with the changes so far. Models inside it are updated at the end of the update.
    public func model<Model: StoreModel>(_ type: Model.Type = Model.self, id: Model.ID) -> Model? {
        graph.slot(type, id)?.value
    }

    /// Gives a model another id: see ``Store/rename(_:from:to:context:)``.
    public func rename<Model: RenamableModel>(_ type: Model.Type = Model.self, from old: Model.ID, to new: Model.ID) {
        graph.rename(type, old, to: new)
    }

    // MARK: Collections

    /// The elements of the collection, with the changes so far.
    public func elements<Model: StoreModel>(of collection: StoreCollection<Model>) -> PersistentList<Model> {
        collection.core.elements
    }

    /// Replaces the list. An equal one changes nothing.
    ///
    /// - Parameter inSteps: whether its listeners get the fewest steps that lead to it: see ``ListDifference``.
    public func set<Model: StoreModel>(
        _ models: some Collection<Model>,
        in collection: StoreCollection<Model>,
        inSteps: Bool = false
    ) {
        collection.core.set(models, inSteps: inSteps, in: graph)
    }

    /// Inserts a model before the element at `index`, or at the end.
    ///
    /// - Throws: ``IndexOutOfRange``.
    public func insert<Model: StoreModel>(
        _ model: Model,
        at index: Int,
        in collection: StoreCollection<Model>
    ) throws(IndexOutOfRange) {
        let count = collection.core.elements.count
        guard index >= 0, index <= count else { throw IndexOutOfRange(index: index, count: count) }
        collection.core.insert(model, at: index, in: graph)
    }

    /// Appends a model.
    public func append<Model: StoreModel>(_ model: Model, to collection: StoreCollection<Model>) {
        collection.core.insert(model, at: collection.core.elements.count, in: graph)
    }

    /// Replaces the element at `index` by a model, which may have another id.
    ///
    /// - Throws: ``IndexOutOfRange``.
    public func replace<Model: StoreModel>(
        at index: Int,
        by model: Model,
        in collection: StoreCollection<Model>
    ) throws(IndexOutOfRange) {
        try check(index, collection)
        collection.core.replace(at: index, by: model, in: graph)
    }

    /// Removes the element from this collection, not from the store.
    ///
    /// - Throws: ``IndexOutOfRange``.
    public func remove<Model: StoreModel>(
        at index: Int,
        in collection: StoreCollection<Model>
    ) throws(IndexOutOfRange) {
        try check(index, collection)
        collection.core.remove(at: index, in: graph)
    }

    /// Sets a model, and appends it unless the list has it already.
    public func upsert<Model: StoreModel>(_ model: Model, in collection: StoreCollection<Model>) {
        let model = graph.set(model)
        guard collection.core.indices(of: model.id, in: graph).isEmpty else { return }
        collection.core.insertKnown(model, at: collection.core.elements.count, in: graph)
    }

    /// Removes every occurrence of the model with that id from this collection, not from the store.
    public func remove<Model: StoreModel>(id: Model.ID, in collection: StoreCollection<Model>) {
        for index in collection.core.indices(of: id, in: graph).sorted(by: >) {
            collection.core.remove(at: index, in: graph)
        }
    }

    /// The index below the pending changes of the element that is shown at that index. Before an element that is only
    /// pending, that of the next element that is not; nil for an element itself that is only pending.
    func index<Model: StoreModel>(
        below index: Int,
        in collection: StoreCollection<Model>,
        isInsertion: Bool = false
    ) -> Int? {
        let (shown, count) = (collection.core.hub.value.elements, collection.core.elements.count)
        guard graph.isLifted(collection.core), shown.indices.contains(index) || (isInsertion && index == shown.count)
        else { return index }
        for place in index..<shown.count {
            let earlier = shown[..<place].count { $0.id == shown[place].id }
            let indices = collection.core.indices(of: shown[place].id, in: graph).sorted()
            if earlier < indices.count { return indices[earlier] }
            if !isInsertion { return nil }
        }
        return count
    }

    private func check<Model: StoreModel>(
        _ index: Int,
        _ collection: StoreCollection<Model>
    ) throws(IndexOutOfRange) {
        let count = collection.core.elements.count
        guard index >= 0, index < count else { throw IndexOutOfRange(index: index, count: count) }
    }
}

/// There is no such element: the list may have become shorter meanwhile.
public struct IndexOutOfRange: Error, Sendable, Hashable, CustomStringConvertible {
    /// The index that was asked for.
    public let index: Int
    /// The number of elements.
    public let count: Int

    package init(index: Int, count: Int) {
        self.index = index
        self.count = count
    }

    /// The index and the list's length.
    public var description: String { "index \(index) is out of range for a list of \(count)" }
}
