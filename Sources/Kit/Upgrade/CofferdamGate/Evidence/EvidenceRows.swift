package import Cofferdam  // sides

/// Rows for a ledger, with the names behind their numbers, and what a process counted beside units.
public struct EvidenceRows: Sendable {
    package var key: EpochKey
    package var epoch: Int
    package var names = EvidenceNames()
    package var rows: [EvidenceRow] = []
    /// Rows of the ledger that began before this have ended with their windows, whichever process began them; in
    /// milliseconds since 1970. Nil if only a row itself says that it has ended.
    package var windowsEndBefore: Int64?
    /// Rows of a canary that began before this, and that no device has settled, never will be: in milliseconds since 1970. Nil
    /// where processes settle all rows. Their units were seen to begin and not to end, which is neither good nor bad;
    /// how many there are is compared between the sides.
    var unseenBefore: Int64?
    package var openings = FailureCounts.none
    package var reads: Set<String> = []
    /// Whether the counts of later epochs belong to an abandoned upgrade.
    package var replacesAll = false
    /// Whether units were counted that no ledger will have, and this one does not know it yet.
    package var reportsLoss = false
    /// All breakers that opened in this epoch, if one of them changed; only a device that reports to a server keeps
    /// them.
    package var breakers: [BreakerOpening] = []
    /// How long calls took since the last rows. A ledger keeps those of the legacy side at `legacyOnly`; a device that
    /// reports to a server keeps all.
    package var latencies: [Side: [String: LatencyHistogram]] = [:]
    /// The first mismatch of each field in this epoch; kept like the breakers.
    package var samples: [EvidenceReport.Sample] = []
    /// When they were collected, in milliseconds since 1970.
    package var takenAt: Int64 = 0

    package init(_ key: EpochKey, epoch: Int) { (self.key, self.epoch) = (key, epoch) }

    /// The durations from which the baseline follows.
    package var baselineDurations: [String: LatencyHistogram] {
        key.stage == .legacyOnly ? latencies[.legacy] ?? [:] : [:]
    }

    /// Whether a ledger would learn nothing. Other latencies and samples wait for something else: otherwise every call
    /// would be a reason to write.
    package var isEmpty: Bool {
        rows.isEmpty && baselineDurations.isEmpty && openings.total == 0 && !reportsLoss && breakers.isEmpty
    }
}

// MARK: Merging

/// Where a ledger keeps the rows of one epoch under one key.
package protocol EvidenceRowStorage {
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
    package mutating func merge(
        _ rows: EvidenceRows,
        into storage: inout some EvidenceRowStorage
    ) throws -> [EvidenceRow] {
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
    package func isOtherBuild(in counts: EvidenceCounts) -> Bool {
        epoch == counts.epoch && key.stage == counts.key.stage && key != counts.key
            && key.installations == counts.key.installations
    }

    /// Whether those rows replace these counts, which belong to a past epoch or to an abandoned upgrade. The baseline
    /// stays until it is measured again.
    package func isReplaced(by rows: EvidenceRows) -> Bool {
        if rows.replacesAll, epoch > rows.epoch { return true }
        let isBaseline = key.stage == .legacyOnly
        return epoch < rows.epoch && (!isBaseline || rows.key.stage == .legacyOnly)
    }

    /// Whether those rows are older than these counts and must not be merged.
    package func isNewer(than rows: EvidenceRows) -> Bool { epoch > rows.epoch && !rows.replacesAll }
}

// MARK: Memory

/// The rows of one epoch in memory: of each unit a word for its settled operations, and its open rows.
package struct MemoryRows: EvidenceRowStorage, Sendable, Codable {
    /// By tally: for each unit the operations with a settled row, as bits.
    private var settled: [[UInt64: UInt64]] = EvidenceTally.allCases.map { _ in [:] }
    private var openRows: [EvidenceRow.Slot: EvidenceRow.State] = [:]
    /// The rows of other builds in the same epoch.
    package var others: [MemoryRows] = []

    private enum CodingKeys: String, CodingKey { case settled, openRows }

    package init() {}

    package func state(at slot: EvidenceRow.Slot) -> EvidenceRow.State? {
        if slot.tally.isOfVisits { return openRows[slot] }
        let bits = settled[Int(slot.tally.rawValue)][slot.unit] ?? 0
        return bits & 1 << UInt64(slot.operation) != 0 ? .settled : openRows[slot]
    }

    package mutating func set(_ state: EvidenceRow.State, at slot: EvidenceRow.Slot) {
        openRows[slot] = state.isSettled ? nil : state
        if state.isSettled {
            settled[Int(slot.tally.rawValue)][slot.unit, default: 0] |= 1 << UInt64(slot.operation)
        }
    }

    package func open(before time: Int64) -> [EvidenceRow] {
        openRows.filter { !$0.key.tally.isOfVisits && $0.value.began <= time }
            .map { EvidenceRow(slot: $0.key, state: $0.value) }
    }

    package mutating func forgetVisits(before time: Int64) {
        openRows = openRows.filter { slot, state in
            !slot.tally.isOfVisits || state.began > time || state.marks.met != .none
        }
    }

    package func isCountedByOtherBuild(_ unit: UInt64) -> Bool { others.contains { $0.hasAnswered(unit) } }

    private func hasAnswered(_ unit: UInt64) -> Bool {
        [EvidenceTally.legacy, .candidate].contains { tally in
            settled[Int(tally.rawValue)][unit] != nil
                || (0...EvidenceNames.all).contains {
                    openRows[EvidenceRow.Slot(unit: unit, tally: tally, operation: $0)] != nil
                }
        }
    }

    /// - Returns: whether there is room for the unit.
    package mutating func admit(_ unit: UInt64, in tally: EvidenceTally, limit: Int) -> Bool {
        // The visits of a unit come with its other rows.
        if tally.isOfVisits { return settled.contains { $0[unit] != nil } }
        let place = Int(tally.rawValue)
        if settled[place][unit] != nil { return true }
        guard settled[place].count < limit else { return false }
        settled[place][unit] = 0
        return true
    }
}
