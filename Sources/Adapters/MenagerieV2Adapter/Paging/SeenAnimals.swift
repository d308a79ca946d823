#if Sandbox
import SanctuaryDomain

/// The animals that a walk has already returned, compact enough for its cursor: the vendor's pages overlap when animals
/// are added during the walk.
///
/// Decimal ids are kept as ranges ("1-50,60"), the highest 200; of other ids the latest 200. A walk of all animals has
/// one range, a walk of a group many.
struct SeenAnimals: Sendable, Hashable {
    private var ranges: [ClosedRange<Int>] = []
    private var others: [String] = []

    private static let maximumRanges = 200
    private static let maximumOthers = 200

    init() {}

    /// Parses a ``description``; nil for any other text.
    init?(_ text: String) {
        for part in text.split(separator: ",", omittingEmptySubsequences: true) {
            let bounds = part.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            if bounds.count == 1 || bounds.count == 2, let first = bounds[0], let last = bounds[bounds.count - 1] {
                guard first <= last else { return nil }
                ranges.append(first...last)
            } else if let uuid = AnimalIDMap.normalised(String(part)) {
                others.append(uuid)
            } else {
                return nil
            }
        }
    }

    func contains(_ id: AnimalID) -> Bool {
        guard let number = Int(id.rawValue) else { return others.contains(id.rawValue) }
        return ranges.contains { $0.contains(number) }
    }

    /// Inserts an id; returns whether it is new.
    mutating func insert(_ id: AnimalID) -> Bool {
        guard !contains(id) else { return false }
        if let number = Int(id.rawValue) {
            insert(number)
        } else {
            others.append(id.rawValue)
            if others.count > Self.maximumOthers { others.removeFirst() }
        }
        return true
    }

    private mutating func insert(_ number: Int) {
        let index = ranges.firstIndex { $0.lowerBound > number } ?? ranges.endIndex
        var range = number...number
        var replaced = index..<index
        if index > 0, ranges[index - 1].upperBound == number - 1 {
            range = ranges[index - 1].lowerBound...range.upperBound
            replaced = index - 1..<index
        }
        if index < ranges.endIndex, ranges[index].lowerBound - 1 == number {
            range = range.lowerBound...ranges[index].upperBound
            replaced = replaced.lowerBound..<index + 1
        }
        ranges.replaceSubrange(replaced, with: [range])
        if ranges.count > Self.maximumRanges { ranges.removeFirst() }
    }
}

extension SeenAnimals: CustomStringConvertible {
    var description: String {
        let ranges = ranges.map {
            $0.lowerBound == $0.upperBound ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)"
        }
        return (ranges + others).joined(separator: ",")
    }
}
#endif
