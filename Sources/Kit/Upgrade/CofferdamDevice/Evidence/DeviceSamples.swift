import Cofferdam
import CofferdamUpgrade

/// A few mismatches of one device in its epoch, and which of them the server has not acknowledged.
struct DeviceSamples: Sendable, Codable {
    private struct Line: Sendable, Codable {
        var sample: EvidenceReport.Sample
        var isSent = false
    }

    private var lines: [Line] = []

    /// The maximum number in one report.
    static let maxInReport = 20
    /// As many as an epoch has operations.
    private static let maxOperations = 63

    /// - Parameter limit: how many are kept for each operation; the first ones are.
    mutating func add(_ samples: [EvidenceReport.Sample], limit: Int) {
        for sample in samples where !lines.contains(where: { $0.sample == sample }) {
            let count = lines.count { $0.sample.operation == sample.operation }
            guard count < limit, lines.count < limit * Self.maxOperations else { continue }
            lines.append(Line(sample: sample))
        }
    }

    /// The mismatches that the server has not acknowledged, as many as one report holds.
    var unsent: [EvidenceReport.Sample] {
        Array(lines.lazy.filter { !$0.isSent }.map(\.sample).prefix(Self.maxInReport))
    }

    /// Notes that the server has these.
    mutating func acknowledge(_ samples: [EvidenceReport.Sample]) {
        for place in lines.indices where samples.contains(lines[place].sample) { lines[place].isSent = true }
    }
}
