import Cofferdam

/// Elements in the order in which they were added, each with its own key. A removed one leaves a hole, and the holes
/// are closed when they exceed half of the slots: removal takes amortised logarithmic time.
struct SparseList<Element> {
    struct Slot {
        let key: Int
        /// Nil in a hole.
        fileprivate(set) var element: Element?
    }

    private(set) var slots: [Slot] = []
    private var holeCount = 0
    /// The key of the element that was added last.
    private(set) var lastKey = 0

    var count: Int { slots.count - holeCount }

    /// Returns the element's key, which is greater than all keys before it, including those of removed elements.
    mutating func add(_ element: Element) -> Int {
        lastKey += 1
        slots.append(Slot(key: lastKey, element: element))
        return lastKey
    }

    subscript(key: Int) -> Element? { index(of: key).flatMap { slots[$0].element } }

    mutating func remove(_ key: Int) -> Element? {
        guard let index = index(of: key), let element = slots[index].element.take() else { return nil }
        holeCount += 1
        if holeCount * 2 > slots.count {
            slots.removeAll { $0.element == nil }
            holeCount = 0
        }
        return element
    }

    mutating func removeAll() -> [Slot] {
        holeCount = 0
        defer { slots = [] }
        return slots
    }

    private func index(of key: Int) -> Int? {
        var (lower, upper) = (0, slots.count)
        while lower < upper {
            let middle = lower + (upper - lower) / 2
            if slots[middle].key < key { lower = middle + 1 } else { upper = middle }
        }
        return lower < slots.count && slots[lower].key == key ? lower : nil
    }
}
