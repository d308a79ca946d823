package import Cofferdam  // sides

/// How long the calls of one side took, over all devices.
package struct LatencyTotals: Sendable, Hashable, Codable {
    /// Nil for all operations together.
    package var operation: String?
    package var side: Side
    /// The number of timed calls.
    package var calls: Int
    package var p50Nanoseconds: Int64
    package var p95Nanoseconds: Int64

    /// Returns nil if there are no calls.
    package init?(operation: String?, side: Side, _ histogram: LatencyHistogram) {
        guard let p50 = histogram.percentile(50), let p95 = histogram.percentile(95) else { return nil }
        (self.operation, self.side) = (operation, side)
        (calls, p50Nanoseconds, p95Nanoseconds) = (histogram.count, p50, p95)
    }
}
