import Cofferdam

/// How long calls took: a histogram whose buckets are less than a sixteenth wide. Those of several processes can be
/// added.
package struct LatencyHistogram: Sendable, Hashable {
    /// The number of calls by duration in nanoseconds, rounded up by ``rounded(_:)``. None is 0.
    package private(set) var buckets: [Int64: Int] = [:]

    /// Longer durations count as this one: 13 days.
    package static let longest: Int64 = 1 << 50 - 1
    /// The largest number of calls in a bucket, so that no sum overflows, whatever other processes report.
    private static let maxCount = 1 << 40
    /// The margin above the p99 of the legacy side at which a call is slow, if nothing else is said.
    package static let slowMargin = Duration.milliseconds(5)
    /// The number of calls from which a baseline is made.
    package static let minimumCalls = 10_000
    /// The number of calls of one operation for an upper bound of its p99 at 99 %: order statistics, ⌈ln 0.01
    /// / ln 0.99⌉.
    package static let minimumCallsPerOperation = 459

    package init() {}

    /// The upper end of the bucket of a duration.
    package static func rounded(_ nanoseconds: Int64) -> Int64 {
        let value = min(max(0, nanoseconds), longest)
        let significant = Int64.bitWidth - value.leadingZeroBitCount
        return significant <= 5 ? value : value | (1 << (significant - 5) - 1)
    }

    /// The number of calls.
    package var count: Int { buckets.values.reduce(0, +) }

    package mutating func record(_ nanoseconds: Int64) { add(1, of: Self.rounded(nanoseconds)) }

    /// Adds calls to a bucket, or takes them away.
    package mutating func add(_ count: Int, of bucket: Int64) {
        let count = min(max(-Self.maxCount, count), Self.maxCount)
        let sum = min(buckets[bucket, default: 0] + count, Self.maxCount)
        buckets[bucket] = sum > 0 ? sum : nil
    }

    /// Adds the calls of another histogram; takes them away if `sign` is −1.
    package mutating func add(_ other: LatencyHistogram, sign: Int = 1) {
        for (bucket, count) in other.buckets { add(sign * count, of: bucket) }
    }

    /// Keeps the greater number of each bucket: the calls of one process only grow.
    package mutating func raise(to count: Int, of bucket: Int64) {
        buckets[bucket] = max(buckets[bucket] ?? 0, min(count, Self.maxCount))
    }

    /// The percentile by nearest rank: the bucket of the ⌈p·n⌉th call; nil if there are no calls.
    package func percentile(_ percent: Int) -> Int64? {
        let total = count
        // Avoids an overflow.
        let rank = total / 100 * percent + (total % 100 * percent + 99) / 100
        var before = 0
        for (bucket, count) in buckets.sorted(by: { $0.key < $1.key }) {
            before += count
            if before >= rank { return bucket }
        }
        return nil
    }

    /// The duration above which a call is slow: 1.5 times the p99, and at least the margin above it; nil if there are no
    /// calls.
    package func slowLimit(margin: Duration) -> Duration? {
        percentile(99).map { .nanoseconds(max($0 + $0 / 2, $0 + margin.wholeNanoseconds)) }
    }
}

extension LatencyHistogram: Codable {
    package init(from decoder: any Decoder) throws {
        for (bucket, count) in try decoder.singleValueContainer().decode([Int64: Int].self) { add(count, of: bucket) }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(buckets)
    }
}

/// By operation.
extension [String: LatencyHistogram] {
    package mutating func add(_ other: Self, sign: Int = 1) {
        for (operation, histogram) in other {
            self[operation, default: LatencyHistogram()].add(histogram, sign: sign)
            if self[operation]?.buckets.isEmpty ?? true { self[operation] = nil }
        }
    }

    package var calls: Int { values.reduce(0) { $0 + $1.count } }

    /// The slow limits. An operation with too few timed calls gets the limit of all operations together.
    ///
    /// - Returns: nil if fewer than `minimum` calls were timed.
    package func slowLimits(margin: Duration, minimum: Int) -> [String: Duration]? {
        guard calls >= Swift.max(1, minimum) else { return nil }
        var all = LatencyHistogram()
        for histogram in values { all.add(histogram) }
        let enough = Swift.min(LatencyHistogram.minimumCallsPerOperation, minimum)
        return compactMapValues { ($0.count >= enough ? $0 : all).slowLimit(margin: margin) }
    }
}
