/// The elements of a collection and how they changed.
public struct CollectionState<Model: StoreModel>: Sendable, Equatable {
    /// The elements.
    public var elements: PersistentList<Model>
    /// How they changed since the last event.
    public var change: CollectionChange
}
