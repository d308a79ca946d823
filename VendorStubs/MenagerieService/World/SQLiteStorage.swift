#if Sandbox
#if SQLite
import Foundation
import GRDB

/// A world in one SQLite file.
final class SQLiteStorage: Storage {
    private let database: DatabaseQueue

    init(path: String) throws {
        var configuration = Configuration()
        configuration.journalMode = .wal
        // Two services on one file would overwrite each other's data.
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
        database = try DatabaseQueue(path: path, configuration: configuration)
        try database.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS entry (
                        part TEXT NOT NULL, position INTEGER NOT NULL, value BLOB NOT NULL,
                        PRIMARY KEY (part, position)
                    ) WITHOUT ROWID
                    """
            )
        }
    }

    // It only fails during a statement, and none outlives its call.
    func close() { try? database.close() }

    func values(of part: String) throws -> [(position: Int, value: [UInt8])] {
        try database.read { database in
            let rows = try Row.fetchAll(
                database,
                sql: "SELECT position, value FROM entry WHERE part = ? ORDER BY position",
                arguments: [part]
            )
            return rows.map { row in
                let value: Data = row["value"]
                return (row["position"], [UInt8](value))
            }
        }
    }

    func apply(_ changes: [StorageChange]) throws {
        try database.write { database in
            for change in changes {
                switch change {
                case .clear(let part):
                    try database.execute(sql: "DELETE FROM entry WHERE part = ?", arguments: [part])
                case .put(let part, let position, let value):
                    try database.execute(
                        sql: "INSERT OR REPLACE INTO entry (part, position, value) VALUES (?, ?, ?)",
                        arguments: [part, position, Data(value)]
                    )
                }
            }
        }
    }
}
#endif
#endif
