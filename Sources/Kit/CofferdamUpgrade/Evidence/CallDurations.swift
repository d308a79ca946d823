/// The most recent durations of the calls of one side, by operation, from which the slow limit follows.
struct CallDurations: Sendable {
    /// The minimum number of calls for a p99.
    static let minimumCalls = 10_000
    /// The minimum number of calls of one operation for an upper bound of its p99 at 99 %: order statistics, ⌈ln 0.01
    /// / ln 0.99⌉.
    static let minimumCallsPerOperation = 459
    /// The number of durations kept for each operation.
    static let kept = 2_048

    /// One duration, to be saved in its slot.
    struct Change: Sendable, Hashable {
        var operation: String
        var slot: Int
        var nanoseconds: Int64
    }

    private struct Ring: Sendable {
        var values: [Int64] = []
        var next = 0
        /// The limit, and the number of timed calls when it was computed.
        var known: (count: Int, limit: Duration)?
    }

    private var rings: [String: Ring] = [:]
    /// The number of timed calls.
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

    /// The slow limits: 1.5 times the p99, and at least the margin above the p99. An operation with too few timed
    /// calls gets the limit of all operations together.
    ///
    /// - Returns: nil if fewer than `minimum` calls were timed.
    func limits(margin: Duration, minimum: Int) -> [String: Duration]? {
        guard count >= max(1, minimum) else { return nil }
        let margin = margin.wholeNanoseconds
        var limits: [String: Duration] = [:]
        let all = Self.limit(rings.values.flatMap(\.values), margin)
        for (operation, ring) in rings {
            let isEnough = ring.values.count >= min(Self.minimumCallsPerOperation, minimum)
            limits[operation] = isEnough ? Self.limit(ring.values, margin) : all
        }
        return limits
    }

    /// The slow limit of one operation so far; nil if too few calls were timed.
    ///
    /// It is computed again only after 10 % more calls, because many callers may give up.
    mutating func limit(of operation: String, margin: Duration) -> Duration? {
        guard var ring = rings[operation], ring.values.count >= Self.minimumCallsPerOperation else { return nil }
        if let known = ring.known, count < known.count + known.count / 10 { return known.limit }
        let limit = Self.limit(ring.values, margin.wholeNanoseconds)
        ring.known = (count, limit)
        rings[operation] = ring
        return limit
    }

    private static func limit(_ values: [Int64], _ margin: Int64) -> Duration {
        limit(p99: values.sorted()[rank(99, of: values.count) - 1], margin)
    }

    /// The nearest rank of a percentile: the ⌈p·n⌉th of the sorted values.
    static func rank(_ percent: Int, of count: Int) -> Int {
        // Avoids an overflow, whatever other processes have counted.
        count / 100 * percent + (count % 100 * percent + 99) / 100
    }

    static func limit(p99: Int64, _ margin: Int64) -> Duration {
        .nanoseconds(max(p99 + p99 / 2, p99 + margin))
    }

    /// The kept durations as counts, which can be added to those of other processes.
    var counts: DurationCounts {
        var counts = DurationCounts()
        counts.timed = count
        for (operation, ring) in rings {
            for value in ring.values { counts.add(1, of: DurationCounts.rounded(value), in: operation) }
        }
        return counts
    }

    // MARK: Persistence

    mutating func noteChanges() { changes = changes ?? [] }

    mutating func takeChanges() -> [Change] {
        defer { if changes != nil { changes = [] } }
        return changes ?? []
    }

    /// Restores changes that could not be saved.
    mutating func restore(_ before: [Change]) {
        guard changes != nil else { return }
        // No more changes than durations are kept.
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

/// Histograms of durations by operation. Those of several processes can be added.
package struct DurationCounts: Sendable, Hashable {
    /// For each operation the number of calls by duration in nanoseconds, rounded up by ``rounded(_:)``.
    package var operations: [String: [Int64: Int]] = [:]
    /// Longer durations count as this one: 13 days.
    package static let longest: Int64 = 1 << 50 - 1
    /// The number of timed calls, including those whose durations are not kept any more.
    package var timed = 0

    package init() {}

    /// The upper end of the bucket of a duration. A bucket is less than a sixteenth wide.
    package static func rounded(_ nanoseconds: Int64) -> Int64 {
        let value = max(0, nanoseconds)
        let significant = Int64.bitWidth - value.leadingZeroBitCount
        return significant <= 5 ? value : value | (1 << (significant - 5) - 1)
    }

    package mutating func add(_ count: Int, of nanoseconds: Int64, in operation: String) {
        let counted = operations[operation, default: [:]][nanoseconds, default: 0]
        // A count of another process may be any number.
        operations[operation, default: [:]][nanoseconds] = min(counted, 1 << 40) + min(max(0, count), 1 << 40)
    }

    /// The slow limits, as `CallDurations.limits(margin:minimum:)` computes them.
    func limits(margin: Duration, minimum: Int) -> [String: Duration]? {
        guard timed >= max(1, minimum) else { return nil }
        let margin = margin.wholeNanoseconds
        var (limits, all): ([String: Duration], [Int64: Int]) = ([:], [:])
        for counts in operations.values { all.merge(counts, uniquingKeysWith: +) }
        for (operation, counts) in operations {
            let isEnough = counts.values.reduce(0, +) >= min(CallDurations.minimumCallsPerOperation, minimum)
            limits[operation] = Self.percentile(99, of: isEnough ? counts : all)
                .map { CallDurations.limit(p99: $0, margin) }
        }
        return limits
    }

    /// Adds the calls of both.
    func merging(_ other: DurationCounts) -> DurationCounts {
        var sum = self
        for (operation, counts) in other.operations {
            for (duration, count) in counts { sum.add(count, of: duration, in: operation) }
        }
        sum.timed += other.timed
        return sum
    }

    /// The percentile by nearest rank, as for single durations; nil if there are no calls.
    package static func percentile(_ percent: Int, of counts: [Int64: Int]) -> Int64? {
        let total = counts.values.reduce(0, +)
        var before = 0
        for (duration, count) in counts.sorted(by: { $0.key < $1.key }) {
            before += count
            if before > 0, before >= CallDurations.rank(percent, of: total) { return duration }
        }
        return nil
    }
}
