/// A collection's elements, and how they have come from those before.
public struct CollectionState<Model: StoreModel>: Sendable, Equatable {
    /// The elements.
    public var elements: PersistentList<Model>
    /// How they changed since the last event.
    public var change: CollectionChange
}
