/// Matches the elements of an old list with those of a new one.
@usableFromInline
struct IdentityMatching {
    /// For each index of the new list, the one in the old list; nil for a new element.
    @usableFromInline let sources: ContiguousArray<Int?>
    /// For each index of the new list, whether its element keeps its order, and so has not moved.
    @usableFromInline let staysInOrder: ContiguousArray<Bool>
    /// The old indices of elements that are no longer in the new list.
    @usableFromInline let removals: [Int]

    @inlinable
    init<Element: Identifiable>(from old: ContiguousArray<Element>, to new: ContiguousArray<Element>) {
        // The common beginning of both lists needs no matching.
        let shorter = min(old.count, new.count)
        var head = 0
        while head < shorter, old[head].id == new[head].id { head += 1 }

        var sources = ContiguousArray<Int?>(repeating: nil, count: new.count)
        var staysInOrder = ContiguousArray(repeating: false, count: new.count)
        for index in 0..<head {
            sources[index] = index
            staysInOrder[index] = true
        }
        var places = Places(old, from: head)
        for index in head..<new.count { sources[index] = places.takeFirst(new[index].id) }
        let matched = (head..<new.count).filter { sources[$0] != nil }
        for place in Self.longestIncreasingSubsequence(matched.compactMap { sources[$0] }) {
            staysInOrder[matched[place]] = true
        }
        (self.sources, self.staysInOrder, removals) = (sources, staysInOrder, places.left)
    }

    @inlinable
    func source(of index: Int) -> Int? { sources[index] }
    @inlinable
    func isMoved(_ index: Int) -> Bool { !staysInOrder[index] }

    /// The places of a longest increasing subsequence of the numbers, which are all different: patience sorting,
    /// https://en.wikipedia.org/wiki/Longest_increasing_subsequence#Efficient_algorithms.
    @usableFromInline
    static func longestIncreasingSubsequence(_ numbers: [Int]) -> [Int] {
        // For each length, the place of the smallest number that an increasing subsequence of that length ends with.
        var ends: [Int] = []
        var previous = [Int](repeating: -1, count: numbers.count)
        for (place, number) in numbers.enumerated() {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[place] = ends[low - 1] }
            if low == ends.count { ends.append(place) } else { ends[low] = place }
        }
        var subsequence: [Int] = []
        var place = ends.last ?? -1
        while place >= 0 {
            subsequence.append(place)
            place = previous[place]
        }
        return subsequence.reversed()
    }
}

/// The indices of each id in a list, from some index on, to be taken one by one from the front.
@usableFromInline
struct Places<ID: Hashable> {
    @usableFromInline var first: [ID: Int] = [:]
    /// For each index, the next one with the same id; the index itself when it has been taken.
    @usableFromInline var next: ContiguousArray<Int>
    @usableFromInline let start: Int
    @inlinable static var none: Int { -1 }

    @inlinable
    init<Element: Identifiable<ID>>(_ list: ContiguousArray<Element>, from start: Int) {
        self.start = start
        next = ContiguousArray(repeating: Self.none, count: list.count)
        first.reserveCapacity(list.count - start)
        for index in (start..<list.count).reversed() {
            if let later = first.updateValue(index, forKey: list[index].id) { next[index] = later }
        }
    }

    @inlinable
    mutating func takeFirst(_ id: ID) -> Int? {
        guard let place = first.index(forKey: id) else { return nil }
        let index = first.values[place]
        guard index != Self.none else { return nil }
        first.values[place] = next[index]
        next[index] = index
        return index
    }

    /// The indices that were not taken.
    @inlinable var left: [Int] { (start..<next.count).filter { next[$0] != $0 } }
}
