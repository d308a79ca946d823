import Cofferdam

/// Rows for a ledger, with the names behind their numbers, and what a process counted beside units.
public struct EvidenceRows: Sendable {
    var key: EpochKey
    var epoch: Int
    var names = EvidenceNames()
    var rows: [EvidenceRow] = []
    /// Rows of the ledger that began before this have ended with their windows, whichever process began them; in
    /// milliseconds since 1970. Nil if only a row itself says that it has ended.
    var windowsEndBefore: Int64?
    /// Rows of a canary that began before this, and that no device has settled, never will be: in milliseconds since 1970. Nil
    /// where processes settle all rows. Their units were seen to begin and not to end, which is neither good nor bad;
    /// how many there are is compared between the sides.
    var unseenBefore: Int64?
    var openings = FailureCounts.none
    var reads: Set<String> = []
    /// Identifies the count, if the ledger has none yet.
    var series = String.randomID()
    /// Whether the counts of later epochs belong to an abandoned upgrade.
    var replacesAll = false
    /// Whether units were counted that no ledger will have, and this one does not know it yet.
    var reportsLoss = false
    /// All breakers that opened in this epoch, if one of them changed; only a device that reports to a server keeps
    /// them.
    var breakers: [BreakerOpening] = []
    /// How long calls took since the last rows. A ledger keeps those of the legacy side at `legacyOnly`; a device that
    /// reports to a server keeps all.
    var latencies: [Side: [String: LatencyHistogram]] = [:]
    /// The first mismatch of each field in this epoch; kept like the breakers.
    var samples: [EvidenceReport.Sample] = []
    /// When they were collected, in milliseconds since 1970.
    var takenAt: Int64 = 0

    init(_ key: EpochKey, epoch: Int) { (self.key, self.epoch) = (key, epoch) }

    /// The durations from which the baseline follows.
    var baselineDurations: [String: LatencyHistogram] {
        key.stage == .legacyOnly ? latencies[.legacy] ?? [:] : [:]
    }

    /// Whether a ledger would learn nothing. Other latencies and samples wait for something else: otherwise every call
    /// would be a reason to write.
    var isEmpty: Bool {
        rows.isEmpty && baselineDurations.isEmpty && openings.total == 0 && !reportsLoss && breakers.isEmpty
    }
}

/// Keeps the rows of all processes that count the units of a capability, and their counts.
///
/// A unit counts once for an operation in each epoch and under each key, whichever process saw it, and however often its
/// row arrives: see `EvidenceRow`. Builds that run at the same time count separately.
public protocol EvidenceLedger: Sendable {
    /// Merges the rows in one transaction. Rows of an epoch that a newer one has replaced are ignored.
    ///
    /// - Returns: the counts of that epoch and key, with those of other processes.
    @discardableResult
    func merge(_ rows: EvidenceRows, of capability: String) async throws -> EvidenceCounts

    /// The counts under that key, in its latest epoch; nil if there are none.
    func counts(of capability: String, under key: EpochKey) async throws -> EvidenceCounts?

    /// The counts of an epoch, one for each build: see ``Arm``.
    func builds(of capability: String, epoch: Int) async throws -> [EvidenceCounts]

    /// The latest epoch with counts, under any key; nil if there is none.
    func newestEpoch(of capability: String) async throws -> Int?
}

// MARK: Merging

/// Where a ledger keeps the rows of one epoch under one key.
protocol EvidenceRowStorage {
    /// What is known of a row. Of a settled one it need not be more than that.
    mutating func state(at slot: EvidenceRow.Slot) throws -> EvidenceRow.State?
    mutating func set(_ state: EvidenceRow.State, at slot: EvidenceRow.Slot) throws
    /// The open rows that began before that time, without visits.
    mutating func open(before time: Int64) throws -> [EvidenceRow]
    /// Forgets the visits before that time that met nothing.
    mutating func forgetVisits(before time: Int64) throws
    /// Whether the unit was counted by another build in the same epoch.
    mutating func isCountedByOtherBuild(_ unit: UInt64) throws -> Bool
}

