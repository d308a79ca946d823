#if SQLite
import Foundation
import GRDB

/// The layout of a file: its versions, whether a file is ours, and whose it is.
struct CacheLayout {
    /// "CofC": marks the file as a cache of this kit (https://www.sqlite.org/pragma.html#pragma_application_id).
    static let applicationID = 0x436F_6643

    let place: CachePlace
    let configuration: SQLiteCacheConfiguration

    /// Refuses an unsuitable file before anything is changed, or gives it a write-ahead log.
    ///
    /// - Returns: whether there is a log.
    func begin(_ database: DatabaseQueue) throws -> Bool {
        try database.writeWithoutTransaction { database in
            try check(database)
            // Where there is no such log, as in memory or on some network disks, the default is safe.
            guard try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL") == "wal" else { return false }
            // On Apple's systems the order of writes needs the second.
            try database.execute(sql: "PRAGMA synchronous = NORMAL; PRAGMA checkpoint_fullfsync = 1")
            // The first read opens the log.
            _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema")
            return true
        }
    }

    /// Brings a file up to date.
    func migrate(_ database: DatabaseQueue) throws {
        try migrator.migrate(database)
        try database.write(migrateFormat)
    }

    private func check(_ database: Database) throws {
        guard try isOurs(database) else {
            throw CacheError(.foreign, subject: place.name, "the file is a database, but not a cache of this kit")
        }
        guard try !migrator.hasBeenSuperseded(database) else {
            throw CacheError(.newer, subject: place.name, "a newer version of this kit wrote the file")
        }
        guard try database.tableExists("file"), let file = try self.file(database) else { return }
        guard file.format <= configuration.formatVersion else {
            throw CacheError(
                .newer,
                subject: place.name,
                "the entries have format \(file.format), but this app reads formats up to \(configuration.formatVersion)"
            )
        }
        if let owner = file.user, let user = place.user, owner != user {
            throw CacheError(.otherUser, subject: place.name, "the file belongs to another user")
        }
    }

    private func isOurs(_ database: Database) throws -> Bool {
        switch try Int.fetchOne(database, sql: "PRAGMA application_id") {
        case Self.applicationID: return true
        case 0:
            let sql =
                "SELECT name FROM sqlite_schema WHERE name NOT IN ('grdb_migrations', 'entry') AND sql IS NOT NULL"
            guard try String.fetchOne(database, sql: sql) == nil else { return false }
            let applied = try migrator.appliedIdentifiers(database)
            guard try database.tableExists("entry") else { return applied.isEmpty }
            // The first layout had no mark.
            return try applied == ["entries"] && database.columns(in: "entry").map(\.name) == ["key", "bytes"]
        default: return false
        }
    }

    private func file(_ database: Database) throws -> (format: Int, user: String?)? {
        guard let row = try Row.fetchOne(database, sql: "SELECT format, user FROM file") else { return nil }
        guard let format = Int.fromDatabaseValue(row[0]) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the format of the entries is not a number")
        }
        return (format, Data.fromDatabaseValue(row[1]).map { String(decoding: $0, as: UTF8.self) })
    }

    private var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("entries") { database in
            try database.create(table: "entry") { table in
                table.primaryKey("key", .text)
                table.column("bytes", .blob).notNull()
            }
        }
        migrator.registerMigration("times, formats and keys of bytes") { [configuration] database in
            try database.execute(
                sql: """
                    ALTER TABLE entry RENAME TO old;
                    CREATE TABLE entry (key BLOB NOT NULL PRIMARY KEY, bytes BLOB NOT NULL, written INTEGER NOT NULL);
                    CREATE TABLE file (format INTEGER NOT NULL, user BLOB);
                    """
            )
            let (table, now) = (CacheTable(database), configuration.now().boundedMilliseconds)
            let rows = try Row.fetchCursor(database, sql: "SELECT key, bytes FROM old ORDER BY rowid")
            var isEmpty = true
            while let row = try rows.next() {
                guard let key = String.fromDatabaseValue(row[0]), let bytes = Data.fromDatabaseValue(row[1]) else {
                    throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a row has no bytes")
                }
                try table.put([CacheRow(key, [UInt8](bytes))], written: now)
                isEmpty = false
            }
            if !isEmpty { try database.execute(sql: "INSERT INTO file (format) VALUES (1)") }
            try database.execute(sql: "DROP TABLE old; PRAGMA application_id = \(Self.applicationID)")
        }
        return migrator
    }

    private func migrateFormat(_ database: Database) throws {
        let file = try file(database)
        let userBytes = place.user.map { Data($0.utf8) }
        guard let file else {
            return try database.execute(
                sql: "INSERT INTO file (format, user) VALUES (?, ?)",
                arguments: [configuration.formatVersion, userBytes]
            )
        }
        if file.format < configuration.formatVersion {
            try migrateEntries(database, from: file.format)
            try database.execute(sql: "UPDATE file SET format = ?", arguments: [configuration.formatVersion])
        }
        if file.user == nil, userBytes != nil {
            try database.execute(sql: "UPDATE file SET user = ?", arguments: [userBytes])
        }
    }

    private func migrateEntries(_ database: Database, from version: Int) throws {
        let table = CacheTable(database)
        guard let migrate = configuration.migrate else { return try table.removeAll() }
        let seal = configuration.seal
        try table.migrate { bytes, key in
            let old = try seal.map { try $0.open(bytes, key) } ?? bytes
            guard let new = try migrate(old, key, version) else { return nil }
            return try seal.map { try $0.seal(new, key) } ?? new
        }
    }
}
#endif
