#if SQLite
    import Foundation
    import GRDB

    /// A cache in one SQLite file, or in memory. A write that has returned survives the end of the process, and one that was
    /// cut off leaves what was there before.
    public final class SQLiteCache: ModelCache {
        private let database: DatabaseQueue

        /// - Parameter path: the file, made if it is missing; nil keeps the cache in memory.
        /// - Throws: GRDB's error if the file cannot be opened or is no such cache.
        public init(path: String?) throws {
            database = try path.map { try DatabaseQueue(path: $0) } ?? DatabaseQueue()
            var migrator = DatabaseMigrator()
            migrator.registerMigration("entries") { database in
                try database.create(table: "entry") { table in
                    table.primaryKey("key", .text)
                    table.column("bytes", .blob).notNull()
                }
            }
            try migrator.migrate(database)
        }

        public func bytes(for key: String) async throws -> [UInt8]? {
            try await database.read { database in
                let data = try Data.fetchOne(database, sql: "SELECT bytes FROM entry WHERE key = ?", arguments: [key])
                return data.map { [UInt8]($0) }
            }
        }

        public func set(_ bytes: [UInt8]?, for key: String) async throws {
            try await database.write { database in
                if let bytes {
                    try database.execute(
                        sql: "INSERT OR REPLACE INTO entry (key, bytes) VALUES (?, ?)",
                        arguments: [key, Data(bytes)]
                    )
                } else {
                    try database.execute(sql: "DELETE FROM entry WHERE key = ?", arguments: [key])
                }
            }
        }

        public func removeAll() async throws {
            try await database.write { database in
                try database.execute(sql: "DELETE FROM entry")
            }
        }
    }
#endif
