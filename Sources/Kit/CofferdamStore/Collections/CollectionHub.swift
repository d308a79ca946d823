/// Who listens to a collection.
final class CollectionHub<Model: StoreModel>: ListenerHub<CollectionState<Model>>, @unchecked Sendable {
    init() { super.init(CollectionState(elements: PersistentList(root: nil), change: .reset), version: 0) }

    override func isNews(to old: CollectionState<Model>) -> Bool { old.elements != value.elements }

    override func changes(since old: CollectionState<Model>, in graph: Graph) -> StoreChanges {
        let (before, after) = (ModelRecord(), ModelRecord())
        for element in old.elements { before.add(element, in: graph) }
        for element in value.elements { after.add(element, in: graph) }
        return .net(from: before, to: after)
    }
}
