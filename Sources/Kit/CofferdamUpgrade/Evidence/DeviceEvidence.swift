import Cofferdam

/// The counts of one device in its epoch, and which of them the server has not acknowledged. A device has few units, so
/// the counts are small; the app keeps them in a file.
package struct DeviceEvidence: Sendable, Codable {
    private var record: EvidenceRecord?
    private var rows = Rows()
    private var unsent: [Slot: Unsent] = [:]
    /// Nil before the first breaker opened in this epoch.
    private var breakers: DeviceBreakers?
    /// Nil before the first timed call of this epoch.
    private var latencies: DeviceLatencies?
    /// Nil before the first mismatch of this epoch.
    private var samples: DeviceSamples?
    /// Nil until it is needed; stays the same as long as the file exists.
    private var device: String?

    /// The maximum number of units that one device counts. Further units are not reported, and the totals say so.
    package static let maxUnits = 1_000

    fileprivate struct Slot: Sendable, Hashable, Codable {
        var tally: String
        var unit: UInt64
        var operation: String?
    }

    private struct Unsent: Sendable, Hashable, Codable {
        var outcome: String
        var isSettled: Bool
        var nanoseconds: Int64?
    }

    package init() {}

    /// Adds the counts since the last call. Another epoch or key drops the earlier counts, sent or not: nothing is
    /// carried over.
    ///
    /// - Parameter maxSamples: how many mismatches of an operation are reported.
    package mutating func add(_ changes: EvidenceChanges, maxSamples: Int = 0) -> EvidenceTotals {
        if let record, record.isNewer(than: changes) { return EvidenceTotals(record: record) }
        addDeviceParts(changes, maxSamples)
        var record = record ?? EvidenceRecord(of: changes)
        if record.epoch != changes.epoch || record.key != changes.key {
            (record, rows, unsent) = (EvidenceRecord(of: changes), Rows(), [:])
        }
        var changes = changes
        let times = Dictionary(changes.durations.map { ($0.operation, $0.nanoseconds) }) { first, _ in first }
        // The server has the durations; this device alone makes no baseline.
        (changes.durations, changes.timed) = ([], 0)
        for tally in changes.windows.keys {
            let windows = changes.windows[tally] ?? []
            let taken = windows.filter { rows.admit($0.unit, in: tally) }
            if taken.count < windows.count { changes.reportsLoss = true }
            changes.windows[tally] = taken
            for window in taken {
                let slot = Slot(tally: tally, unit: window.unit, operation: window.operation)
                var next = unsent[slot] ?? Unsent(outcome: "", isSettled: false)
                next.outcome = OutcomeTexts.merged(next.outcome, window.outcome)
                next.isSettled = next.isSettled || window.isSettled
                if tally == "legacy", record.key == .baseline, next.nanoseconds == nil {
                    next.nanoseconds = window.operation.flatMap { times[$0] }
                }
                unsent[slot] = next
            }
        }
        // Rows in memory never fail.
        _ = try? record.add(changes, to: &rows)
        self.record = record
        return EvidenceTotals(record: record)
    }

    /// Adds what belongs to the device, not to its units. Another key of the same epoch drops none of it.
    private mutating func addDeviceParts(_ changes: EvidenceChanges, _ maxSamples: Int) {
        if record?.epoch != changes.epoch { (breakers, latencies, samples) = (nil, nil, nil) }
        if maxSamples > 0, !changes.samples.isEmpty {
            var samples = samples ?? DeviceSamples()
            samples.add(changes.samples, limit: maxSamples)
            self.samples = samples
        }
        guard !changes.breakers.isEmpty || !changes.latencies.isEmpty else { return }
        device = device ?? String(String.randomID().prefix(16))
        if !changes.breakers.isEmpty {
            var breakers = breakers ?? DeviceBreakers()
            breakers.add(changes.breakers, at: changes.takenAt / 1_000)
            self.breakers = breakers
        }
        if !changes.latencies.isEmpty {
            var latencies = latencies ?? DeviceLatencies()
            latencies.add(changes.latencies)
            self.latencies = latencies
        }
    }

    /// The counts under that key, to continue from; nil if there are none.
    package func saved(under key: EpochKey) -> SavedEvidence? {
        guard let record, record.key == key else { return nil }
        var saved = SavedEvidence(record: record, settled: [:], open: [:], durations: [])
        for (tally, units) in rows.units {
            for (unit, row) in units {
                if row.settled != 0 { saved.settled[tally, default: []].append((unit, row.settled)) }
                for (place, window) in row.open {
                    saved.open[tally, default: []].append((unit, place, window.began, window.outcome))
                }
            }
        }
        return saved
    }

    /// The totals, if they are of that epoch.
    package func totals(of epoch: Int) -> [EvidenceTotals] {
        record.flatMap { $0.epoch == epoch ? [EvidenceTotals(record: $0)] : nil } ?? []
    }

    package var epoch: Int? { record?.epoch }

    // MARK: Breakers

    /// Notes that the process that counted has ended, and its breakers with it.
    ///
    /// - Parameter now: seconds since 1970.
    package mutating func processEnded(at now: Int64) { breakers?.processEnded(at: now) }

    /// Reports the open breakers again, so that the server knows that they still are.
    package mutating func repeatOpenBreakers() { breakers?.repeatOpen() }

    // MARK: Reports

    /// The next report: at most `limit` windows, the changed breakers, durations and mismatches; nil if the server has
    /// everything.
    ///
    /// - Parameters:
    ///   - window: the length of a unit's window, in seconds: the key of the baseline has none.
    ///   - hash: the 16 hexadecimal digits by which the server knows a unit.
    package func report(
        window: Int,
        build: String,
        side: String?,
        limit: Int,
        hash: (UInt64) -> String
    ) -> EvidenceReport? {
        let (breakers, latencies) = (breakers?.unsent ?? [], latencies?.unsent ?? [])
        let samples = samples?.unsent ?? []
        let hasDeviceParts = !breakers.isEmpty || !latencies.isEmpty || !samples.isEmpty
        guard let record, !unsent.isEmpty || hasDeviceParts else { return nil }
        var units: [UInt64: [EvidenceReport.Window]] = [:]
        for (slot, window) in unsent.sorted(by: { $0.key < $1.key }).prefix(max(1, limit)) {
            units[slot.unit, default: []].append(
                EvidenceReport.Window(
                    tally: slot.tally,
                    operation: slot.operation,
                    marks: OutcomeTexts.parts(window.outcome),
                    isSettled: window.isSettled,
                    isRead: slot.operation.flatMap { record.reads.contains($0) ? true : nil },
                    nanoseconds: window.nanoseconds
                )
            )
        }
        var report = EvidenceReport(
            stage: record.key.stage,
            epoch: record.epoch,
            window: window,
            build: build,
            side: side,
            units: units.sorted { $0.key < $1.key }.map { .init(unit: hash($0.key), windows: $0.value) }
        )
        if !breakers.isEmpty || !latencies.isEmpty { report.device = device }
        if !breakers.isEmpty { report.breakers = breakers }
        if !latencies.isEmpty { report.latencies = latencies }
        if !samples.isEmpty { report.samples = samples }
        return report
    }

    /// Notes that the server has that report. Windows that have changed since it was made are sent again.
    package mutating func acknowledge(_ report: EvidenceReport, hash: (UInt64) -> String) {
        guard record?.epoch == report.epoch, record?.key.stage == report.stage else { return }
        breakers?.acknowledge(report.breakers ?? [])
        latencies?.acknowledge(report.latencies ?? [])
        samples?.acknowledge(report.samples ?? [])
        let units = Dictionary(report.units.map { ($0.unit, $0.windows) }) { $0 + $1 }
        unsent = unsent.filter { slot, window in
            let sent = (units[hash(slot.unit)] ?? []).first { $0.tally == slot.tally && $0.operation == slot.operation }
            guard let sent else { return true }
            return OutcomeTexts.text(ofParts: sent.marks) != window.outcome || sent.isSettled != window.isSettled
        }
    }
}

