#if SQLite
    import Foundation
    import GRDB

    /// The audit log of upgrades and how their evidence grew, in one SQLite file that several processes may use.
    public final class SQLiteUpgradeLog: EvidenceLog {
        let path: String
        let database: DatabaseQueue
        let jobs = DiskQueue(label: "cofferdam.upgrade.log")
        private let keptSnapshots: Int

        /// - Parameters:
        ///   - path: the file, made if it is missing.
        ///   - keptSnapshots: how many are kept of each capability, at least 1; less is taken as 1.
        /// - Throws: ``UpgradeStoreError``: `unreadable` for a file of somebody else's or of a newer version, `unavailable`.
        public init(path: String, keptSnapshots: Int = EvidenceSnapshot.keptByDefault) throws {
            self.path = path
            self.keptSnapshots = max(1, keptSnapshots)
            database = try Self.converting(path) {
                var settings = Configuration()
                // Another process may be writing.
                settings.busyMode = .timeout(5)
                let database = try DatabaseQueue(path: path, configuration: settings)
                try UpgradeLogLayout(path: path).apply(to: database)
                return database
            }
        }

        // MARK: The audit log

        /// Adds a line, unless one with its id is there.
        func add(_ entry: AuditEntry) throws {
            let bytes = try JSONEncoder.ofUpgrades(isForPeople: false).encode(entry)
            try writing { database in
                try database.execute(
                    sql: "INSERT INTO entry (capability, id, at, bytes) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                    arguments: [Self.key(entry.capability), Self.key(entry.id), entry.request.at, bytes]
                )
            }
        }

        func entry(_ id: String, of capability: String) async throws -> AuditEntry? {
            let entries: [AuditEntry] = try await rows(
                "SELECT bytes FROM entry WHERE capability = ? AND id = ?",
                [Self.key(capability), Self.key(id)]
            )
            return entries.first
        }

        /// The newest first.
        func history(of capability: String, last count: Int) async throws -> [AuditEntry] {
            try await rows(
                "SELECT bytes FROM entry WHERE capability = ? ORDER BY number DESC LIMIT ?",
                [Self.key(capability), max(0, count)]
            )
        }

        // MARK: How the evidence grew

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

        public func snapshots(of capability: String, epoch: Int?, last count: Int) async throws -> [EvidenceSnapshot] {
            try await rows(
                """
                SELECT bytes FROM snapshot WHERE capability = ? AND epoch = coalesce(?, epoch)
                ORDER BY number DESC LIMIT ?
                """,
                [Self.key(capability), epoch, max(0, count)]
            ).reversed()
        }

        // MARK: How it is done

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

        func decode<Content: Decodable>(_ type: Content.Type, _ bytes: Data) throws -> Content {
            do {
                return try JSONDecoder.ofUpgrades.decode(type, from: bytes)
            } catch {
                throw UpgradeStoreError(.unreadable, "a row holds no \(type)", subject: path, cause: error)
            }
        }

        func reading<Value>(_ body: (Database) throws -> Value) throws -> Value {
            try Self.converting(path) { try database.read(body) }
        }

        /// In one transaction.
        func writing<Value>(_ body: (Database) throws -> Value) throws -> Value {
            try Self.converting(path) { try database.write(body) }
        }

        /// Text as its bytes: SQLite ends a text at its first zero.
        static func key(_ text: String) -> Data { Data(text.utf8) }

        private static func converting<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
            do {
                return try body()
            } catch let error as DatabaseError {
                let isUnreadable = [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR].contains(error.resultCode)
                throw UpgradeStoreError(
                    isUnreadable ? .unreadable : .unavailable,
                    "SQLite's error \(error.extendedResultCode.rawValue): \(error.message ?? "no message")",
                    subject: path,
                    cause: error
                )
            }
        }
    }
#endif
