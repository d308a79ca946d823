/// What a listener of a ``Store`` is told. One update makes one of them for all who listen to the same, and a copy costs a
/// reference.
public struct StoreEvent<Value: Sendable>: Sendable {
    let content: Content

    /// What is there now: a model, or nil if there is none; a collection's elements.
    public var value: Value { content.value }
    /// What else the same update has changed; nothing in the first event, which tells what is there already.
    public var changes: StoreChanges { content.changes }
    /// What whoever made the update gave with it; after a pause, with the last one.
    public var context: (any Sendable)? { content.context }

    init(value: Value, changes: StoreChanges, context: (any Sendable)?) {
        content = Content(value, changes, context)
    }

    init(_ content: Content) { self.content = content }

    final class Content: Sendable {
        let changes: StoreChanges
        let context: (any Sendable)?
        let value: Value

        init(_ value: Value, _ changes: StoreChanges, _ context: (any Sendable)?) {
            self.value = value
            self.changes = changes
            self.context = context
        }
    }
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