extension EvidenceCounts {
    /// Merges rows into those of a ledger, and keeps these counts by the difference.
    ///
    /// - Returns: the rows that changed.
    @discardableResult
    mutating func merge(_ rows: EvidenceRows, into storage: inout some EvidenceRowStorage) throws -> [EvidenceRow] {
        var changed: [EvidenceRow] = []
        durations.add(rows.baselineDurations)
        if rows.takenAt > 0 { units.forgetVisits(after: VisitHour.hour(of: rows.takenAt) + 1) }
        for row in names.adopt(rows.rows, of: rows.names) {
            if key.stage.comparesBuilds, try storage.isCountedByOtherBuild(row.slot.unit) {
                // The unit stays in its first arm, and counts as crossed, once.
                let slot = EvidenceRow.Slot(unit: row.slot.unit, tally: .crossed, operation: EvidenceNames.all)
                _ = try merge(EvidenceRow(slot: slot, state: .settled), &storage)
                continue
            }
            if row.slot.tally.isOfVisits, try !admitVisit(at: row.state.began, &storage) { continue }
            guard let change = try merge(row, &storage) else { continue }
            changed.append(EvidenceRow(slot: row.slot, state: change.after))
            // A row is new once, and so is its duration.
            if change.before == nil, let nanoseconds = row.nanoseconds, key.stage == .legacyOnly,
                let operation = names.operation(at: row.slot.operation)
            {
                durations[operation, default: LatencyHistogram()].record(nanoseconds)
            }
        }
        for row in try rows.windowsEndBefore.map({ try storage.open(before: $0) }) ?? [] {
            var row = row
            row.state.isSettled = true
            if try merge(row, &storage) != nil { changed.append(row) }
        }
        if let time = rows.unseenBefore, key.stage.kind == .canary, VisitHour.hour(of: rows.takenAt) > unseenHour {
            // Once an hour, because it looks at all open rows.
            unseenHour = VisitHour.hour(of: rows.takenAt)
            for row in try storage.open(before: time) where [.legacy, .candidate].contains(row.slot.tally) {
                var row = row
                (row.state.marks, row.state.isSettled) = (row.state.marks.union(.unseen), true)
                if try merge(row, &storage) != nil { changed.append(row) }
            }
        }
        openings = openings + rows.openings
        reads.formUnion(rows.reads.intersection(names.operations))
        if rows.reportsLoss { lacksUnits = true }
        return changed
    }

    /// Forgets what is too old to be asked for again, when a new hour begins.
    ///
    /// - Returns: false for a visit that comes too late to count.
    private func admitVisit(at began: Int64, _ storage: inout some EvidenceRowStorage) throws -> Bool {
        let hour = VisitHour.hour(of: began)
        guard let newest = units.newestVisit else { return true }
        guard hour > newest - VisitHour.patience else { return false }
        if hour > newest { try storage.forgetVisits(before: (hour - VisitHour.patience) * VisitHour.milliseconds) }
        return true
    }

    private mutating func merge(
        _ row: EvidenceRow,
        _ storage: inout some EvidenceRowStorage
    ) throws -> EvidenceRow.State.Change? {
        let known = try storage.state(at: row.slot)
        guard let change = EvidenceRow.State.merge(row.state, into: known, in: row.slot.tally) else { return nil }
        try storage.set(change.after, at: row.slot)
        units.apply(change, to: row.slot)
        return change
    }

    /// Whether it belongs to another build in the same comparison of builds.
    func isOtherBuild(in counts: EvidenceCounts) -> Bool {
        epoch == counts.epoch && key.stage == counts.key.stage && key != counts.key
            && key.installations == counts.key.installations
    }

    /// Whether those rows replace these counts, which belong to a past epoch or to an abandoned upgrade. The baseline
    /// stays until it is measured again.
    func isReplaced(by rows: EvidenceRows) -> Bool {
        if rows.replacesAll, epoch > rows.epoch { return true }
        let isBaseline = key.stage == .legacyOnly
        return epoch < rows.epoch && (!isBaseline || rows.key.stage == .legacyOnly)
    }

    /// Whether those rows are older than these counts and must not be merged.
    func isNewer(than rows: EvidenceRows) -> Bool { epoch > rows.epoch && !rows.replacesAll }
}

// MARK: Memory

/// The rows of one epoch in memory: of each unit a word for its settled operations, and its open rows.
struct MemoryRows: EvidenceRowStorage, Sendable, Codable {
    /// By tally: for each unit the operations with a settled row, as bits.
    private var settled: [[UInt64: UInt64]] = EvidenceTally.allCases.map { _ in [:] }
    private var openRows: [EvidenceRow.Slot: EvidenceRow.State] = [:]
    /// The rows of other builds in the same epoch.
    var others: [MemoryRows] = []

