/// What a listener of a ``Store`` is told. One update makes one of them for all who listen to the same, and a copy costs a
/// reference.
public struct StoreEvent<Value: Sendable>: Sendable {
    let content: Content

    /// What is there now: a model, or nil if there is none; a collection's elements.
    public var value: Value { content.value }
    /// What else the same update has changed; nothing in the first event, which tells what is there already.
    public var changes: StoreChanges { content.changes }
    /// The context that the update was made with; after a pause, that of the last update that was not delivered.
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

/// Which things an update has changed: its net effect on those that were known before it, on those that were set or removed as
/// on those in which they are found, directly or not.
///
/// A thing is known if the store has a value of it by any of its projections. Only what there was before the update is compared
/// with what there is after it: what is changed and changed back, or comes and goes, in one update is not named, nor is a thing
/// that was not known before. What a store of what is observed forgets after the update is not gone by it.
///
/// After a pause the things are those in the value that the listener knew, as they were in it and as the store has them now: what
/// it has forgotten meanwhile is gone.
public struct StoreChanges: Sendable {
    /// The number of the update; 0 for what is there already, and after a pause.
    var update = 0
    var updated: [Node] = []
    var deleted: [Node] = []

    /// No changes.
    public static let none = StoreChanges()

    /// Whether nothing changed.
    public var isEmpty: Bool { updated.isEmpty && deleted.isEmpty }

    /// The ids of the things of that entity that were known and are, and of which a projection that was known has another value
    /// or none. A projection that was not known before is no change of the others.
    public func updated<Model: StoreModel>(_ type: Model.Type) -> Set<Model.ID> { Self.ids(updated, type) }

    /// The ids of the things of that entity that were known, and are no longer by any projection.
    public func deleted<Model: StoreModel>(_ type: Model.Type) -> Set<Model.ID> { Self.ids(deleted, type) }

    private static func ids<Model: StoreModel>(_ nodes: [Node], _ type: Model.Type) -> Set<Model.ID> {
        Set(nodes.compactMap { ($0 as? EntityNode<Model.Entity, Model.ID>)?.id })
    }
}

/// What has become since of all that is in a value, each projection of a thing once.
final class NetChanges {
    private(set) var changes = StoreChanges()
    private var seen: Set<AnyHashable> = []

    func add<Model: StoreModel>(_ model: Model, in graph: Graph) {
        guard seen.insert(AnyHashable(Key<Model>(id: model.id))).inserted else { return }
        let node = graph.node(of: model)
        if !node.hasValue {
            changes.deleted.append(node)
        } else if node.slot(of: Model.self)?.value != model {
            changes.updated.append(node)
        }
        var mapper = ChildMapper(graph, for: .compare(self))
        _ = model.mappingChildren(&mapper)
    }

    private struct Key<Model: StoreModel>: Hashable {
        let id: Model.ID
    }
}
