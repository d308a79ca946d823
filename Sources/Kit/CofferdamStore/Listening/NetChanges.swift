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
