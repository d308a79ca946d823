#if SQLite
import Cofferdam
import CofferdamSupport
package import Foundation
package import GRDB

/// Keeps the audit log and the evidence of upgrades in one SQLite file that several processes may use.
///
/// The file may be removed or replaced while it is open: the next call notices, and continues with the file at
/// the path or a new one. Data that only the old file had is lost: the history except its last entry, the counts,
/// and which units have written.
public final class SQLiteUpgradeLog: EvidenceLog {
    package let path: String
    private let file: Mutex<UpgradeLogFile>
    package let jobs = DiskQueue(label: "cofferdam.upgrade.log")
    private let keptSnapshots: Int

    /// - Parameters:
    ///   - path: the file, created if it is missing.
    ///   - keptSnapshots: how many snapshots are kept of each capability; at least 1.
    /// - Throws: ``UpgradeStoreError``: `unreadable` for a file of another application or a newer version,
    ///   `unavailable`.
    public convenience init(path: String, keptSnapshots: Int = EvidenceSnapshot.keptByDefault) throws {
        try self.init(path: path, keptSnapshots: keptSnapshots, isKept: false)
    }

    /// - Parameter isKept: whether a file that is removed or emptied while it is open is missed, not begun anew: every
    ///   call throws until there is one again.
    package init(path: String, keptSnapshots: Int = EvidenceSnapshot.keptByDefault, isKept: Bool) throws {
        let path = SymbolicLink.target(of: path)
        self.path = path
        self.keptSnapshots = max(1, keptSnapshots)
        file = Mutex(try Self.converting(path) { try UpgradeLogFile(path: path, isKept: isKept) })
    }

    /// Opens the file when it is first needed; errors appear then.
    ///
    /// - Parameter directory: the directory of the file, created if it is missing, readable only by this account.
    init(openingLater path: String, making directory: String) {
        self.path = path
        keptSnapshots = EvidenceSnapshot.keptByDefault
        file = Mutex(UpgradeLogFile(openingLater: path, making: directory))
    }

    // MARK: The audit log

    /// Adds an entry, unless its id exists.
    func add(_ entry: AuditEntry) throws {
        try Self.converting(path) {
            try file.withLock { file in
                guard try file.lastLine(of: entry.capability) != entry.id else { return }
                try file.write { database, lastLines in
                    let bytes = try JSONEncoder.ofUpgrades(isForPeople: false).encode(entry)
                    try database.execute(
                        sql:
                            "INSERT INTO entry (capability, id, at, bytes) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                        arguments: [Self.key(entry.capability), Self.key(entry.id), entry.request.at, bytes]
                    )
                    lastLines[entry.capability] = entry.id
                }
            }
        }
    }

    package func entry(_ id: String, of capability: String) async throws -> AuditEntry? {
        let entries: [AuditEntry] = try await rows(
            "SELECT bytes FROM entry WHERE capability = ? AND id = ? AND isNotice = 0",
            [Self.key(capability), Self.key(id)]
        )
        return entries.first
    }

    /// The newest first.
    package func history(of capability: String, last count: Int) async throws -> [AuditEntry] {
        try await rows(
            "SELECT bytes FROM entry WHERE capability = ? AND isNotice = 0 ORDER BY number DESC LIMIT ?",
            [Self.key(capability), max(0, count)]
        )
    }

    // MARK: Snapshots

    /// Writes the snapshot.
    public func append(_ snapshot: EvidenceSnapshot) async throws {
        let bytes = try JSONEncoder.ofUpgrades(isForPeople: false).encode(snapshot)
        try await jobs.run { [self] in
            try writing { database in
                try database.execute(
                    sql: "INSERT INTO snapshot (capability, epoch, at, bytes) VALUES (?, ?, ?, ?)",
                    arguments: [Self.key(snapshot.capability), snapshot.reading.epoch, snapshot.at, bytes]
                )
                try database.execute(
                    sql: """
                        DELETE FROM snapshot WHERE capability = :capability AND number <= (
                            SELECT number FROM snapshot WHERE capability = :capability
                            ORDER BY number DESC LIMIT 1 OFFSET :kept
                        )
                        """,
                    arguments: ["capability": Self.key(snapshot.capability), "kept": keptSnapshots]
                )
            }
        }
    }

    /// The newest snapshots of a capability, the oldest first.
    public func snapshots(of capability: String, epoch: Int?, last count: Int) async throws -> [EvidenceSnapshot] {
        try await rows(
            """
            SELECT bytes FROM snapshot WHERE capability = ? AND epoch = coalesce(?, epoch)
            ORDER BY number DESC LIMIT ?
            """,
            [Self.key(capability), epoch, max(0, count)]
        ).reversed()
    }

    // MARK: Database

    private func rows<Content: Decodable & Sendable>(
        _ sql: String,
        _ arguments: StatementArguments
    ) async throws -> [Content] {
        try await jobs.run { [self] in
            try reading { database in
                try Data.fetchAll(database, sql: sql, arguments: arguments).map { bytes in
                    try decode(Content.self, bytes)
                }
            }
        }
    }

    package func decode<Content: Decodable>(_ type: Content.Type, _ bytes: Data) throws -> Content {
        do {
            return try JSONDecoder.ofUpgrades.decode(type, from: bytes)
        } catch {
            throw UpgradeStoreError(.unreadable, "a row cannot be read as \(type)", subject: path, cause: error)
        }
    }

