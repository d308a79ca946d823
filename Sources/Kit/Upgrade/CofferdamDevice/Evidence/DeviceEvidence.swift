import Cofferdam
package import CofferdamUpgrade  // counts and reports

/// The counts of one device in its epoch, and which of them the server has not acknowledged. A device has few units, so
/// the counts are small; the app keeps them in a file.
package struct DeviceEvidence: Sendable, Codable {
    private var counts: EvidenceCounts?
    private var rows = MemoryRows()
    /// The rows that the server has not acknowledged.
    private var unsent: [EvidenceRow.Slot: Unsent] = [:]
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

    private struct Unsent: Sendable, Hashable, Codable {
        var state: EvidenceRow.State
        /// How long the first call took, at `legacyOnly`.
        var nanoseconds: Int64?
    }

    package init() {}

    /// Merges rows. Another epoch or key drops the earlier ones, sent or not: nothing is carried over.
    ///
    /// - Parameter maxSamples: how many mismatches of an operation are reported.
    package mutating func merge(_ rows: EvidenceRows, maxSamples: Int = 0) -> EvidenceCounts {
        if let counts, counts.isNewer(than: rows) { return counts }
        addDeviceParts(rows, maxSamples)
        var counts = counts ?? EvidenceCounts(rows.key, epoch: rows.epoch, series: .randomID())
        if counts.epoch != rows.epoch || counts.key != rows.key {
            counts = EvidenceCounts(rows.key, epoch: rows.epoch, series: .randomID())
            (self.rows, unsent) = (MemoryRows(), [:])
        }
        var taken = rows
        // Visits last: only those of units that are counted.
        taken.rows = rows.rows.sorted { $0.slot.tally.rawValue < $1.slot.tally.rawValue }.filter {
            self.rows.admit($0.slot.unit, in: $0.slot.tally, limit: Self.maxUnits)
        }
        if taken.rows.count < rows.rows.count { taken.reportsLoss = true }
        // The server has the durations; this device alone makes no baseline.
        taken.latencies = [:]
        // Rows in memory never fail.
        for row in (try? counts.merge(taken, into: &self.rows)) ?? [] {
            var nanoseconds = unsent[row.slot]?.nanoseconds
            if nanoseconds == nil, row.slot.tally == .legacy, counts.key == .baseline {
                nanoseconds = counts.names.operation(at: row.slot.operation)
                    .flatMap { rows.baselineDurations[$0]?.percentile(50) }
            }
            unsent[row.slot] = Unsent(state: row.state, nanoseconds: nanoseconds)
        }
        self.counts = counts
        return counts
    }

    /// Adds what belongs to the device, not to its units. Another key of the same epoch drops none of it.
    private mutating func addDeviceParts(_ changes: EvidenceRows, _ maxSamples: Int) {
        if counts?.epoch != changes.epoch { (breakers, latencies, samples) = (nil, nil, nil) }
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
    package func counts(under key: EpochKey) -> EvidenceCounts? { counts.flatMap { $0.key == key ? $0 : nil } }

    /// The counts, if they are of that epoch.
    package func builds(of epoch: Int) -> [EvidenceCounts] {
        counts.flatMap { $0.epoch == epoch ? [$0] : nil } ?? []
    }

    package var epoch: Int? { counts?.epoch }

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
        guard let counts, !unsent.isEmpty || hasDeviceParts else { return nil }
        var units: [UInt64: [EvidenceReport.Window]] = [:]
        func order(_ slot: EvidenceRow.Slot) -> (UInt64, UInt8, UInt8) {
            (slot.unit, slot.tally.rawValue, slot.operation)
        }
        for (slot, row) in unsent.sorted(by: { order($0.key) < order($1.key) }).prefix(max(1, limit)) {
            let operation = counts.names.operation(at: slot.operation)
            units[slot.unit, default: []].append(
                EvidenceReport.Window(
                    tally: slot.tally.name,
                    operation: operation,
                    marks: counts.names.texts(of: row.state.marks, in: slot.tally),
                    isSettled: row.state.isSettled,
                    hour: row.state.hour(in: slot.tally),
                    isRead: operation.flatMap { counts.reads.contains($0) ? true : nil },
                    nanoseconds: row.nanoseconds
                )
            )
        }
        var report = EvidenceReport(
            stage: counts.key.stage,
            epoch: counts.epoch,
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
        guard let counts, counts.epoch == report.epoch, counts.key.stage == report.stage else { return }
        breakers?.acknowledge(report.breakers ?? [])
        latencies?.acknowledge(report.latencies ?? [])
        samples?.acknowledge(report.samples ?? [])
        let units = Dictionary(report.units.map { ($0.unit, $0.windows) }) { $0 + $1 }
        unsent = unsent.filter { slot, row in
            let operation = counts.names.operation(at: slot.operation)
            let sent = (units[hash(slot.unit)] ?? []).first { $0.tally == slot.tally.name && $0.operation == operation }
            guard let sent else { return true }
            return sent.marks != counts.names.texts(of: row.state.marks, in: slot.tally)
                || sent.isSettled != row.state.isSettled || sent.hour != row.state.hour(in: slot.tally)
        }
    }
}

// MARK: The file

extension DeviceEvidence {
    private enum CodingKeys: String, CodingKey {
        case counts, rows, unsent, breakers, latencies, samples, device
        /// What an earlier version wrote in place of the counts.
        case record
    }

    /// Decodes what an earlier version wrote, too.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        breakers = try values.decodeIfPresent(DeviceBreakers.self, forKey: .breakers)
        latencies = try values.decodeIfPresent(DeviceLatencies.self, forKey: .latencies)
        samples = try values.decodeIfPresent(DeviceSamples.self, forKey: .samples)
        device = try values.decodeIfPresent(String.self, forKey: .device)
        if var counts = try values.decodeIfPresent(EvidenceCounts.self, forKey: .record) {
            let earlier = try values.decode(EarlierRows.self, forKey: .rows)
            for row in earlier.rows(&counts.names) { rows.set(row.state, at: row.slot) }
            for (slot, window) in try values.decode([EarlierSlot: EarlierUnsent].self, forKey: .unsent) {
                guard let slot = slot.slot(&counts.names) else { continue }
                let marks = counts.names.marks(ofText: window.outcome, in: slot.tally)
                let state = EvidenceRow.State(marks: marks, began: 0, isSettled: window.isSettled)
                unsent[slot] = Unsent(state: state, nanoseconds: window.nanoseconds)
            }
            self.counts = counts
        } else if let counts = try values.decodeIfPresent(EvidenceCounts.self, forKey: .counts) {
            // Without counts a file of any version has no rows.
            self.counts = counts
            rows = try values.decode(MemoryRows.self, forKey: .rows)
            unsent = try values.decode([EvidenceRow.Slot: Unsent].self, forKey: .unsent)
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encodeIfPresent(counts, forKey: .counts)
        try values.encode(rows, forKey: .rows)
        try values.encode(unsent, forKey: .unsent)
        try values.encodeIfPresent(breakers, forKey: .breakers)
        try values.encodeIfPresent(latencies, forKey: .latencies)
        try values.encodeIfPresent(samples, forKey: .samples)
        try values.encodeIfPresent(device, forKey: .device)
    }
}

/// The rows of a device as an earlier version wrote them, with texts in place of marks.
private struct EarlierRows: Decodable {
    struct Unit: Decodable {
        var settled: UInt64
        var open: [Int: Open]
    }

    struct Open: Decodable {
        var began: Int64
        var outcome: String
    }

    var units: [String: [UInt64: Unit]]

    func rows(_ names: inout EvidenceNames) -> [EvidenceRow] {
        var rows: [EvidenceRow] = []
        for (name, units) in units {
            guard let tally = EvidenceTally(name: name) else { continue }
            for (unit, row) in units {
                func slot(_ place: UInt8) -> EvidenceRow.Slot { .init(unit: unit, tally: tally, operation: place) }
                for place in 0...EvidenceNames.all where row.settled & 1 << UInt64(place) != 0 {
                    rows.append(EvidenceRow(slot: slot(place), state: .settled))
                }
                for (place, window) in row.open where (0...Int(EvidenceNames.all)).contains(place) {
                    let marks = names.marks(ofText: window.outcome, in: tally)
                    let state = EvidenceRow.State(marks: marks, began: window.began, isSettled: false)
                    rows.append(EvidenceRow(slot: slot(UInt8(place)), state: state))
                }
            }
        }
        return rows
    }
}

private struct EarlierSlot: Hashable, Decodable {
    var tally: String
    var unit: UInt64
    var operation: String?

    func slot(_ names: inout EvidenceNames) -> EvidenceRow.Slot? {
        guard let tally = EvidenceTally(name: tally), let place = names.place(of: operation) else { return nil }
        return EvidenceRow.Slot(unit: unit, tally: tally, operation: place)
    }
}

private struct EarlierUnsent: Decodable {
    var outcome: String
    var isSettled: Bool
    var nanoseconds: Int64?
}
