/// Changes that are made as one: see ``Store/update(context:origin:_:)``.
public struct StoreUpdate: ~Copyable {
    private let graph: Graph

    init(_ graph: Graph) { self.graph = graph }

    // MARK: Models

    /// Puts in a model and all that is in it. The last value that is set for an id counts.
    public func set<Model: StoreModel>(_ model: Model) { graph.set(model) }

    public func remove<Model: StoreModel>(_ type: Model.Type, id: Model.ID) { graph.remove(type, id) }

    public func removeAll() { graph.removeAll() }

    /// What has that id, as it was changed so far; what is inside of it follows at the end of the update.
    public func model<Model: StoreModel>(_ type: Model.Type = Model.self, id: Model.ID) -> Model? {
        graph.slot(type, id)?.value
    }

    // MARK: Collections

    /// What is in the collection, as it was changed so far.
    public func elements<Model: StoreModel>(of collection: StoreCollection<Model>) -> PersistentList<Model> {
        collection.core.elements
    }

    /// Replaces the list. An equal one changes nothing.
    ///
    /// - Parameter inSteps: whether its listeners are told the fewest steps that lead to it: see ``ListDifference``.
    public func set<Model: StoreModel>(
        _ models: some Collection<Model>,
        in collection: StoreCollection<Model>,
        inSteps: Bool = false
    ) {
        collection.core.set(models, inSteps: inSteps, in: graph)
    }

    /// Puts a model before the one at `index`, or at the end.
    public func insert<Model: StoreModel>(
        _ model: Model,
        at index: Int,
        in collection: StoreCollection<Model>
    ) throws(IndexOutOfRange) {
        let count = collection.core.elements.count
        guard index >= 0, index <= count else { throw IndexOutOfRange(index: index, count: count) }
        collection.core.insert(model, at: index, in: graph)
    }

    public func append<Model: StoreModel>(_ model: Model, to collection: StoreCollection<Model>) {
        collection.core.insert(model, at: collection.core.elements.count, in: graph)
    }

    /// Puts the model in the place of the one that is there, which may be another one.
    public func replace<Model: StoreModel>(
        at index: Int,
        by model: Model,
        in collection: StoreCollection<Model>
    ) throws(IndexOutOfRange) {
        try check(index, collection)
        collection.core.replace(at: index, by: model, in: graph)
    }

    /// Takes the element out of this collection, not out of the store.
    public func remove<Model: StoreModel>(
        at index: Int,
        in collection: StoreCollection<Model>
    ) throws(IndexOutOfRange) {
        try check(index, collection)
        collection.core.remove(at: index, in: graph)
    }

    private func check<Model: StoreModel>(
        _ index: Int,
        _ collection: StoreCollection<Model>
    ) throws(IndexOutOfRange) {
        let count = collection.core.elements.count
        guard index >= 0, index < count else { throw IndexOutOfRange(index: index, count: count) }
    }
}

/// There is no such element: somebody else may have made the list shorter meanwhile.
public struct IndexOutOfRange: Error, Sendable, Hashable, CustomStringConvertible {
    public let index: Int
    public let count: Int

    public init(index: Int, count: Int) {
        self.index = index
        self.count = count
    }

    public var description: String { "index \(index) is outside of a list of \(count)" }
}