extension DeviceEvidence.Slot: Comparable {
    fileprivate static func < (a: Self, b: Self) -> Bool {
        (a.unit, a.tally, a.operation ?? "") < (b.unit, b.tally, b.operation ?? "")
    }
}

/// The rows of a device's units.
private struct Rows: EvidenceRows, Sendable, Codable {
    struct Unit: Sendable, Codable {
        var settled: UInt64 = 0
        var open: [Int: Open] = [:]
    }

    struct Open: Sendable, Codable {
        var began: Int64
        var outcome: String
    }

    /// The units, by the name of the tally.
    var units: [String: [UInt64: Unit]] = [:]

    /// - Returns: whether there is room for the unit.
    mutating func admit(_ unit: UInt64, in tally: String) -> Bool {
        if units[tally]?[unit] != nil { return true }
        guard units[tally]?.count ?? 0 < DeviceEvidence.maxUnits else { return false }
        units[tally, default: [:]][unit] = Unit()
        return true
    }

    func settled(_ unit: UInt64, in tally: String) -> UInt64 { units[tally]?[unit]?.settled ?? 0 }
    /// A device is one process, of one build.
    func isCountedByOtherBuild(_ unit: UInt64) -> Bool { false }

    mutating func setSettled(_ operations: UInt64, _ unit: UInt64, in tally: String) {
        units[tally, default: [:]][unit, default: Unit()].settled = operations
    }

    func open(_ unit: UInt64, at place: Int, in tally: String) -> (began: Int64, outcome: String)? {
        units[tally]?[unit]?.open[place].map { ($0.began, $0.outcome) }
    }

    mutating func setOpen(_ window: (began: Int64, outcome: String)?, _ unit: UInt64, at place: Int, in tally: String) {
        units[tally, default: [:]][unit, default: Unit()].open[place] = window.map {
            Open(began: $0.began, outcome: $0.outcome)
        }
    }
}
