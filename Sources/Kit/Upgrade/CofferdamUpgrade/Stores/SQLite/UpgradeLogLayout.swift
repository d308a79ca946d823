#if SQLite
import Cofferdam
import Foundation
package import GRDB

/// The schema of the file of a ``SQLiteUpgradeLog``.
package struct UpgradeLogLayout {
    /// "CofU": marks the file as this kit's (https://www.sqlite.org/pragma.html#pragma_application_id).
    static let applicationID = 0x436F_6655

    let path: String

    package init(path: String) { self.path = path }

    /// Checks the file before changing it, and enables its write-ahead log.
    ///
    /// - Returns: whether the file has one.
    func begin(_ database: DatabaseQueue) throws -> Bool {
        try database.writeWithoutTransaction { database in
            try check(database)
            let mode = try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL")
            // An acknowledged entry survives a power failure too.
            try database.execute(
                sql: "PRAGMA synchronous = FULL; PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1"
            )
            // The first read opens the log.
            _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema")
            return mode == "wal"
        }
    }

    /// Migrates the file.
    package func migrate(_ database: DatabaseQueue) throws { try migrator.migrate(database) }

    /// - Parameter mayBeNew: whether the file may have no content yet.
    package func check(_ database: Database, mayBeNew: Bool = true) throws {
        let mark = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        let isEmpty = try String.fetchOne(database, sql: "SELECT name FROM sqlite_schema LIMIT 1") == nil
        guard mark == Self.applicationID || mayBeNew && mark == 0 && isEmpty else {
            throw UpgradeStoreError(.unreadable, "the file is a database, but not a log of upgrades", subject: path)
        }
        guard try !migrator.hasBeenSuperseded(database) else {
            throw UpgradeStoreError(.unreadable, "a newer version of this kit wrote the file", subject: path)
        }
    }

    /// Makes rows with marks as bits of what earlier versions kept as text.
    private func makeRows(_ database: Database) throws {
        let tallies = EvidenceTally.allCases.map { "WHEN '\($0.name)' THEN \($0.rawValue)" }.joined(separator: " ")
        try database.execute(
            sql: """
                CREATE TABLE settledRow (
                    count INTEGER NOT NULL, tally INTEGER NOT NULL, unit INTEGER NOT NULL,
                    operations INTEGER NOT NULL, PRIMARY KEY (count, tally, unit)
                ) WITHOUT ROWID;
                CREATE TABLE openRow (
                    count INTEGER NOT NULL, tally INTEGER NOT NULL, unit INTEGER NOT NULL,
                    operation INTEGER NOT NULL, marks INTEGER NOT NULL, began INTEGER NOT NULL,
                    PRIMARY KEY (count, tally, unit, operation)
                ) WITHOUT ROWID;
                CREATE INDEX openRowByTime ON openRow (count, began);
                INSERT INTO settledRow SELECT count, CASE tally \(tallies) END, unit, operations FROM settledUnit;
                """
        )
        for count in try Row.fetchAll(database, sql: "SELECT id, bytes FROM counting") {
            let (id, bytes): (Int64, Data) = (count[0], count[1])
            var counts: EvidenceCounts
            do { counts = try JSONDecoder.ofUpgrades.decode(EvidenceCounts.self, from: bytes) } catch {
                throw UpgradeStoreError(
                    .unreadable,
                    "an earlier version's counts cannot be read: remove the file, and the epoch is counted anew",
                    subject: path,
                    cause: error
                )
            }
            let open = try Row.fetchAll(
                database,
                sql: "SELECT tally, unit, place, began, outcome FROM openWindow WHERE count = ?",
                arguments: [id]
            )
            let timed = try Row.fetchAll(
                database,
                sql: "SELECT operation, nanoseconds FROM timedCall WHERE count = ?",
                arguments: [id]
            )
            for row in timed {
                guard let operation = Data.fromDatabaseValue(row[0]), let duration = Int64.fromDatabaseValue(row[1])
                else { continue }
                counts.durations[String(decoding: operation, as: UTF8.self), default: .init()].record(duration)
            }
            for row in open {
                guard let tally = String.fromDatabaseValue(row[0]).flatMap({ EvidenceTally(name: $0) }),
                    let unit = Int64.fromDatabaseValue(row[1]), let place = UInt8.fromDatabaseValue(row[2]),
                    let began = Int64.fromDatabaseValue(row[3]), let outcome = Data.fromDatabaseValue(row[4])
                else { continue }
                let marks = counts.names.marks(ofText: String(decoding: outcome, as: UTF8.self), in: tally)
                try database.execute(
                    sql: "INSERT INTO openRow VALUES (?, ?, ?, ?, ?, ?)",
                    arguments: [id, Int(tally.rawValue), unit, Int(place), Int64(marks.bits), began]
                )
            }
            try database.execute(
                sql: "UPDATE counting SET bytes = ? WHERE id = ?",
                arguments: [try JSONEncoder.ofUpgrades(isForPeople: false).encode(counts), id]
            )
        }
        try database.execute(sql: "DROP TABLE settledUnit; DROP TABLE openWindow; DROP TABLE timedCall;")
    }

    private var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("log, snapshots and evidence") { database in
            try database.execute(
                sql: """
                    CREATE TABLE entry (
                        number INTEGER PRIMARY KEY AUTOINCREMENT, capability BLOB NOT NULL, id BLOB NOT NULL,
                        at INTEGER NOT NULL, bytes BLOB NOT NULL, UNIQUE (capability, id)
                    );
                    CREATE TABLE snapshot (
                        number INTEGER PRIMARY KEY AUTOINCREMENT, capability BLOB NOT NULL, epoch INTEGER NOT NULL,
                        at INTEGER NOT NULL, bytes BLOB NOT NULL
                    );
                    CREATE INDEX snapshotOfCapability ON snapshot (capability, number);
                    CREATE TABLE evidence (capability BLOB NOT NULL PRIMARY KEY, epoch INTEGER NOT NULL, bytes BLOB NOT NULL);
                    CREATE TABLE unit (
                        number INTEGER PRIMARY KEY AUTOINCREMENT, capability BLOB NOT NULL, tally TEXT NOT NULL,
                        key INTEGER NOT NULL, calls INTEGER NOT NULL, worst BLOB, UNIQUE (capability, tally, key)
                    );
                    CREATE TABLE duration (
                        capability BLOB NOT NULL, slot INTEGER NOT NULL, nanoseconds INTEGER NOT NULL,
                        PRIMARY KEY (capability, slot)
                    ) WITHOUT ROWID;
                    PRAGMA application_id = \(Self.applicationID);
                    """
            )
        }
        migrator.registerMigration("units that have written") { database in
            try database.execute(
                sql: """
                    CREATE TABLE writer (
                        capability BLOB NOT NULL, key INTEGER NOT NULL, PRIMARY KEY (capability, key)
                    ) WITHOUT ROWID;
                    """
            )
        }
        migrator.registerMigration("units by windows") { database in
            // Earlier counts follow other rules: the upgrade continues with a new epoch.
            try database.execute(
                sql: """
                    DROP TABLE evidence;
                    DROP TABLE unit;
                    DROP TABLE duration;
                    CREATE TABLE counting (
                        id INTEGER PRIMARY KEY AUTOINCREMENT, capability BLOB NOT NULL, epoch INTEGER NOT NULL,
                        bytes BLOB NOT NULL
                    );
                    CREATE INDEX countOfCapability ON counting (capability, epoch);
                    CREATE TABLE settledUnit (
                        count INTEGER NOT NULL, tally TEXT NOT NULL, unit INTEGER NOT NULL,
                        operations INTEGER NOT NULL, PRIMARY KEY (count, tally, unit)
                    ) WITHOUT ROWID;
                    CREATE TABLE openWindow (
                        count INTEGER NOT NULL, tally TEXT NOT NULL, unit INTEGER NOT NULL, place INTEGER NOT NULL,
                        began INTEGER NOT NULL, outcome BLOB NOT NULL, PRIMARY KEY (count, tally, unit, place)
                    ) WITHOUT ROWID;
                    CREATE TABLE timedCall (
                        count INTEGER NOT NULL, operation BLOB NOT NULL, slot INTEGER NOT NULL,
                        nanoseconds INTEGER NOT NULL, PRIMARY KEY (count, operation, slot)
                    ) WITHOUT ROWID;
                    """
            )
        }
        migrator.registerMigration("states and refused requests") { database in
            try database.execute(
                sql: """
                    CREATE TABLE state (
                        capability BLOB NOT NULL PRIMARY KEY, revision INTEGER NOT NULL, bytes BLOB NOT NULL
                    ) WITHOUT ROWID;
                    CREATE TABLE receiver (name BLOB NOT NULL PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
                    CREATE TABLE refusal (
                        number INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, bytes BLOB NOT NULL
                    );
                    """
            )
        }
        migrator.registerMigration("breakers of devices") { database in
            try database.execute(
                sql: """
                    ALTER TABLE entry ADD COLUMN isNotice INTEGER NOT NULL DEFAULT 0;
                    CREATE TABLE deviceCount (
                        capability BLOB NOT NULL PRIMARY KEY, epoch INTEGER NOT NULL, bytes BLOB NOT NULL
                    ) WITHOUT ROWID;
                    CREATE TABLE deviceBreaker (
                        capability BLOB NOT NULL, side TEXT NOT NULL, operation INTEGER NOT NULL, device INTEGER NOT NULL,
                        number INTEGER NOT NULL, isOpen INTEGER NOT NULL, since INTEGER NOT NULL, heard INTEGER NOT NULL,
                        PRIMARY KEY (capability, side, operation, device)
                    ) WITHOUT ROWID;
                    """
            )
        }
        migrator.registerMigration("latencies of devices") { database in
            try database.execute(
                sql: """
                    ALTER TABLE deviceCount ADD COLUMN latencies BLOB;
                    CREATE TABLE deviceLatency (
                        capability BLOB NOT NULL, device INTEGER NOT NULL, bytes BLOB NOT NULL,
                        PRIMARY KEY (capability, device)
                    ) WITHOUT ROWID;
                    """
            )
        }
        migrator.registerMigration("samples of devices") { database in
            try database.execute(
                sql: """
                    CREATE TABLE deviceSample (
                        capability BLOB NOT NULL, operation INTEGER NOT NULL, field BLOB NOT NULL, bytes BLOB NOT NULL,
                        at INTEGER NOT NULL, PRIMARY KEY (capability, operation, field, bytes)
                    ) WITHOUT ROWID;
                    """
            )
        }
        migrator.registerMigration("reports of the team") { database in
            try database.execute(
                sql: """
                    CREATE TABLE publication (
                        number INTEGER PRIMARY KEY AUTOINCREMENT, capability BLOB NOT NULL, kind TEXT NOT NULL,
                        id BLOB NOT NULL, bytes BLOB NOT NULL, UNIQUE (capability, kind, id)
                    );
                    CREATE TABLE teamReport (
                        capability BLOB NOT NULL, kind TEXT NOT NULL, bytes BLOB NOT NULL,
                        PRIMARY KEY (capability, kind)
                    );
                    """
            )
        }
        migrator.registerMigration("evidence over time") { database in
            try database.execute(
                sql: "CREATE TABLE evidenceSeries (capability BLOB NOT NULL PRIMARY KEY, bytes BLOB NOT NULL)"
            )
        }
        migrator.registerMigration("enrolled installations") { database in
            try database.execute(
                sql: """
                    CREATE TABLE installation (
                        id BLOB NOT NULL PRIMARY KEY, publicKey BLOB NOT NULL, isAttested INTEGER NOT NULL,
                        at INTEGER NOT NULL
                    ) WITHOUT ROWID;
                    CREATE TABLE installationUnit (
                        capability BLOB NOT NULL, epoch INTEGER NOT NULL, installation BLOB NOT NULL,
                        unit INTEGER NOT NULL, PRIMARY KEY (capability, epoch, installation, unit)
                    ) WITHOUT ROWID;
                    """
            )
        }
        migrator.registerMigration("evidence as rows", migrate: makeRows)
        return migrator
    }
}
#endif
