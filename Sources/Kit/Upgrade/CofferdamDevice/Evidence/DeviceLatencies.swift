import Cofferdam
import CofferdamUpgrade

/// How long the calls of one device took in its epoch, by operation and side, and which durations the server has not
/// acknowledged. They are kept in the device's file, so that counting continues after a restart.
struct DeviceLatencies: Sendable, Codable {
    private struct Line: Sendable, Codable {
        var operation: String
        var side: Side
        var counts: LatencyHistogram
        var isSent: Bool

        var report: EvidenceReport.Latency {
            EvidenceReport.Latency(
                operation: operation,
                side: side,
                buckets: counts.buckets.sorted { $0.key < $1.key }.map { [$0.key, Int64($0.value)] }
            )
        }
    }

    private var lines: [Line] = []

    /// As many as an epoch has operations, on both sides.
    static let maxLines = 126
    /// A report takes no further histogram once it has this many buckets.
    static let maxBuckets = 1_000

    mutating func add(_ added: [Side: [String: LatencyHistogram]]) {
        for (side, operations) in added {
            for (operation, counts) in operations {
                if let place = lines.firstIndex(where: { $0.operation == operation && $0.side == side }) {
                    lines[place].counts.add(counts)
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
            buckets += line.counts.buckets.count
        }
        return reports
    }

    /// Notes that the server has these. A histogram that has grown since is sent again.
    mutating func acknowledge(_ reports: [EvidenceReport.Latency]) {
        for place in lines.indices where reports.contains(lines[place].report) { lines[place].isSent = true }
    }
}
