import Cofferdam

/// Keeps counts in memory, for rehearsals and tests that simulate several processes in one.
public final class MemoryEvidenceStore: EvidenceStore {
    private struct Epoch {
        var record: EvidenceRecord
        var rows = Rows()
        var durations: [DurationPlace: Int64] = [:]
    }

    private struct DurationPlace: Hashable {
        var operation: String
        var slot: Int
    }

    private struct Rows: EvidenceRows {
        struct Unit: Hashable {
            var tally: String
            var unit: UInt64
        }

        /// The units of this build.
        var counted: [UInt64] {
            settled.keys.filter { $0.tally != EvidenceRecord.crossed }.map(\.unit) + open.keys.map(\.unit)
        }

        var settled: [Unit: UInt64] = [:]
        var open: [Unit: [Int: (began: Int64, outcome: String)]] = [:]

        /// The units of other builds in the same epoch.
        var others: Set<UInt64> = []

        func isCountedByOtherBuild(_ unit: UInt64) -> Bool { others.contains(unit) }

        func settled(_ unit: UInt64, in tally: String) -> UInt64 { settled[Unit(tally: tally, unit: unit), default: 0] }

        mutating func setSettled(_ operations: UInt64, _ unit: UInt64, in tally: String) {
            settled[Unit(tally: tally, unit: unit)] = operations
        }

        func open(_ unit: UInt64, at place: Int, in tally: String) -> (began: Int64, outcome: String)? {
            open[Unit(tally: tally, unit: unit)]?[place]
        }

        mutating func setOpen(
            _ window: (began: Int64, outcome: String)?,
            _ unit: UInt64,
            at place: Int,
            in tally: String
        ) {
            let unit = Unit(tally: tally, unit: unit)
            open[unit, default: [:]][place] = window
            if open[unit]?.isEmpty ?? false { open[unit] = nil }
        }
    }

    private let epochs = Mutex<[String: [Epoch]]>([:])

    /// Creates an empty store.
    public init() {}

    /// Adds the changes to their epoch's counts, and returns the totals. Changes of an epoch that a newer one has
    /// replaced are ignored.
    @discardableResult
    public func save(_ changes: EvidenceChanges, of capability: String) async -> EvidenceTotals {
        epochs.withLock { epochs in
            var kept = epochs[capability, default: []].filter { !$0.record.isReplaced(by: changes) }
            let place = kept.firstIndex { $0.record.epoch == changes.epoch && $0.record.key == changes.key }
            var epoch = place.map { kept.remove(at: $0) } ?? Epoch(record: EvidenceRecord(of: changes))
            guard !kept.contains(where: { $0.record.isNewer(than: changes) }) else {
                return EvidenceTotals(record: epoch.record)
            }
            if epoch.record.key.stage.comparesBuilds {
                let others = kept.filter { $0.record.isOtherBuild(in: epoch.record) }
                epoch.rows.others = Set(others.flatMap(\.rows.counted))
            }
            // Rows in memory never fail.
            let durations = (try? epoch.record.add(changes, to: &epoch.rows)) ?? []
            for change in durations {
                epoch.durations[.init(operation: change.operation, slot: change.slot)] = change.nanoseconds
            }
            epochs[capability] = kept + [epoch]
            return EvidenceTotals(record: epoch.record)
        }
    }

    /// The counts under that key, in its latest epoch; nil if there are none.
    public func saved(of capability: String, under key: EpochKey) async -> SavedEvidence? {
        let found = epochs.withLock { epochs in
            epochs[capability, default: []].filter { $0.record.key == key }
                .max { $0.record.epoch < $1.record.epoch }
        }
        guard let found else { return nil }
        var saved = SavedEvidence(record: found.record, settled: [:], open: [:], durations: [])
        for (unit, operations) in found.rows.settled {
            saved.settled[unit.tally, default: []].append((unit.unit, operations))
        }
        for (unit, windows) in found.rows.open {
            for (place, window) in windows {
                saved.open[unit.tally, default: []].append((unit.unit, place, window.began, window.outcome))
            }
        }
        saved.durations = found.durations.map {
            .init(operation: $0.key.operation, slot: $0.key.slot, nanoseconds: $0.value)
        }
        return saved
    }

    /// The counts of an epoch, one for each build.
    public func arms(of capability: String, epoch: Int) async -> [EvidenceTotals] {
        epochs.withLock { epochs in
            epochs[capability, default: []].map(\.record).filter { $0.epoch == epoch }.map(EvidenceTotals.init)
        }
    }

    /// The latest epoch with counts; nil if there is none.
    public func newestEpoch(of capability: String) async -> Int? {
        epochs.withLock { $0[capability]?.map(\.record.epoch).max() }
    }
}

extension EvidenceRecord {
    /// Whether it belongs to another build in the same comparison of builds.
    func isOtherBuild(in record: EvidenceRecord) -> Bool {
        epoch == record.epoch && key.stage == record.key.stage && key != record.key
            && key.installations == record.key.installations
    }

    /// Whether saving those changes replaces this record: it belongs to a past epoch or to an abandoned upgrade. The
    /// baseline stays until it is measured again.
    func isReplaced(by changes: EvidenceChanges) -> Bool {
        if changes.replacesAll, epoch > changes.epoch { return true }
        let isBaseline = key.stage == .legacyOnly
        return epoch < changes.epoch && (!isBaseline || changes.key.stage == .legacyOnly)
    }

    /// Whether those changes are older than this record and must not be added.
    func isNewer(than changes: EvidenceChanges) -> Bool { epoch > changes.epoch && !changes.replacesAll }
}
