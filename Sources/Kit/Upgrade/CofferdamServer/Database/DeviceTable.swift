#if Server
import Cofferdam
import CofferdamSupport
import CofferdamUpgrade
import Foundation
import GRDB

/// Saves what devices report about themselves rather than about units: their breakers, how long their calls took,
/// and a few mismatches. One epoch of each capability is kept.
struct DeviceTable {
    /// What is kept for an epoch besides the rows of devices.
    private struct Record: Codable, Equatable {
        /// The operations, by their place in the rows.
        var operations: [String] = []
        /// The number of rows of breakers, by side and place of the operation: "candidate 3".
        var rows: [String: Int]?

        /// As many as an epoch counts.
        private static let maxOperations = 63

        /// Nil if there are too many operations.
        mutating func place(of operation: String) -> Int? {
            if let place = operations.firstIndex(of: operation) { return place }
            guard operations.count < Self.maxOperations else { return nil }
            operations.append(operation)
            return operations.count - 1
        }

        /// "" for a place that no operation has.
        func operation(at place: Int) -> String { operations.indices.contains(place) ? operations[place] : "" }
    }

    private let capability: String
    private let key: Data
    private let database: Database

    init(_ capability: String, _ database: Database) {
        (self.capability, key, self.database) = (capability, SQLiteUpgradeLog.key(capability), database)
    }

    // MARK: Saving

    /// - Parameters:
    ///   - reports: the reports of that epoch.
    ///   - now: milliseconds since 1970.
    func save(_ reports: [EvidenceReport], epoch: Int, limits: DeviceLimits, at now: Int64) throws {
        let stored = try stored(of: epoch)
        if stored == nil {
            for table in ["deviceCount", "deviceBreaker", "deviceLatency", "deviceSample"] {
                try database.execute(sql: "DELETE FROM \(table) WHERE capability = ?", arguments: [key])
            }
        }
        var record = stored ?? Record()
        if stored == nil { try write(record, epoch) }
        let changed = try saveBreakers(reports, in: &record, limits, at: now)
        if reports.contains(where: { $0.latencies != nil }) {
            try LatencyTable(key, database).save(reports, limits) { record.place(of: $0) }
        }
        try SampleTable(key, database).save(reports, limits, at: now) { record.place(of: $0) }
        if record != stored { try write(record, epoch) }
        for (line, deviceTime) in changed {
            try notify(line, record.operation(at: line.operation), deviceTime, epoch: epoch, limits, at: now)
        }
    }

    private func write(_ record: Record, _ epoch: Int) throws {
        try database.execute(
            sql: """
                INSERT INTO deviceCount (capability, epoch, bytes) VALUES (?, ?, ?)
                ON CONFLICT DO UPDATE SET bytes = excluded.bytes
                """,
            arguments: [key, epoch, try JSONEncoder.ofUpgrades(isForPeople: false).encode(record)]
        )
    }

    // MARK: Breakers

    private struct Line: Hashable {
        var side: Side
        var operation: Int
    }

    /// - Returns: the breakers that were reported, and when they changed by the device's clock.
    private func saveBreakers(
        _ reports: [EvidenceReport],
        in record: inout Record,
        _ limits: DeviceLimits,
        at now: Int64
    ) throws -> [Line: Int64] {
        let known = try database.cachedStatement(
            sql: """
                UPDATE deviceBreaker SET
                    isOpen = CASE WHEN :number > number THEN :isOpen ELSE isOpen END,
                    heard = CASE WHEN :number >= number THEN max(heard, :now) ELSE heard END,
                    number = max(number, :number)
                WHERE capability = :capability AND side = :side AND operation = :operation AND device = :device
                """
        )
        let added = try database.cachedStatement(
            sql: """
                INSERT INTO deviceBreaker (capability, side, operation, device, number, isOpen, since, heard)
                VALUES (:capability, :side, :operation, :device, :number, :isOpen, :now, :now)
                """
        )
        var changed: [Line: Int64] = [:]
        for report in reports {
            guard let device = report.device.flatMap({ UInt64($0, radix: 16) }) else { continue }
            for breaker in report.breakers ?? [] {
                guard let place = record.place(of: breaker.operation) else { continue }
                let arguments: StatementArguments = [
                    "capability": key, "side": breaker.side.rawValue, "operation": place,
                    "device": Int64(bitPattern: device), "number": breaker.number, "isOpen": breaker.isOpen,
                    "now": now,
                ]
                try known.execute(arguments: arguments)
                if database.changesCount == 0 {
                    let line = "\(breaker.side.rawValue) \(place)"
                    let count = record.rows?[line] ?? 0
                    guard count < limits.maxBreakers else { continue }
                    try added.execute(arguments: arguments)
                    record.rows = (record.rows ?? [:]).merging([line: count + 1]) { $1 }
                }
                let line = Line(side: breaker.side, operation: place)
                changed[line] = min(changed[line] ?? breaker.at, breaker.at)
            }
        }
        return changed
    }

