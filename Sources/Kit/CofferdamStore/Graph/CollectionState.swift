/// A collection's elements, and how they have come from those before.
public struct CollectionState<Model: StoreModel>: Sendable, Equatable {
    public var elements: PersistentList<Model>
    public var change: CollectionChange
}