    package func reading<Value: Sendable>(_ body: (Database) throws -> Value) throws -> Value {
        try Self.converting(path) { try file.withLock { try $0.read(body) } }
    }

    /// Runs `body` in one transaction.
    package func writing<Value: Sendable>(_ body: (Database) throws -> Value) throws -> Value {
        try Self.converting(path) { try file.withLock { try $0.write { database, _ in try body(database) } } }
    }

    /// Text as bytes, because SQLite ends a text at its first zero.
    package static func key(_ text: String) -> Data { Data(text.utf8) }

    package static let diskIsFull = "the disk is full"

    package static func converting<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
            throw UpgradeStoreError(.unavailable, diskIsFull, subject: path, cause: error)
        } catch let error as DatabaseError {
            let isUnreadable = [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR].contains(error.resultCode)
            throw UpgradeStoreError(
                isUnreadable ? .unreadable : .unavailable,
                "SQLite's error \(error.extendedResultCode.rawValue): \(error.message ?? "no message")",
                subject: path,
                cause: error
            )
        } catch is DirectoryLock.Busy {
            throw UpgradeStoreError(
                .unavailable,
                "another process holds the lock of the directory",
                subject: path
            )
        } catch let error as RemovalFailure {
            throw UpgradeStoreError(.unavailable, "\(error)", subject: path, cause: error)
        }
    }
}

extension SQLiteUpgradeLog: EvidenceLedger {
    private func ledger(_ capability: String, _ database: Database) -> SQLiteLedger {
        SQLiteLedger(capability, database) { try self.decode(EvidenceCounts.self, $0) }
    }

    /// Merges the rows.
    @discardableResult
    public func merge(_ rows: EvidenceRows, of capability: String) async throws -> EvidenceCounts {
        try await jobs.run { [self] in try writing { try ledger(capability, $0).merge(rows) } }
    }

    /// The counts under that key, in its latest epoch; nil if there are none.
    public func counts(of capability: String, under key: EpochKey) async throws -> EvidenceCounts? {
        try await jobs.run { [self] in try reading { try ledger(capability, $0).counts(under: key) } }
    }

    /// The counts of an epoch, one for each build.
    public func builds(of capability: String, epoch: Int) async throws -> [EvidenceCounts] {
        try await jobs.run { [self] in try reading { try ledger(capability, $0).builds(of: epoch) } }
    }

    /// The latest epoch with counts; nil if there is none.
    public func newestEpoch(of capability: String) async throws -> Int? {
        try await jobs.run { [self] in
            try reading { database in
                try Int.fetchOne(
                    database,
                    sql: "SELECT max(epoch) FROM counting WHERE capability = ?",
                    arguments: [Self.key(capability)]
                )
            }
        }
    }

    /// The counts that devices have reported in the epoch of that state, for one of several servers to export.
    /// Before the first unit, every count is 0, because a missing metric is not 0.
    ///
    /// - Parameters:
    ///   - window: the length of a unit's window, in seconds.
    ///   - now: in milliseconds since 1970.
    package func reported(
        of state: UpgradeState,
        window: Int,
        at now: Int64
    ) async throws -> EvidenceRecorder.Counted {
        let key = EvidenceReport.key(of: state.stage, window: window)
        let found = try await builds(of: state.capability, epoch: state.epoch).first { $0.key == key }
        let counts = found ?? EvidenceCounts(key, epoch: state.epoch)
        let isWatching = state.stage == .legacyOnly
        return EvidenceRecorder.Counted(
            snapshot: EvidenceSnapshot(
                capability: state.capability,
                at: now,
                reading: counts.reading(
                    against: isWatching ? nil : state.baseline,
                    afterSeconds: Int(clamping: WallTime.since(state.since, at: now / 1_000)),
                    // A breaker belongs to one device.
                    breaker: BreakerHistory(),
                    isKept: !counts.lacksUnits
                ),
                outcomes: counts.outcomes
            ),
            key: key,
            series: counts.series,
            legacy: isWatching ? LegacyWatch(counts) : nil
        )
    }
}

/// Remembers on disk, for all processes that use the file. It stores 64 bits of the name of a unit: one in about
/// 10¹⁶ is mistaken for another, and then reads only from the candidate.
extension SQLiteUpgradeLog: UnitMemory {
    /// Whether the unit has written, in this process or an earlier one.
    public func hasWritten(_ unit: String, capability: String) async throws -> Bool {
        try await jobs.run { [self] in
            try reading { database in
                try Bool.fetchOne(
                    database,
                    sql: "SELECT EXISTS (SELECT 1 FROM writer WHERE capability = ? AND key = ?)",
                    arguments: [Self.key(capability), Self.key(of: unit)]
                ) ?? false
            }
        }
    }

    /// Remembers the unit on disk.
    public func noteWrite(by unit: String, capability: String) async throws {
        try await jobs.run { [self] in
            try writing { database in
                try database.execute(
                    sql: "INSERT INTO writer (capability, key) VALUES (?, ?) ON CONFLICT DO NOTHING",
                    arguments: [Self.key(capability), Self.key(of: unit)]
                )
            }
        }
    }

    private static func key(of unit: String) -> Int64 { Int64(bitPattern: UnitKey.key(of: unit)) }
}
#endif
