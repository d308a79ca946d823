/// What a ``Store`` keeps: an immutable value that names one thing for ever, and the values of other things inside it.
///
/// A model without children needs nothing but its properties. One that holds others says how to replace them:
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
    /// The namespace of the ids. Projections, which show the same thing by other fields, name one of them here; they have
    /// one type of id.
    associatedtype Entity = Self

    /// This model, with each of its direct children as `children` gives it back; nil if one that it cannot be without is
    /// gone. Calls `children` once for each child, and has no other effect.
    func mappingChildren(_ children: inout ChildMapper) -> Self?

    /// This projection, with what another one of the same thing knows better.
    func merging(_ projection: any StoreModel) -> Self
}

extension StoreModel {
    public func mappingChildren(_ children: inout ChildMapper) -> Self? { self }
    public func merging(_ projection: any StoreModel) -> Self { self }
}