    private enum CodingKeys: String, CodingKey { case settled, openRows }

    init() {}

    func state(at slot: EvidenceRow.Slot) -> EvidenceRow.State? {
        if slot.tally.isOfVisits { return openRows[slot] }
        let bits = settled[Int(slot.tally.rawValue)][slot.unit] ?? 0
        return bits & 1 << UInt64(slot.operation) != 0 ? .settled : openRows[slot]
    }

    mutating func set(_ state: EvidenceRow.State, at slot: EvidenceRow.Slot) {
        openRows[slot] = state.isSettled ? nil : state
        if state.isSettled {
            settled[Int(slot.tally.rawValue)][slot.unit, default: 0] |= 1 << UInt64(slot.operation)
        }
    }

    func open(before time: Int64) -> [EvidenceRow] {
        openRows.filter { !$0.key.tally.isOfVisits && $0.value.began <= time }
            .map { EvidenceRow(slot: $0.key, state: $0.value) }
    }

    mutating func forgetVisits(before time: Int64) {
        openRows = openRows.filter { slot, state in
            !slot.tally.isOfVisits || state.began > time || state.marks.met != .none
        }
    }

    func isCountedByOtherBuild(_ unit: UInt64) -> Bool { others.contains { $0.hasAnswered(unit) } }

    private func hasAnswered(_ unit: UInt64) -> Bool {
        [EvidenceTally.legacy, .candidate].contains { tally in
            settled[Int(tally.rawValue)][unit] != nil
                || (0...EvidenceNames.all).contains {
                    openRows[EvidenceRow.Slot(unit: unit, tally: tally, operation: $0)] != nil
                }
        }
    }

    /// - Returns: whether there is room for the unit.
    mutating func admit(_ unit: UInt64, in tally: EvidenceTally, limit: Int) -> Bool {
        // The visits of a unit come with its other rows.
        if tally.isOfVisits { return settled.contains { $0[unit] != nil } }
        let place = Int(tally.rawValue)
        if settled[place][unit] != nil { return true }
        guard settled[place].count < limit else { return false }
        settled[place][unit] = 0
        return true
    }
}

/// Keeps evidence in memory, for rehearsals and tests that simulate several processes in one.
public final class MemoryLedger: EvidenceLedger {
    private struct Epoch {
        var counts: EvidenceCounts
        var rows = MemoryRows()
    }

    private let epochs = Mutex<[String: [Epoch]]>([:])

    /// Creates an empty ledger.
    public init() {}

    /// Merges the rows.
    @discardableResult
    public func merge(_ rows: EvidenceRows, of capability: String) async -> EvidenceCounts {
        epochs.withLock { epochs in
            var kept = epochs[capability, default: []].filter { !$0.counts.isReplaced(by: rows) }
            let place = kept.firstIndex { $0.counts.epoch == rows.epoch && $0.counts.key == rows.key }
            var epoch =
                place.map { kept.remove(at: $0) }
                ?? Epoch(counts: EvidenceCounts(rows.key, epoch: rows.epoch, series: rows.series))
            guard !kept.contains(where: { $0.counts.isNewer(than: rows) }) else { return epoch.counts }
            epochs[capability] = nil
            if epoch.counts.key.stage.comparesBuilds {
                epoch.rows.others = kept.filter { $0.counts.isOtherBuild(in: epoch.counts) }.map(\.rows)
            }
            // Rows in memory never fail.
            _ = try? epoch.counts.merge(rows, into: &epoch.rows)
            epoch.rows.others = []
            epochs[capability] = kept + [epoch]
            return epoch.counts
        }
    }

    /// The counts under that key, in its latest epoch; nil if there are none.
    public func counts(of capability: String, under key: EpochKey) async -> EvidenceCounts? {
        epochs.withLock { epochs in
            epochs[capability, default: []].map(\.counts).filter { $0.key == key }.max { $0.epoch < $1.epoch }
        }
    }

    /// The counts of an epoch, one for each build.
    public func builds(of capability: String, epoch: Int) async -> [EvidenceCounts] {
        epochs.withLock { $0[capability, default: []].map(\.counts).filter { $0.epoch == epoch } }
    }

    /// The latest epoch with counts; nil if there is none.
    public func newestEpoch(of capability: String) async -> Int? {
        epochs.withLock { $0[capability]?.map(\.counts.epoch).max() }
    }
}
