public import Cofferdam  // models are given out as the kit's providers

/// What a ``Store`` keeps: an immutable value that names one thing for ever.
public typealias StoredModel = Identifiable & Equatable & Sendable

/// One truth for many screens: each model once, by its typed id. A list and a detail that show the same animal show the
/// same value, whoever changed it.
///
/// An instance, for one user: make another, or ``removeAll()``, when the user changes. Any task may use it.
public final class Store: Sendable {
    private let shelves = Mutex<[ObjectIdentifier: any StoreShelf]>([:])

    public init() {}

    /// Puts in a model, in place of the one with its id. An equal one changes nothing, and nobody is told.
    public func set<Model: StoredModel>(_ model: Model) where Model.ID: Sendable {
        shelf(Model.self).set(model)
    }

    public func set<Model: StoredModel>(_ models: some Sequence<Model>) where Model.ID: Sendable {
        let shelf = shelf(Model.self)
        for model in models { shelf.set(model) }
    }

    /// The model with that id, if there is one.
    public func model<Model: StoredModel>(_ type: Model.Type = Model.self, id: Model.ID) -> Model?
    where Model.ID: Sendable {
        shelf(Model.self).model(id)
    }

    /// Takes the model out; its listeners hear nil, and are told again if it comes back.
    public func remove<Model: StoredModel>(_ type: Model.Type, id: Model.ID) where Model.ID: Sendable {
        shelf(Model.self).remove(id)
    }

    /// Takes out every model of every type, as at sign-out. Listeners stay registered.
    public func removeAll() {
        let shelves = self.shelves.withLock { Array($0.values) }
        for shelf in shelves { shelf.removeAll() }
    }

    /// The model with that id as it changes, nil while there is none; it may be asked for before there is one.
    public func provider<Model: StoredModel>(_ type: Model.Type = Model.self, id: Model.ID) -> Provider<Model?>
    where Model.ID: Sendable {
        shelf(Model.self).provider(id)
    }

    /// The same as ``provider(_:id:)``'s listener: called at once, and with every change while the token is held.
    public func listen<Model: StoredModel>(
        _ type: Model.Type = Model.self,
        id: Model.ID,
        _ body: @escaping @Sendable (Model?) -> Void
    ) -> ListenerToken where Model.ID: Sendable {
        provider(type, id: id).listen(body)
    }

    private func shelf<Model: StoredModel>(_ type: Model.Type) -> Shelf<Model> where Model.ID: Sendable {
        shelves.withLock { shelves in
            let key = ObjectIdentifier(type)
            // A type's key is only ever given a shelf of that type: the cast cannot fail but for a missing one.
            if let shelf = shelves[key] as? Shelf<Model> { return shelf }
            let shelf = Shelf<Model>()
            shelves[key] = shelf
            return shelf
        }
    }
}

private protocol StoreShelf: Sendable {
    func removeAll()
}

/// All models of one type.
private final class Shelf<Model: StoredModel>: StoreShelf where Model.ID: Sendable {
    /// An id that nobody ever set or asked for has no node.
    private let nodes = Mutex<[Model.ID: ProviderSource<Model?>]>([:])

    func model(_ id: Model.ID) -> Model? {
        let node = nodes.withLock { $0[id] }
        return node?.current
    }

    func provider(_ id: Model.ID) -> Provider<Model?> { node(id).provider }

    func set(_ model: Model) { node(model.id).setIfChanged(model) }

    func remove(_ id: Model.ID) {
        guard let node = nodes.withLock({ $0[id] }) else { return }
        node.setIfChanged(nil)
    }

    func removeAll() {
        let nodes = self.nodes.withLock { Array($0.values) }
        for node in nodes { node.setIfChanged(nil) }
    }

    private func node(_ id: Model.ID) -> ProviderSource<Model?> {
        nodes.withLock { nodes in
            if let node = nodes[id] { return node }
            let node = ProviderSource<Model?>(nil)
            nodes[id] = node
            return node
        }
    }
}
