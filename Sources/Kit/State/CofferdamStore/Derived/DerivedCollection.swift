import Cofferdam
public import CofferdamState  // what it shows comes as the kit's providers and sequences

/// A filtered or sorted list that follows another list. A change of one element costs O(log n), or O(log² n) among many
/// elements that the order does not distinguish, and is published as the steps in this list. A change without an effect
/// on this list is not published.
///
/// It retains the list that it follows.
public final class DerivedCollection<Model: StoreModel>: Sendable {
    /// The elements and how they changed.
    public typealias Event = StoreEvent<CollectionState<Model>>

    private let state: Mutex<DerivedOrder<Model>>
    private let source: ProviderSource<Event>
    /// The list that it follows, and its listener's token.
    private let origin = Mutex<[any Sendable]>([])

    /// - Parameter listen: calls its argument with the current elements and with every change, until its result is
    ///   released.
    init(
        of list: any Sendable,
        isShown: @escaping @Sendable (Model) -> Bool,
        order: (@Sendable (Model, Model) -> Bool)?,
        _ listen: (@escaping @Sendable (Event) -> Void) -> any Sendable
    ) {
        state = Mutex(DerivedOrder(isShown: isShown, order: order))
        let nothing = CollectionState<Model>(elements: PersistentList(root: nil), change: .reset)
        source = ProviderSource(Event(value: nothing, changes: .none, context: nil))
        let listening = listen { [weak self] event in self?.follow(event) }
        origin.withLock { $0 = [list, listening] }
    }

    private func follow(_ event: Event) {
        state.withLock { order in
            guard let change = order.follow(event.value) else { return }
            source.post(
                Event(
                    value: CollectionState(elements: order.elements, change: change),
                    changes: event.changes,
                    context: event.context
                )
            )
        }
        source.deliver()
    }

    /// The current elements, as a value.
    public var elements: PersistentList<Model> { source.current.value.elements }

    /// The elements, to read and to listen to. A change of an element that keeps its index is an update; a change that
    /// moves it is a removal and an insertion.
    public var provider: Provider<Event> { source.provider }
}

/// A list from which others can be derived.
public protocol DerivableCollection<Model>: Sendable {
    associatedtype Model: StoreModel

    /// This list without the elements for which `isShown` is false, and in that order.
    ///
    /// Both are called under a lock, so they may only use their arguments. Elements that the order does not distinguish
    /// keep the order of this list, so that two lists with the same order always show the same.
    ///
    /// - Parameter order: returns whether the first element comes before the second; nil keeps the list's own order.
    func derived(
        isShown: @escaping @Sendable (Model) -> Bool,
        order: (@Sendable (Model, Model) -> Bool)?
    ) -> DerivedCollection<Model>
}

extension DerivableCollection {
    /// The elements of this list for which `isShown` is true, as the list changes.
    public func filtered(_ isShown: @escaping @Sendable (Model) -> Bool) -> DerivedCollection<Model> {
        derived(isShown: isShown, order: nil)
    }

    /// This list in another order, as it changes.
    public func sorted(by order: @escaping @Sendable (Model, Model) -> Bool) -> DerivedCollection<Model> {
        derived(isShown: { _ in true }, order: order)
    }
}

extension StoreCollection: DerivableCollection {
    /// A derived list of this one's shown elements, in that order; it changes with this one.
    public func derived(
        isShown: @escaping @Sendable (Model) -> Bool,
        order: (@Sendable (Model, Model) -> Bool)?
    ) -> DerivedCollection<Model> {
        DerivedCollection(of: self, isShown: isShown, order: order) { self.listen($0) }
    }
}

extension DerivedCollection: DerivableCollection {
    /// A derived list of this one's shown elements, in that order; it changes with this one.
    public func derived(
        isShown: @escaping @Sendable (Model) -> Bool,
        order: (@Sendable (Model, Model) -> Bool)?
    ) -> DerivedCollection<Model> {
        DerivedCollection(of: self, isShown: isShown, order: order) { self.provider.listen($0) }
    }
}
