#if SQLite
    import GRDB

    /// Remembers on the disk, for all processes that use the file. Of a unit's name only 64 bits are kept: one in some thousand
    /// million million is taken for another, and then read on the candidate's side alone.
    extension SQLiteUpgradeLog: UnitMemory {
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
