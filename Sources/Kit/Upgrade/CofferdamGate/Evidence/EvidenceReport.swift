package import Cofferdam  // sides

/// The counts of a device in one epoch, as it sends them to a server. A report is cumulative: each window has all its
/// marks so far, so that a repeated, delayed or overtaken report changes nothing.
package struct EvidenceReport: Sendable, Hashable, Codable {
    package var stage: Stage
    package var epoch: Int
    /// The length of a unit's window, in seconds.
    package var window: Int
    /// The label of the build that counted.
    package var build: String
    /// The only side of the build; nil if it has both.
    package var side: String?
    package var units: [Unit]
    /// 16 random hexadecimal digits that distinguish the devices whose breakers or latencies are reported. They do not
    /// identify a unit.
    package var device: String?
    /// The breakers that opened in this epoch, or that closed again.
    package var breakers: [Breaker]?
    /// How long the calls of this device took in this epoch.
    package var latencies: [Latency]?
    /// A few mismatches of this device in this epoch.
    package var samples: [Sample]?

    package init(stage: Stage, epoch: Int, window: Int, build: String, side: String?, units: [Unit]) {
        (self.stage, self.epoch, self.window) = (stage, epoch, window)
        (self.build, self.side, self.units) = (build, side, units)
    }

    /// A unit, identified by a hash that does not reveal its name.
    package struct Unit: Sendable, Hashable, Codable {
        /// 16 hexadecimal digits.
        package var unit: String
        package var windows: [Window]

        package init(unit: String, windows: [Window]) { (self.unit, self.windows) = (unit, windows) }
    }

    /// The outcome of a unit's calls of one operation in its window.
    package struct Window: Sendable, Hashable, Codable {
        /// The tally that counted: "comparisons", "legacy", "candidate", "named", "legacyVisits" or "candidateVisits".
        package var tally: String
        /// Nil for all operations together.
        package var operation: String?
        /// The parts of the outcome: "failed", "slow", "answer=notFound", "mismatch".
        package var marks: [String]
        /// Whether the window has ended.
        package var isSettled: Bool
        /// The hour since 1970 of a visit, by the device's clock.
        package var hour: Int64?
        /// Whether the operation is a read.
        package var isRead: Bool?
        /// How long the first call took, at `legacyOnly`.
        package var nanoseconds: Int64?

        package init(
            tally: String,
            operation: String?,
            marks: [String],
            isSettled: Bool,
            hour: Int64? = nil,
            isRead: Bool? = nil,
            nanoseconds: Int64? = nil
        ) {
            (self.tally, self.operation, self.marks, self.isSettled) = (tally, operation, marks, isSettled)
            (self.hour, self.isRead, self.nanoseconds) = (hour, isRead, nanoseconds)
        }

        enum CodingKeys: String, CodingKey {
            case tally, operation, marks, hour, nanoseconds
            case isSettled = "settled"
            case isRead = "read"
        }

        /// Why the window is invalid: its tally is unknown, or it is a visit without an hour. Nil if it is valid, with any
        /// marks.
        package var problem: String? {
            guard let known = EvidenceTally.reported.first(where: { $0.name == tally }) else {
                return "the tally is not one of \(EvidenceTally.reported.map(\.name))"
            }
            return known.isOfVisits == (hour != nil) ? nil : "visits have an hour, and nothing else does"
        }
    }
}

extension EvidenceReport {
    /// The breaker of one side and operation on a device. Of several reports, the one with the greatest number counts,
    /// so that a repeated, delayed or overtaken report changes nothing.
    package struct Breaker: Sendable, Hashable, Codable {
        package var operation: String
        package var side: Side
        /// Increases with each change on the device, over all its processes; 1 for the first one of the epoch.
        package var number: Int
        /// Whether it is open; if not, it has closed again.
        package var isOpen: Bool
        /// When it changed, in seconds since 1970 by the device's clock.
        package var at: Int64

        package init(operation: String, side: Side, number: Int, isOpen: Bool, at: Int64) {
            (self.operation, self.side, self.number) = (operation, side, number)
            (self.isOpen, self.at) = (isOpen, at)
        }

        private enum CodingKeys: String, CodingKey {
            case operation, side, number, at
            case isOpen = "open"
        }
    }

    /// How long the calls of one side and operation took on a device, all calls of the epoch so far. Of several reports,
    /// the greatest count of each bucket counts, so that a repeated, delayed or overtaken report changes nothing.
    package struct Latency: Sendable, Hashable, Codable {
        package var operation: String
        package var side: Side
        /// Pairs: the upper end of a bucket in nanoseconds, by `LatencyHistogram.rounded(_:)`, and its number of calls.
        package var buckets: [[Int64]]

        package init(operation: String, side: Side, buckets: [[Int64]]) {
            (self.operation, self.side, self.buckets) = (operation, side, buckets)
        }
    }

    /// A field in which the sides differed, as the comparator shows it.
    package struct Sample: Sendable, Hashable, Codable {
        package var operation: String
        /// "lines[1].quantity".
        package var path: String
        /// The legacy value as text; nil if there is none.
        package var legacy: String?
        /// The candidate's value as text; nil if there is none.
        package var candidate: String?

        package init(operation: String, path: String, legacy: String?, candidate: String?) {
            (self.operation, self.path, self.legacy, self.candidate) = (operation, path, legacy, candidate)
        }
    }

    /// The key under which a server counts it. Builds with both sides count together, so that a unit counts once
    /// whatever build it updates to. Builds with one side count separately.
    package var key: EpochKey {
        if stage == .legacyOnly { return .baseline }
        return EpochKey(
            stage: stage,
            binary: stage.comparesBuilds ? build : "",
            comparison: stage.comparesBuilds ? side ?? "" : "",
            window: window
        )
    }

    /// The same for a stage at which builds do not count separately.
    package static func key(of stage: Stage, window: Int) -> EpochKey {
        EvidenceReport(stage: stage, epoch: 0, window: window, build: "", side: nil, units: []).key
    }
}

extension EvidenceRows {
    /// How long a window may be open on a device that is offline or suspended, in milliseconds: 12 hours, half of the least
    /// time of a stage.
    private static let patience: Int64 = 12 * 3_600_000

    /// The rows of reports of one epoch and key, for a ledger.
    ///
    /// - Parameter now: milliseconds since 1970, when they arrived: the clock of a device may be wrong.
    package init(_ reports: [EvidenceReport], under key: EpochKey, epoch: Int, at now: Int64) {
        self.init(key, epoch: epoch)
        takenAt = now
        unseenBefore = now - Int64(key.window) * 1_000 - Self.patience
        for unit in reports.flatMap(\.units) {
            guard let hash = UInt64(unit.unit, radix: 16) else { continue }
            for window in unit.windows {
                guard let tally = EvidenceTally(name: window.tally), let place = names.place(of: window.operation)
                else { continue }
                let marks = names.marks(of: window.marks, in: tally)
                if window.isRead == true, let operation = window.operation { reads.insert(operation) }
                let began = window.hour.map { VisitHour.began($0, at: now) } ?? now
                rows.append(
                    EvidenceRow(
                        slot: EvidenceRow.Slot(unit: hash, tally: tally, operation: place),
                        state: EvidenceRow.State(
                            marks: marks,
                            began: began,
                            isSettled: window.isSettled && window.hour == nil
                        ),
                        nanoseconds: window.nanoseconds
                    )
                )
            }
        }
    }
}
