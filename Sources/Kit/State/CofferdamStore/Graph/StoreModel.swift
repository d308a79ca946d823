/// An immutable value with an identity that a ``Store`` keeps; it may contain other models.
///
/// A model without children needs only its properties. A model with children implements how to replace them:
///
/// ```swift
/// struct Order: StoreModel {
///     let id: Int
///     var animal: Animal
///     var gift: Animal?
///     var lines: [Line]
///
///     func mappingChildren(_ children: inout ChildMapper) -> Order? {
///         guard let animal = children.required(animal) else { return nil }
///         var order = self
///         order.animal = animal
///         order.gift = children.optional(gift)
///         order.lines = children.each(lines)
///         return order
///     }
/// }
/// ```
public protocol StoreModel: Identifiable, Equatable, Sendable where ID: Sendable {
    /// The namespace of the ids. Projections, which show the same entity with other properties, share one; their ids have the
    /// same type.
    associatedtype Entity = Self

    /// Returns the model with each of its direct children replaced by `children`; nil if a required one is gone. Calls
    /// `children` once for each child and has no other effect.
    func mappingChildren(_ children: inout ChildMapper) -> Self?

    /// Returns this projection with the values that a newer projection of the same entity has.
    func merging(_ projection: any StoreModel) -> Self
}

/// A model whose temporary id can become the service's: see ``Store/rename(_:from:to:context:)``.
public protocol RenamableModel: StoreModel {
    /// Can be set, to make the same model with another id.
    var id: ID { get set }
}

extension RenamableModel {
    fileprivate func with(id: any Sendable) -> Self? {
        guard let id = id as? ID else { return nil }
        var model = self
        model.id = id
        return model
    }
}

extension StoreModel {
    /// The model with another id; nil if it cannot have one.
    func renamed(to id: ID) -> Self? { (self as? any RenamableModel)?.with(id: id) as? Self }

    /// Returns the model unchanged, for models without children.
    public func mappingChildren(_ children: inout ChildMapper) -> Self? { self }
    /// Returns the model unchanged, for models without projections.
    public func merging(_ projection: any StoreModel) -> Self { self }
}
