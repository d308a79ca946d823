/// Everything that is in a value, each projection of a thing once.
final class ModelRecord {
    private(set) var entries: [AnyHashable: (node: Node, model: any StoreModel)] = [:]

    func add<Model: StoreModel>(_ model: Model, in graph: Graph) {
        let key = AnyHashable(Key<Model>(id: model.id))
        guard entries[key] == nil else { return }
        entries[key] = (graph.node(of: model), model)
        var mapper = ChildMapper(graph, for: .record(self))
        _ = model.mappingChildren(&mapper)
    }

    private struct Key<Model: StoreModel>: Hashable {
        let id: Model.ID
    }
}

extension StoreChanges {
    /// What has changed from what was in the old value: of the projections that the new one has too, those with other values;
    /// of the others, those of things that are known no longer.
    static func net(from old: ModelRecord, to new: ModelRecord) -> StoreChanges {
        var changes = StoreChanges()
        for (key, (node, model)) in old.entries {
            if let other = new.entries[key]?.model {
                if !isEqual(model, other) { changes.updated.append(node) }
            } else if !node.hasValue {
                changes.deleted.append(node)
            }
        }
        return changes
    }

    private static func isEqual<Model: StoreModel>(_ model: Model, _ other: any StoreModel) -> Bool {
        (other as? Model) == model
    }
}