    /// Adds the notices that are due: one when a breaker is open on the first device, one when it is open on many. A
    /// breaker that was closed before its device first reported it is no alert.
    private func notify(
        _ line: Line,
        _ operation: String,
        _ deviceTime: Int64,
        epoch: Int,
        _ limits: DeviceLimits,
        at now: Int64
    ) throws {
        for kind in [BreakerNotice.Kind.opened, .spread] {
            let text = "\(capability)\0\(epoch)\0\(line.side.rawValue)\0\(operation)\0\(kind.rawValue)"
            let id = String(Digest.sha256(of: text).prefix(32))
            let isKnown = try Bool.fetchOne(
                database,
                sql: "SELECT EXISTS (SELECT 1 FROM entry WHERE capability = ? AND id = ?)",
                arguments: [key, SQLiteUpgradeLog.key(id)]
            )
            guard isKnown == false else { continue }
            let open = try Int.fetchOne(
                database,
                sql: """
                    SELECT count(*) FROM deviceBreaker
                    WHERE capability = ? AND side = ? AND operation = ? AND isOpen AND heard > ?
                    """,
                arguments: [key, line.side.rawValue, line.operation, now - limits.breakerSilence]
            )
            guard open ?? 0 >= (kind == .opened ? 1 : limits.breakerAlarm) else { continue }
            let notice = BreakerNotice(
                id: id,
                capability: capability,
                kind: kind,
                operation: operation,
                side: line.side,
                epoch: epoch,
                at: ShownTime.date(millisecondsSince1970: now),
                deviceTime: ShownTime.date(millisecondsSince1970: deviceTime * 1_000),
                open: open ?? 0
            )
            try database.execute(
                sql: "INSERT INTO entry (capability, id, at, bytes, isNotice) VALUES (?, ?, ?, ?, 1)",
                arguments: [
                    key, SQLiteUpgradeLog.key(id), now,
                    try JSONEncoder.ofUpgrades(isForPeople: false).encode(notice),
                ]
            )
        }
    }

    // MARK: Reading

    /// The breakers that opened in that epoch, by operation.
    func breakers(of epoch: Int, limits: DeviceLimits, at now: Int64) throws -> [BreakerTotals] {
        guard let record = try stored(of: epoch) else { return [] }
        return try Row.fetchAll(
            database,
            sql: """
                SELECT side, operation, coalesce(sum(isOpen AND heard > ?), 0), count(*), min(since) FROM deviceBreaker
                WHERE capability = ? GROUP BY side, operation
                """,
            arguments: [now - limits.breakerSilence, key]
        )
        .compactMap { row in
            Side(rawValue: row[0]).map { side in
                BreakerTotals(
                    operation: record.operation(at: row[1]),
                    side: side,
                    open: row[2],
                    opened: row[3],
                    since: ShownTime.date(millisecondsSince1970: row[4])
                )
            }
        }
        .sorted { ($0.operation, $0.side.rawValue) < ($1.operation, $1.side.rawValue) }
    }

    /// How long the calls of that epoch took.
    func latencies(of epoch: Int) throws -> [LatencyTotals] {
        guard let record = try stored(of: epoch) else { return [] }
        return try LatencyTable(key, database).percentiles(record.operation)
    }

    /// A few mismatches of that epoch.
    func samples(of epoch: Int) throws -> [MismatchSample] {
        try stored(of: epoch) == nil ? [] : SampleTable(key, database).samples()
    }

    /// Nil if nothing of that epoch is kept.
    private func stored(of epoch: Int) throws -> Record? {
        try Data.fetchOne(
            database,
            sql: "SELECT bytes FROM deviceCount WHERE capability = ? AND epoch = ?",
            arguments: [key, epoch]
        )
        .map { try JSONDecoder.ofUpgrades.decode(Record.self, from: $0) }
    }
}

extension SQLiteUpgradeLog {
    /// Adds what devices report about themselves in an epoch, and removes what they reported in other epochs.
    ///
    /// - Parameter now: milliseconds since 1970.
    func save(
        devices reports: [EvidenceReport],
        of capability: String,
        epoch: Int,
        limits: DeviceLimits,
        at now: Int64
    ) async throws {
        try await jobs.run { [self] in
            try writing { database in
                try DeviceTable(capability, database).save(reports, epoch: epoch, limits: limits, at: now)
            }
        }
    }

    /// How long the calls of that epoch took, over all devices or a sample of them.
    func latencies(of capability: String, epoch: Int) async throws -> [LatencyTotals] {
        try await jobs.run { [self] in
            try reading { try DeviceTable(capability, $0).latencies(of: epoch) }
        }
    }

    /// A few mismatches of that epoch.
    func samples(of capability: String, epoch: Int) async throws -> [MismatchSample] {
        try await jobs.run { [self] in
            try reading { try DeviceTable(capability, $0).samples(of: epoch) }
        }
    }

    /// The breakers that opened in that epoch, over all devices.
    func breakers(
        of capability: String,
        epoch: Int,
        limits: DeviceLimits,
        at now: Int64
    ) async throws -> [BreakerTotals] {
        try await jobs.run { [self] in
            try reading { try DeviceTable(capability, $0).breakers(of: epoch, limits: limits, at: now) }
        }
    }
}
#endif
