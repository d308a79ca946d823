/// Which elements of a list are shown, and where: kept while the list changes, each step in O(log n).
struct DerivedOrder<Model: StoreModel> {
    typealias Filter = @Sendable (Model) -> Bool
    typealias Order = @Sendable (_ first: Model, _ second: Model) -> Bool

    private struct Entry {
        /// Nil for one that is gone at the end of the update that has brought it.
        var model: Model?
        /// Among those that the order does not tell apart, the lesser comes first.
        var serial: Int
    }

    /// More steps than this are taken as a whole new list: to find what each has become, the others are looked at.
    private static var stepLimit: Int { 256 }

    private let isShown: Filter
    private let order: Order?
    /// The list, in its own order.
    private var list = RankedList<Entry>()
    private(set) var elements = PersistentList<Model>(root: nil)
    /// Of the shown elements, if there is an order.
    private var serials = PersistentList<Int>(root: nil)
    private var nextSerial = 0
    private var steps: [CollectionChange.Step] = []

    init(isShown: @escaping Filter, order: Order?) {
        self.isShown = isShown
        self.order = order
    }

    /// Follows the list.
    ///
    /// - Returns: what has changed in what is shown; nil if nothing has.
    mutating func follow(_ new: CollectionState<Model>) -> CollectionChange? {
        guard case .steps(let changes) = new.change, changes.count <= Self.stepLimit else {
            return rebuild(new.elements)
        }
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
        // Whoever tells steps that do not lead to the elements is not believed.
        guard list.count == new.elements.count else { return rebuild(new.elements) }
        return steps.isEmpty ? nil : .steps(steps)
    }

    /// What stands at the index when those steps have been taken too; nil if one of them removes it.
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
        let entries = new.enumerated().map { (element: Entry(model: $1, serial: $0), isCounted: isShown($1)) }
        list = RankedList(entries)
        nextSerial = entries.count
        var shown = zip(new, entries).filter(\.1.isCounted).map { (model: $0, serial: $1.element.serial) }
        if let order {
            shown.sort { order($0.model, $1.model) || (!order($1.model, $0.model) && $0.serial < $1.serial) }
            serials = PersistentList(shown.map(\.serial))
        }
        let models = shown.map(\.model)
        guard !elements.elementsEqual(models) else { return nil }
        elements = PersistentList(models)
        return .reset
    }

    // MARK: One step

    private mutating func insert(_ model: Model?, at index: Int) {
        let entry = Entry(model: model, serial: nextSerial)
        nextSerial += 1
        let isCounted = model.map(isShown) ?? false
        list.insert(entry, isCounted: isCounted, at: index)
        if isCounted, let model { show(model, entry.serial, index) }
    }

    private mutating func remove(at index: Int) {
        let (entry, isCounted) = list[index]
        if isCounted { hide(entry, index) }
        list.remove(at: index)
    }

    private mutating func update(to model: Model, at index: Int) {
        let (entry, wasShown) = list[index]
        guard entry.model != model else { return }
        let before = steps.count
        if wasShown { hide(entry, index) }
        let isCounted = isShown(model)
        list.set(Entry(model: model, serial: entry.serial), isCounted: isCounted, at: index)
        if isCounted { show(model, entry.serial, index) }
        // One that stays in its place has not moved.
        if case .remove(let old) = steps[before...].first, case .insert(old) = steps.last {
            steps.replaceSubrange(before..., with: [.update(at: old)])
        }
    }

    private mutating func show(_ model: Model, _ serial: Int, _ index: Int) {
        let place = order.map { self.place(of: model, serial, $0) } ?? list.rank(index)
        elements = elements.inserting(model, at: place)
        if order != nil { serials = serials.inserting(serial, at: place) }
        steps.append(.insert(at: place))
    }

    private mutating func hide(_ entry: Entry, _ index: Int) {
        guard let place = place(of: entry, index) else { return }
        elements = elements.removing(at: place)
        if order != nil { serials = serials.removing(at: place) }
        steps.append(.remove(at: place))
    }

    private func place(of entry: Entry, _ index: Int) -> Int? {
        guard let order, let model = entry.model else { return list.rank(index) }
        let place = self.place(of: model, entry.serial, order)
        if place < serials.count, serials[place] == entry.serial { return place }
        // An order that contradicts itself leads astray.
        return serials.firstIndex(of: entry.serial)
    }

    /// Where it stands, or would stand, in that order.
    private func place(of model: Model, _ serial: Int, _ order: Order) -> Int {
        var (low, high) = (0, elements.count)
        while low < high {
            let middle = (low + high) / 2
            let other = elements[middle]
            if order(other, model) || (!order(model, other) && serials[middle] < serial) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}
