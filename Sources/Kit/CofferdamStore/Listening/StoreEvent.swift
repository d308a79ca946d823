/// What a listener of a ``Store`` is told.
public struct StoreEvent<Value: Sendable>: Sendable {
    /// What is there now: a model, or nil if there is none; a collection's elements.
    public let value: Value
    /// What else the same update has changed; nothing in the first event, which tells what is there already.
    public let changes: StoreChanges
    /// What whoever made the update gave with it; after a pause, with the last one.
    public let context: (any Sendable)?
}

/// Which things an update has changed: those that were set, and those in which they are found, directly or not.
///
/// A thing that was not known before is in neither list.
public struct StoreChanges: Sendable {
    /// The number of the update; 0 for what is there already, and after a pause.
    var update = 0
    var updated: [Node] = []
    var deleted: [Node] = []

    public static let none = StoreChanges()

    public var isEmpty: Bool { updated.isEmpty && deleted.isEmpty }

    /// The ids of the things of that entity that have other values than before.
    public func updated<Model: StoreModel>(_ type: Model.Type) -> Set<Model.ID> { Self.ids(updated, type) }

    /// The ids of the things of that entity that are gone.
    public func deleted<Model: StoreModel>(_ type: Model.Type) -> Set<Model.ID> { Self.ids(deleted, type) }

    private static func ids<Model: StoreModel>(_ nodes: [Node], _ type: Model.Type) -> Set<Model.ID> {
        Set(nodes.compactMap { ($0 as? EntityNode<Model.Entity, Model.ID>)?.id })
    }
}
