import Cofferdam

/// How long the calls of one device took in its epoch, by operation and side, and which durations the server has not
/// acknowledged. They are kept in the device's file, so that counting continues after a restart.
struct DeviceLatencies: Sendable, Codable {
    private struct Line: Sendable, Codable {
        var operation: String
        var side: Side
        var counts: [Int64: Int]
        var isSent: Bool

        var report: EvidenceReport.Latency {
            EvidenceReport.Latency(
                operation: operation,
                side: side,
                buckets: counts.sorted { $0.key < $1.key }.map { [$0.key, Int64($0.value)] }
            )
        }
    }

    private var lines: [Line] = []

    /// As many as an epoch has operations, on both sides.
    static let maxLines = 126
    /// A report takes no further histogram once it has this many buckets.
    static let maxBuckets = 1_000

    mutating func add(_ added: [Side: DurationCounts]) {
        for (side, durations) in added {
            for (operation, counts) in durations.operations {
                if let place = lines.firstIndex(where: { $0.operation == operation && $0.side == side }) {
                    lines[place].counts.merge(counts) { min($0 + $1, 1 << 40) }
                    lines[place].isSent = false
                } else if lines.count < Self.maxLines {
                    lines.append(Line(operation: operation, side: side, counts: counts, isSent: false))
                }
            }
        }
    }

    /// The histograms that the server has not acknowledged, as many as one report holds.
    var unsent: [EvidenceReport.Latency] {
        var (reports, buckets): ([EvidenceReport.Latency], Int) = ([], 0)
        for line in lines where !line.isSent && buckets < Self.maxBuckets {
            reports.append(line.report)
            buckets += line.counts.count
        }
        return reports
    }

    /// Notes that the server has these. A histogram that has grown since is sent again.
    mutating func acknowledge(_ reports: [EvidenceReport.Latency]) {
        for place in lines.indices where reports.contains(lines[place].report) { lines[place].isSent = true }
    }
}
