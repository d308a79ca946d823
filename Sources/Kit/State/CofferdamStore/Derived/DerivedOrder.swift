/// Which elements of a list are shown, and where. Each step of the list takes O(log n), or O(log² n) among many
/// elements that the order considers equal; those keep the list's order.
struct DerivedOrder<Model: StoreModel> {
    typealias Filter = @Sendable (Model) -> Bool
    typealias Order = @Sendable (_ first: Model, _ second: Model) -> Bool

    /// With more steps than this, the list counts as new, because finding the element of each step looks at all later
    /// steps.
    private static var stepLimit: Int { 256 }

    private let isShown: Filter
    private let order: Order?
    /// The list, in its own order; nil for an element that the same update added and removed.
    private var list = RankedList<Model?>()
    private(set) var elements = PersistentList<Model>(root: nil)
    /// The places of the shown elements in the list, if there is an order.
    private var places = PersistentList<Int>(root: nil)
    private var steps: [CollectionChange.Step] = []

    init(isShown: @escaping Filter, order: Order?) {
        self.isShown = isShown
        self.order = order
    }

    /// Follows the list.
    ///
    /// - Returns: the change of what is shown; nil if nothing changed.
    mutating func follow(_ new: CollectionState<Model>) -> CollectionChange? {
        guard case .steps(let changes) = new.change, changes.count <= Self.stepLimit else {
            return rebuild(new.elements)
        }
        let before = elements
        steps = []
        for (number, step) in changes.enumerated() {
            let later = changes[(number + 1)...]
            switch step {
            case .insert(let index) where index <= list.count:
                insert(Self.element(at: index, after: later, in: new.elements), at: index)
            case .update(let index) where index < list.count:
                if let model = Self.element(at: index, after: later, in: new.elements) { update(to: model, at: index) }
            case .remove(let index) where index < list.count:
                remove(at: index)
            default: return rebuild(new.elements)
            }
        }
        // Steps that do not lead to the new elements are ignored.
        guard list.count == new.elements.count else { return rebuild(new.elements) }
        guard elements != before else { return nil }
        return .steps(steps)
    }

    /// The element at the index after those steps; nil if one of them removes it.
    private static func element(
        at index: Int,
        after steps: ArraySlice<CollectionChange.Step>,
        in elements: PersistentList<Model>
    ) -> Model? {
        var index = index
        for step in steps {
            switch step {
            case .insert(let other): if other <= index { index += 1 }
            case .update: break
            case .remove(let other):
                if other == index { return nil }
                if other < index { index -= 1 }
            }
        }
        return index < elements.count ? elements[index] : nil
    }

    private mutating func rebuild(_ new: PersistentList<Model>) -> CollectionChange? {
        let entries = new.map { (element: Optional($0), isCounted: isShown($0)) }
        list = RankedList(entries)
        // The places of a new list are its indices.
        var shown = zip(new, entries).enumerated().filter(\.1.1.isCounted).map { (model: $1.0, place: $0) }
        if let order {
            shown.sort { order($0.model, $1.model) || (!order($1.model, $0.model) && $0.place < $1.place) }
            places = PersistentList(shown.map(\.place))
        }
        let models = shown.map(\.model)
        guard !elements.elementsEqual(models) else { return nil }
        elements = PersistentList(models)
        return .reset
    }

    // MARK: One step

    private mutating func insert(_ model: Model?, at index: Int) {
        let isCounted = model.map(isShown) ?? false
        let place = list.insert(model, isCounted: isCounted, at: index)
        if isCounted, let model { show(model, place, index) }
    }

    private mutating func remove(at index: Int) {
        if list[index].isCounted { hide(index) }
        list.remove(at: index)
    }

    private mutating func update(to model: Model, at index: Int) {
        let (old, wasShown, place) = list[index]
        guard old != model else { return }
        let before = steps.count
        if wasShown { hide(index) }
        let isCounted = isShown(model)
        list.set(model, isCounted: isCounted, at: index)
        if isCounted { show(model, place, index) }
        // A removal and an insertion at the same index are an update.
        if case .remove(let old) = steps[before...].first, case .insert(old) = steps.last {
            steps.replaceSubrange(before..., with: [.update(at: old)])
        }
    }

    private mutating func show(_ model: Model, _ place: Int, _ index: Int) {
        let rank = order.map { self.rank(of: model, at: index, $0) } ?? list.rank(index)
        elements = elements.inserting(model, at: rank)
        if order != nil { places = places.inserting(place, at: rank) }
        steps.append(.insert(at: rank))
    }

    private mutating func hide(_ index: Int) {
        guard let rank = shownRank(of: index) else { return }
        elements = elements.removing(at: rank)
        if order != nil { places = places.removing(at: rank) }
        steps.append(.remove(at: rank))
    }

    private func shownRank(of index: Int) -> Int? {
        let (model, _, place) = list[index]
        guard let order, let model else { return list.rank(index) }
        let rank = self.rank(of: model, at: index, order)
        if rank < places.count, places[rank] == place { return rank }
        // With an inconsistent order, the search misses it.
        return places.firstIndex(of: place)
    }

    /// Where the model is, or would be, among the shown elements.
    private func rank(of model: Model, at index: Int, _ order: Order) -> Int {
        var (low, high) = (0, elements.count)
        while low < high {
            let middle = (low + high) / 2
            let other = elements[middle]
            if order(other, model) || (!order(model, other) && list.index(ofPlace: places[middle]) < index) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}
