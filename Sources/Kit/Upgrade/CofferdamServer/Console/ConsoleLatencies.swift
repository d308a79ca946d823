#if Server
import Cofferdam
import CofferdamPages
import CofferdamUpgrade

/// The evidence table's columns with the latencies of both sides; none if devices report none.
extension ConsoleSections {
    var latencyColumns: [PageTable.Column] {
        guard let latencies = upgrade.status.latencies, !latencies.isEmpty else { return [] }
        return [.number("Legacy p50, p95"), .number("Candidate p50, p95")]
    }

    /// One cell for each column.
    func latencies(of operation: DecidedOperation) -> [Markup] {
        guard !latencyColumns.isEmpty else { return [] }
        return [Side.legacy, .candidate].map { side in
            let found = upgrade.status.latencies?.first { $0.operation == operation.name && $0.side == side }
            return "\(found?.words ?? "–")"
        }
    }
}

extension LatencyTotals {
    /// "1.2 ms, 34 ms".
    fileprivate var words: String { "\(Self.milliseconds(p50Nanoseconds)), \(Self.milliseconds(p95Nanoseconds))" }

    private static func milliseconds(_ nanoseconds: Int64) -> String {
        let value = Double(nanoseconds) / 1e6
        return "\(value.shown(value < 10 ? 2 : 1)) ms"
    }
}
#endif
