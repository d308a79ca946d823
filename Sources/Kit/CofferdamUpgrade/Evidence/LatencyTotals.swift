package import Cofferdam  // sides

/// How long the calls of one side took, over all devices: percentiles of a histogram whose buckets are a sixteenth
/// wide, at their upper ends.
package struct LatencyTotals: Sendable, Hashable, Codable {
    /// Nil for all operations together.
    package var operation: String?
    package var side: Side
    /// The number of timed calls.
    package var calls: Int
    package var p50Nanoseconds: Int64
    package var p95Nanoseconds: Int64

    /// Returns nil if there are no calls.
    package init?(operation: String?, side: Side, _ counts: [Int64: Int]) {
        guard let p50 = DurationCounts.percentile(50, of: counts), let p95 = DurationCounts.percentile(95, of: counts)
        else { return nil }
        (self.operation, self.side) = (operation, side)
        (calls, p50Nanoseconds, p95Nanoseconds) = (counts.values.reduce(0, +), p50, p95)
    }
}
