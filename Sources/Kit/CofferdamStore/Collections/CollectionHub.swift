/// Who listens to a collection.
final class CollectionHub<Model: StoreModel>: ListenerHub<CollectionState<Model>>, @unchecked Sendable {
    init() { super.init(CollectionState(elements: PersistentList(root: nil), change: .reset), version: 0) }

    override func netChange(
        from old: CollectionState<Model>,
        in graph: Graph
    ) -> (value: CollectionState<Model>, changes: StoreChanges)? {
        guard old.elements != value.elements else { return nil }
        let (before, after) = (ModelRecord(), ModelRecord())
        for element in old.elements { before.add(element, in: graph) }
        for element in value.elements { after.add(element, in: graph) }
        return (value, .net(from: before, to: after))
    }
}
