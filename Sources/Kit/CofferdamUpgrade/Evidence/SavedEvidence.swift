import Cofferdam

/// The changes since the last save: the changed windows and their outcomes.
public struct EvidenceChanges: Sendable {
    var key: EpochKey
    var epoch: Int
    /// The changed windows, by the name of the tally.
    var windows: [String: [SavedWindow]]
    var openings: FailureCounts
    /// The most recent durations of the legacy side.
    var durations: [CallDurations.Change]
    /// The number of timed calls.
    var timed: Int
    var reads: Set<String>
    /// Identifies the count, if the store has none yet.
    var series: String
    /// Whether the stored counts belong to an abandoned upgrade.
    var replacesAll: Bool
    /// Whether units were counted that will not be saved, and the store does not know it yet.
    var reportsLoss: Bool
    /// The counts when the changes were taken.
    var before: EvidenceCounts
    /// All breakers that opened in this epoch, if one of them changed; only a device that reports to a server keeps
    /// them.
    var breakers: [BreakerOpening] = []
    /// How long calls took since the last changes; like the breakers, kept only by a device that reports to a server.
    /// They alone are no reason to save.
    var latencies: [Side: DurationCounts] = [:]
    /// The first mismatch of each field in this epoch; kept like the breakers. They alone are no reason to save.
    var samples: [EvidenceReport.Sample] = []
    /// When the changes were taken, in milliseconds since 1970.
    var takenAt: Int64 = 0

    var isEmpty: Bool {
        durations.isEmpty && windows.values.allSatisfy(\.isEmpty) && openings.total == 0 && !reportsLoss
            && breakers.isEmpty
    }
}

/// A window of a unit, as it is saved.
struct SavedWindow: Sendable, Hashable {
    var unit: UInt64
    /// Nil for all operations together.
    var operation: String?
    /// When it began, in milliseconds since 1970.
    var began: Int64
    /// In the format of `OutcomeTexts`.
    var outcome: String
    var isSettled: Bool
    /// How long its first call took, for a window of the legacy side that a device reports at `legacyOnly`. A process
    /// that saves its own counts has ``EvidenceChanges/durations`` instead.
    var nanoseconds: Int64?
}

/// The counts of all tallies in memory.
struct EvidenceCounts: Sendable {
    var comparisons: [Int: WindowTally<ComparisonMarks>.Counts]
    var legacy: [Int: WindowTally<CallMarks>.Counts]
    var candidate: [Int: WindowTally<CallMarks>.Counts]
    var named: [Int: WindowTally<CallMarks>.Counts]
}

/// Saved counts, for an ``EvidenceRecorder`` to continue from.
public struct SavedEvidence: Sendable {
    var record: EvidenceRecord
    /// For each unit the operations with a settled window, as bits; by the name of the tally.
    var settled: [String: [(unit: UInt64, operations: UInt64)]]
    var open: [String: [(unit: UInt64, place: Int, began: Int64, outcome: String)]]
    var durations: [CallDurations.Change]
}

/// The stored totals after a save, including the counts of other processes.
public struct EvidenceTotals: Sendable {
    var record: EvidenceRecord
}

/// Stores the counts of all processes that count the units of a capability.
public protocol EvidenceStore: Sendable {
    /// Adds the changes to the stored counts in one transaction. A unit counts once for an operation in each epoch and
    /// under each key, whichever process saw it; builds that run at the same time count separately.
    @discardableResult
    func save(_ changes: EvidenceChanges, of capability: String) async throws -> EvidenceTotals

    /// The counts under that key, in its latest epoch; nil if there are none.
    func saved(of capability: String, under key: EpochKey) async throws -> SavedEvidence?

    /// The counts of an epoch, one for each build: see ``Arm``.
    func arms(of capability: String, epoch: Int) async throws -> [EvidenceTotals]

    /// The latest epoch with counts, under any key; nil if there is none.
    func newestEpoch(of capability: String) async throws -> Int?
}

/// The totals of an epoch.
struct EvidenceRecord: Sendable, Hashable, Codable {
    var key: EpochKey
    var epoch: Int
    /// The operations, by place in the bits of a unit.
    var operations: [String] = []
    /// The number of units by the name of the tally, the name of the operation ("" for all together) and the text of
    /// the outcome.
    var counts: [String: [String: Counts]] = [:]
    var openings = FailureCounts.none
    var timed = 0
    var reads: [String] = []
    /// Set if a process counted units that these totals lack.
    var lacksUnits: Bool?
    /// Identifies this count; changes if the stored counts are lost.
    var series: String

    private enum CodingKeys: String, CodingKey {
        case key, epoch, operations, counts, openings, timed, reads, series
        case lacksUnits = "hasLost"
    }

    struct Counts: Sendable, Hashable, Codable {
        var begun: [String: Int] = [:]
        var settled: [String: Int] = [:]
    }

