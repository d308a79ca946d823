import Cofferdam
import CofferdamUpgrade

/// The breakers of one device that opened in its epoch, and which of them the server has not acknowledged.
struct DeviceBreakers: Sendable, Codable {
    private struct Line: Sendable, Codable {
        var report: EvidenceReport.Breaker
        var isSent = false
    }

    private var lines: [Line] = []

    /// As many as an epoch has operations, on both sides.
    static let maxLines = 126

    /// - Parameters:
    ///   - openings: all breakers that opened in this epoch.
    ///   - now: seconds since 1970.
    mutating func add(_ openings: [BreakerOpening], at now: Int64) {
        for opening in openings {
            let isOpen = opening.progress == .open
            if let place = lines.firstIndex(where: { $0.report.matches(opening) }) {
                if lines[place].report.isOpen != isOpen { change(place, isOpen: isOpen, at: now) }
            } else if lines.count < Self.maxLines {
                let report = EvidenceReport.Breaker(
                    operation: opening.operation,
                    side: opening.side,
                    number: 1,
                    isOpen: isOpen,
                    at: now
                )
                lines.append(Line(report: report))
            }
        }
    }

    /// Notes that the process that opened them has ended, and its breakers with it.
    mutating func processEnded(at now: Int64) {
        for place in lines.indices where lines[place].report.isOpen { change(place, isOpen: false, at: now) }
    }

    private mutating func change(_ place: Int, isOpen: Bool, at now: Int64) {
        lines[place].report.number += 1
        (lines[place].report.isOpen, lines[place].report.at, lines[place].isSent) = (isOpen, now, false)
    }

    /// Sends the open ones again, so that the server knows that they still are.
    mutating func repeatOpen() {
        for place in lines.indices where lines[place].report.isOpen { lines[place].isSent = false }
    }

    /// The reports that the server has not acknowledged.
    var unsent: [EvidenceReport.Breaker] { lines.filter { !$0.isSent }.map(\.report) }

    /// Notes that the server has these. A breaker that has changed since is sent again.
    mutating func acknowledge(_ reports: [EvidenceReport.Breaker]) {
        for place in lines.indices where reports.contains(lines[place].report) { lines[place].isSent = true }
    }
}

extension EvidenceReport.Breaker {
    fileprivate func matches(_ opening: BreakerOpening) -> Bool {
        operation == opening.operation && side == opening.side
    }
}
