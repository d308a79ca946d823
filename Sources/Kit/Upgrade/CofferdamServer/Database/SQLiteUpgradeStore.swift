#if Server
import CofferdamUpgrade
import Foundation
import GRDB

/// Stores upgrades in the SQLite file of a ``SQLiteUpgradeLog``: the states, the audit log and the evidence in one
/// file, for a server. Other processes reach the upgrades through that server.
///
/// A change and its audit entry are one transaction, which is on disk when ``commit(_:)`` returns.
final class SQLiteUpgradeStore: UpgradeStore {
    /// The audit log and the evidence, in the same file.
    let log: SQLiteUpgradeLog
    /// Room for a stop on a full disk.
    private let reserve: DiskReserve

    /// Stores upgrades in the file of that log.
    init(log: SQLiteUpgradeLog) {
        self.log = log
        reserve = DiskReserve(path: log.path + ".reserve")
    }

    /// Checks that changes can be written, and keeps the reserve for a full disk.
    ///
    /// - Throws: ``UpgradeStoreError``, `CancellationError`.
    func checkWritable() async throws {
        try await log.jobs.run { [self] in
            try reserve.keep()
            try log.writing { database in
                // Writes the version that is there.
                let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
                try database.execute(sql: "PRAGMA user_version = \(version)")
            }
        }
    }

    /// True: the file belongs to one machine.
    var isLocal: Bool { true }

    private struct Row: Codable {
        var state: UpgradeState
        var kill: KillSwitch?
    }

    /// The capability's state; nil if there is none.
    func read(_ capability: String) async throws -> StoredUpgrade? {
        try await log.jobs.run { [self] in try log.reading { try stored(capability, $0) } }
    }

    /// Writes the change and its audit entry if the stored revision is still the one it was made from; returns nil
    /// otherwise. On a full disk, a stop uses the reserve.
    func commit(_ change: UpgradeChange) async throws -> StoredUpgrade? {
        try await log.jobs.run { [self] in
            do { return try write(change) } catch let error as UpgradeStoreError {
                guard change.entry.request.action.isStop, error.isDiskFull, reserve.spend() else { throw error }
                return try write(change)
            }
        }
    }

    private func write(_ change: UpgradeChange) throws -> StoredUpgrade? {
        let capability = change.before.state.capability
        return try log.writing { database -> StoredUpgrade? in
            let revision = try stored(capability, database)?.revision ?? 0
            guard revision == change.before.revision else { return nil }
            var after = change.after
            after.revision = revision + 1
            let encoder = JSONEncoder.ofUpgrades(isForPeople: false)
            let row = Row(state: after.state, kill: after.kill)
            let key = SQLiteUpgradeLog.key(capability)
            try database.execute(
                sql: "INSERT OR REPLACE INTO state (capability, revision, bytes) VALUES (?, ?, ?)",
                arguments: [key, after.revision, try encoder.encode(row)]
            )
            let entry = change.entry
            try database.execute(
                sql: "INSERT INTO entry (capability, id, at, bytes) VALUES (?, ?, ?, ?)",
                arguments: [key, SQLiteUpgradeLog.key(entry.id), entry.request.at, try encoder.encode(entry)]
            )
            return after
        }
    }

    /// Gives each state a later revision and a new epoch: see ``UpgradeLogBackup``.
    static func moveAhead(_ database: Database, now: Int64) throws {
        let rows = try GRDB.Row.fetchAll(database, sql: "SELECT capability, revision, bytes FROM state")
        for row in rows {
            let (key, revision, bytes): (Data, Int64, Data) = (row["capability"], row["revision"], row["bytes"])
            var content = try JSONDecoder.ofUpgrades.decode(Row.self, from: bytes)
            content.state.epoch += UpgradeLogBackup.epochs
            content.state.since = now
            try database.execute(
                sql: "UPDATE state SET revision = ?, bytes = ? WHERE capability = ?",
                arguments: [
                    revision + UpgradeLogBackup.revisions,
                    try JSONEncoder.ofUpgrades(isForPeople: false).encode(content), key,
                ]
            )
        }
    }

    /// The audit entry with that id; nil if there is none.
    func entry(_ id: String, of capability: String) async throws -> AuditEntry? {
        try await log.entry(id, of: capability)
    }

    /// The last audit entries, newest first.
    func history(of capability: String, last count: Int) async throws -> [AuditEntry] {
        try await log.history(of: capability, last: count)
    }

    private func stored(_ capability: String, _ database: Database) throws -> StoredUpgrade? {
        let found = try GRDB.Row.fetchOne(
            database,
            sql: "SELECT revision, bytes FROM state WHERE capability = ?",
            arguments: [SQLiteUpgradeLog.key(capability)]
        )
        guard let found else { return nil }
        guard let revision = Int64.fromDatabaseValue(found[0]), let bytes = Data.fromDatabaseValue(found[1]) else {
            throw UpgradeStoreError(.unreadable, "the state of \(capability) cannot be read", subject: log.path)
        }
        let row = try log.decode(Row.self, bytes)
        let stored = StoredUpgrade(state: row.state, kill: row.kill, revision: revision)
        try stored.check(in: log.path)
        return stored
    }
}
#endif
