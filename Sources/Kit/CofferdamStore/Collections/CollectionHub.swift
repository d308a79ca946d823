/// Who listens to a collection.
final class CollectionHub<Model: StoreModel>: ListenerHub<CollectionState<Model>>, @unchecked Sendable {
    init() { super.init(CollectionState(elements: PersistentList(root: nil), change: .reset), version: 0) }

    override func isNews(to old: CollectionState<Model>) -> Bool { old.elements != value.elements }

    override func changes(since old: CollectionState<Model>, in graph: Graph) -> StoreChanges {
        let net = NetChanges()
        for element in old.elements { net.add(element, in: graph) }
        return net.changes
    }
}
