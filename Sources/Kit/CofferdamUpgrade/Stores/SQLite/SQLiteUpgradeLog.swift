#if SQLite
    import Cofferdam
    import Foundation
    import GRDB

    /// The audit log of upgrades and how their evidence grew, in one SQLite file that several processes may use.
    ///
    /// The file may be removed or replaced while it is open: the next call notices, and goes on with what is at the path, or
    /// with a new file. What is acknowledged is in the file that is at the path then; what only the old one had is gone: the
    /// history but for its last line, what was counted, and which units have written.
    public final class SQLiteUpgradeLog: EvidenceLog {
        let path: String
        private let file: Mutex<UpgradeLogFile>
        let jobs = DiskQueue(label: "cofferdam.upgrade.log")
        private let keptSnapshots: Int

        /// - Parameters:
        ///   - path: the file, made if it is missing.
        ///   - keptSnapshots: how many are kept of each capability, at least 1; less is taken as 1.
        /// - Throws: ``UpgradeStoreError``: `unreadable` for a file of somebody else's or of a newer version, `unavailable`.
        public init(path: String, keptSnapshots: Int = EvidenceSnapshot.keptByDefault) throws {
            self.path = path
            self.keptSnapshots = max(1, keptSnapshots)
            file = Mutex(try Self.converting(path) { try UpgradeLogFile(path: path) })
        }

        /// Opens the file when it is first needed: what keeps it from being opened is told then.
        ///
        /// - Parameter directory: of the file, made if it is missing, for this account of the system alone.
        init(openingLater path: String, making directory: String) {
            self.path = path
            keptSnapshots = EvidenceSnapshot.keptByDefault
            file = Mutex(UpgradeLogFile(openingLater: path, making: directory))
        }

        // MARK: The audit log

        /// Adds a line, unless one with its id is there.
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

        func reading<Value: Sendable>(_ body: (Database) throws -> Value) throws -> Value {
            try Self.converting(path) { try file.withLock { try $0.read(body) } }
        }

        /// In one transaction.
        func writing<Value: Sendable>(_ body: (Database) throws -> Value) throws -> Value {
            try Self.converting(path) { try file.withLock { try $0.write { database, _ in try body(database) } } }
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
            } catch is DirectoryLock.Busy {
                throw UpgradeStoreError(
                    .unavailable,
                    "another process does not let go of the directory",
                    subject: path
                )
            } catch let error as RemovalFailure {
                throw UpgradeStoreError(.unavailable, "\(error)", subject: path, cause: error)
            }
        }
    }
#endif
