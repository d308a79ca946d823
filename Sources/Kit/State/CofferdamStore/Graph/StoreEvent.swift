/// The notification that a listener of a ``Store`` gets. All listeners of a value share one event per update; a copy costs one
/// reference.
public struct StoreEvent<Value: Sendable>: Sendable {
    let content: Content

    /// The current value: a model, nil if there is none, or a collection's state.
    public var value: Value { content.value }
    /// All changes of the update; empty in a listener's first event.
    public var changes: StoreChanges { content.changes }
    /// The context of the update; after a pause, of the last update that was not delivered.
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

/// The entities that an update changed: its net effect on entities that the store had before, including all that contain them,
/// directly or not.
///
/// The store has an entity if it has a value of any of its projections. The states before and after the update are compared:
/// an entity that changes and changes back within one update is not included, nor is one that is new. An entity that a
/// store with ``Store/Retention/observed`` drops after the update does not count as deleted.
///
/// After a pause, the entities in the value that the listener knew are compared with the store's current ones; those that the
/// store has dropped meanwhile count as deleted.
public struct StoreChanges: Sendable {
    /// The number of the update; 0 in a first event and after a pause.
    var update = 0
    var updated: [Node] = []
    var deleted: [Node] = []

    /// No changes.
    package static let none = StoreChanges()

    /// Whether nothing changed.
    public var isEmpty: Bool { updated.isEmpty && deleted.isEmpty }

    /// The ids of the entities in that namespace of which a projection changed or was removed, while the entity remains. A new
    /// projection does not count as a change of the others.
    public func updated<Model: StoreModel>(_ type: Model.Type) -> Set<Model.ID> { Self.ids(updated, type) }

    /// The ids of the entities in that namespace that have no projection left.
    public func deleted<Model: StoreModel>(_ type: Model.Type) -> Set<Model.ID> { Self.ids(deleted, type) }

    private static func ids<Model: StoreModel>(_ nodes: [Node], _ type: Model.Type) -> Set<Model.ID> {
        Set(nodes.compactMap { ($0 as? EntityNode<Model.Entity, Model.ID>)?.id })
    }
}

/// The changes since then of everything in a value, each projection of an entity once.
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
