#if Server
import Cofferdam
import CofferdamUpgrade

/// Reports of devices for tests.
enum Reports {
    /// 16 hexadecimal digits.
    static func unit(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    static func report(
        _ stage: Stage,
        epoch: Int,
        _ units: Range<Int>,
        _ windows: [EvidenceReport.Window]
    ) -> EvidenceReport {
        EvidenceReport(
            stage: stage,
            epoch: epoch,
            window: 600,
            build: "1.0",
            side: nil,
            units: units.map { .init(unit: unit($0), windows: windows) }
        )
    }

    /// The same outcome for one operation and for all together.
    static func windows(
        _ tally: String,
        _ marks: [String] = [],
        settled: Bool = true,
        nanoseconds: Int64? = nil
    ) -> [EvidenceReport.Window] {
        [String?.some("place"), nil].map { operation in
            EvidenceReport.Window(
                tally: tally,
                operation: operation,
                marks: marks,
                isSettled: settled,
                isRead: operation == nil ? nil : true,
                nanoseconds: operation == nil ? nil : nanoseconds
            )
        }
    }

    /// The legacy side's units before the first step.
    static func baseline(_ units: Range<Int>) -> EvidenceReport {
        report(.legacyOnly, epoch: 0, units, windows("legacy", nanoseconds: 1_000_000))
    }

    /// A device's report of its breakers.
    static func breakers(
        _ stage: Stage,
        epoch: Int,
        device: Int,
        _ breakers: [EvidenceReport.Breaker]
    ) -> EvidenceReport {
        var report = report(stage, epoch: epoch, 0..<0, [])
        (report.device, report.breakers) = (unit(device), breakers)
        return report
    }

    /// A device's report of its latencies: that many calls of each duration.
    static func latencies(
        _ stage: Stage,
        epoch: Int,
        device: Int,
        of operation: String = "place",
        side: Side = .candidate,
        _ calls: [(count: Int64, nanoseconds: Int64)]
    ) -> EvidenceReport {
        var report = report(stage, epoch: epoch, 0..<0, [])
        report.device = unit(device)
        let buckets = calls.map { [LatencyHistogram.rounded($0.nanoseconds), $0.count] }
        report.latencies = [.init(operation: operation, side: side, buckets: buckets)]
        return report
    }

    static func breaker(
        _ number: Int,
        open isOpen: Bool,
        _ operation: String = "place",
        side: Side = .candidate
    ) -> EvidenceReport.Breaker {
        EvidenceReport.Breaker(
            operation: operation,
            side: side,
            number: number,
            isOpen: isOpen,
            at: 1_800_000_000
        )
    }

    /// Posts reports for that many units, in as many posts as it takes.
    static func inPosts(_ units: Int, _ make: (Range<Int>) -> EvidenceReport) -> [[EvidenceReport]] {
        stride(from: 0, to: units, by: 500).map { [make($0..<min(units, $0 + 500))] }
    }
}
#endif
