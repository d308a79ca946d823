/// How often which duration was seen, by operations: what many processes have timed can be added, as durations themselves cannot.
package struct DurationCounts: Sendable, Hashable {
    /// For each operation how many calls took that long, in nanoseconds rounded up as ``rounded(_:)`` does.
    package var operations: [String: [Int64: Int]] = [:]
    /// How many calls were timed, with those whose durations are not kept any more.
    package var timed = 0

    package init() {}

    /// The longest duration that counts as the same: by less than a sixteenth longer.
    package static func rounded(_ nanoseconds: Int64) -> Int64 {
        let value = max(0, nanoseconds)
        let significant = Int64.bitWidth - value.leadingZeroBitCount
        return significant <= 5 ? value : value | (1 << (significant - 5) - 1)
    }

    package mutating func add(_ count: Int, of nanoseconds: Int64, in operation: String) {
        let counted = operations[operation, default: [:]][nanoseconds, default: 0]
        // What another process tells may be any number.
        operations[operation, default: [:]][nanoseconds] = min(counted, 1 << 40) + min(max(0, count), 1 << 40)
    }

    /// As ``CallDurations/limits(margin:fewest:)``.
    func limits(margin: Duration, fewest: Int) -> [String: Duration]? {
        guard timed >= max(1, fewest) else { return nil }
        let margin = margin.wholeNanoseconds
        var (limits, all): ([String: Duration], [Int64: Int]) = ([:], [:])
        for counts in operations.values { all.merge(counts, uniquingKeysWith: +) }
        for (operation, counts) in operations {
            let isEnough = counts.values.reduce(0, +) >= min(CallDurations.fewestOfOperation, fewest)
            limits[operation] = Self.p99(isEnough ? counts : all).map { CallDurations.limit(p99: $0, margin) }
        }
        return limits
    }

    /// Nearest rank, as for durations one by one.
    private static func p99(_ counts: [Int64: Int]) -> Int64? {
        let total = counts.values.reduce(0, +)
        var before = 0
        for (duration, count) in counts.sorted(by: { $0.key < $1.key }) {
            before += count
            if before > 0, before >= CallDurations.rank(of: total) { return duration }
        }
        return nil
    }
}
