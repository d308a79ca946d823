/// The newest durations of one side's calls, by operations: from them it is known what slow is.
struct CallDurations: Sendable {
    /// The fewest calls that say anything about a p99 with its tail.
    static let fewestCalls = 10_000
    /// The fewest calls of one operation for which its p99 has an upper bound at 99 %: order statistics, ⌈ln 0.01 / ln 0.99⌉.
    static let fewestOfOperation = 459
    /// How many are kept of each operation.
    static let kept = 2_048

    /// One duration, to be saved at its place.
    struct Change: Sendable, Hashable {
        var operation: String
        var slot: Int
        var nanoseconds: Int64
    }

    private struct Ring: Sendable {
        var values: [Int64] = []
        var next = 0
        /// The limit, and how many calls of all had been timed when it was worked out.
        var known: (count: Int, limit: Duration)?
    }

    private var rings: [String: Ring] = [:]
    /// How many calls were timed.
    private(set) var count = 0
    private var changes: [Change]?

    mutating func record(_ duration: Duration, of operation: String) {
        let nanoseconds = duration.wholeNanoseconds
        var ring = rings.removeValue(forKey: operation) ?? Ring()
        let slot = ring.next
        if slot < ring.values.count { ring.values[slot] = nanoseconds } else { ring.values.append(nanoseconds) }
        ring.next = (slot + 1) % Self.kept
        rings[operation] = ring
        count += 1
        changes?.append(Change(operation: operation, slot: slot, nanoseconds: nanoseconds))
    }

    /// From when on a call is slow: slower than 1.5 times the p99, and than the p99 by the margin. An operation of which too few
    /// calls were timed has the limit of all together.
    ///
    /// - Returns: nil where fewer than `fewest` calls were timed.
    func limits(margin: Duration, fewest: Int) -> [String: Duration]? {
        guard count >= max(1, fewest) else { return nil }
        let margin = margin.wholeNanoseconds
        var limits: [String: Duration] = [:]
        let all = Self.limit(rings.values.flatMap(\.values), margin)
        for (operation, ring) in rings {
            let isEnough = ring.values.count >= min(Self.fewestOfOperation, fewest)
            limits[operation] = isEnough ? Self.limit(ring.values, margin) : all
        }
        return limits
    }

    /// From when on a call of one operation is slow, by what was timed of it until now; nil where that is too little.
    ///
    /// It is worked out anew when a tenth more calls were timed: callers who give up may be many.
    mutating func limit(of operation: String, margin: Duration) -> Duration? {
        guard var ring = rings[operation], ring.values.count >= Self.fewestOfOperation else { return nil }
        if let known = ring.known, count < known.count + known.count / 10 { return known.limit }
        let limit = Self.limit(ring.values, margin.wholeNanoseconds)
        ring.known = (count, limit)
        rings[operation] = ring
        return limit
    }

    private static func limit(_ values: [Int64], _ margin: Int64) -> Duration {
        limit(p99: values.sorted()[rank(of: values.count) - 1], margin)
    }

    /// Nearest rank of the p99: the ⌈0.99·n⌉th of the sorted.
    static func rank(of count: Int) -> Int { (count * 99 + 99) / 100 }

    static func limit(p99: Int64, _ margin: Int64) -> Duration {
        .nanoseconds(max(p99 + p99 / 2, p99 + margin))
    }

    /// What is kept, to be added to what other processes have timed.
    var counts: DurationCounts {
        var counts = DurationCounts()
        counts.timed = count
        for (operation, ring) in rings {
            for value in ring.values { counts.add(1, of: DurationCounts.rounded(value), in: operation) }
        }
        return counts
    }

    // MARK: Beyond the process

    mutating func noteChanges() { changes = changes ?? [] }

    mutating func takeChanges() -> [Change] {
        defer { if changes != nil { changes = [] } }
        return changes ?? []
    }

    /// They could not be saved, and are taken again the next time.
    mutating func restore(_ before: [Change]) {
        guard changes != nil else { return }
        // No more than are kept at all.
        changes = Array((before + (changes ?? [])).suffix(Self.kept * max(1, rings.count)))
    }

    mutating func resume(_ saved: [Change], count: Int) {
        self.count = max(0, count)
        for change in saved.sorted(by: { $0.slot < $1.slot }) where (0..<Self.kept).contains(change.slot) {
            var ring = rings.removeValue(forKey: change.operation) ?? Ring()
            ring.values.append(min(max(0, change.nanoseconds), 1 << 60))
            ring.next = ring.values.count % Self.kept
            rings[change.operation] = ring
        }
    }
}