    /// An empty record for the epoch of those changes.
    init(of changes: EvidenceChanges) { self.init(changes.key, epoch: changes.epoch, series: changes.series) }

    /// An empty record.
    init(_ key: EpochKey, epoch: Int, series: String) { (self.key, self.epoch, self.series) = (key, epoch, series) }

    /// The place of an operation in the bits of a unit; nil if all are taken.
    mutating func place(of operation: String?) -> Int? {
        guard let operation else { return EpochEvidence.all }
        if let place = operations.firstIndex(of: operation) { return place }
        guard operations.count < EpochEvidence.all else { return nil }
        operations.append(operation)
        return operations.count - 1
    }

    mutating func count(
        _ by: Int,
        _ outcome: String,
        _ which: WritableKeyPath<Counts, [String: Int]>,
        _ tally: String,
        _ operation: String?
    ) {
        let now =
            counts[tally, default: [:]][operation ?? "", default: Counts()][keyPath: which][outcome, default: 0] &+ by
        counts[tally, default: [:]][operation ?? "", default: Counts()][keyPath: which][outcome] = now > 0 ? now : nil
    }
}

/// The rows of the units of one epoch, in any storage.
protocol EvidenceRows {
    /// The operations with a settled window, as bits.
    mutating func settled(_ unit: UInt64, in tally: String) throws -> UInt64
    /// Whether the unit was counted by another build in the same epoch.
    mutating func isCountedByOtherBuild(_ unit: UInt64) throws -> Bool
    mutating func setSettled(_ operations: UInt64, _ unit: UInt64, in tally: String) throws
    mutating func open(_ unit: UInt64, at place: Int, in tally: String) throws -> (began: Int64, outcome: String)?
    /// - Parameter window: nil to remove it.
    mutating func setOpen(
        _ window: (began: Int64, outcome: String)?,
        _ unit: UInt64,
        at place: Int,
        in tally: String
    ) throws
}

extension EvidenceRecord {
    /// Adds the changes of one process to the rows and to these totals, which always agree.
    ///
    /// - Returns: the durations to keep.
    mutating func add(
        _ changes: EvidenceChanges,
        to rows: inout some EvidenceRows
    ) throws -> [CallDurations.Change] {
        var timings: [CallDurations.Change] = []
        for (tally, windows) in changes.windows {
            for window in windows {
                // A window is counted once, and so is its duration.
                let before = counts[tally]?[window.operation ?? ""]?.begun.values.reduce(0, +) ?? 0
                guard try add(window, in: tally, to: &rows), let operation = window.operation,
                    let nanoseconds = window.nanoseconds, key.stage == .legacyOnly
                else { continue }
                let slot = before % CallDurations.kept
                timings.append(CallDurations.Change(operation: operation, slot: slot, nanoseconds: nanoseconds))
            }
        }
        timed = min(timed &+ timings.count, 1 << 40)
        openings = openings + changes.openings
        timed = min(timed &+ changes.timed, 1 << 40)
        reads = Set(reads).union(changes.reads).sorted()
        if changes.reportsLoss { lacksUnits = true }
        return changes.durations + timings
    }

    /// Counts a unit that another build counted first, only once: the unit stays in its first arm.
    private mutating func noteCrossing(of unit: UInt64, in rows: inout some EvidenceRows) throws {
        guard try rows.settled(unit, in: Self.crossed) == 0 else { return }
        try rows.setSettled(1, unit, in: Self.crossed)
        count(1, "", \.begun, Self.crossed, nil)
    }

    /// The tally of units that were in another arm before.
    static let crossed = "crossed"

    /// - Returns: whether the window was not known before.
    private mutating func add(
        _ window: SavedWindow,
        in tally: String,
        to rows: inout some EvidenceRows
    ) throws -> Bool {
        guard let place = place(of: window.operation) else { return false }
        let settled = try rows.settled(window.unit, in: tally)
        if key.stage.comparesBuilds, try rows.isCountedByOtherBuild(window.unit) {
            try noteCrossing(of: window.unit, in: &rows)
            return false
        }
        // Another process counted the unit already.
        guard settled & 1 << UInt64(place) == 0 else { return false }
        var outcome = window.outcome
        let open = try rows.open(window.unit, at: place, in: tally)
        if let open {
            outcome = OutcomeTexts.merged(open.outcome, outcome)
            count(-1, open.outcome, \.begun, tally, window.operation)
        }
        count(1, outcome, \.begun, tally, window.operation)
        if window.isSettled {
            count(1, outcome, \.settled, tally, window.operation)
            if open != nil { try rows.setOpen(nil, window.unit, at: place, in: tally) }
            try rows.setSettled(settled | 1 << UInt64(place), window.unit, in: tally)
        } else {
            let began = open.map { min($0.began, window.began) } ?? window.began
            try rows.setOpen((began, outcome), window.unit, at: place, in: tally)
        }
        return open == nil
    }
}
