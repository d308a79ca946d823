#if SQLite
    import Foundation
    import GRDB

    extension SQLiteUpgradeLog: EvidenceStore {
        /// In one transaction. One process counts a capability's units in one file: what two have counted does not add up.
        public func save(_ changes: EvidenceChanges, of capability: String) async throws {
            let bytes = try JSONEncoder.ofUpgrades(isForPeople: false).encode(changes.record)
            let capability = Self.key(capability)
            try await jobs.run { [self] in
                try writing { database in
                    try database.execute(
                        sql: "INSERT OR REPLACE INTO evidence (capability, epoch, bytes) VALUES (?, ?, ?)",
                        arguments: [capability, changes.record.epoch, bytes]
                    )
                    for (name, tally) in changes.tallies {
                        try Self.save(tally, name, capability, database)
                    }
                    let statement = try database.cachedStatement(
                        sql: "INSERT OR REPLACE INTO duration (capability, slot, nanoseconds) VALUES (?, ?, ?)"
                    )
                    for (slot, nanoseconds) in changes.durations {
                        try statement.execute(arguments: [capability, slot, nanoseconds])
                    }
                }
            }
        }

        private static func save(
            _ tally: TallyChanges,
            _ name: String,
            _ capability: Data,
            _ database: Database
        ) throws {
            if tally.isWhole {
                try database.execute(
                    sql: "DELETE FROM unit WHERE capability = ? AND tally = ?",
                    arguments: [capability, name]
                )
            }
            let statement = try database.cachedStatement(
                sql: "INSERT OR REPLACE INTO unit (capability, tally, key, calls, worst) VALUES (?, ?, ?, ?, ?)"
            )
            for unit in tally.units {
                let key = Int64(bitPattern: unit.key)
                try statement.execute(arguments: [capability, name, key, unit.calls, unit.worst.map(Self.key)])
            }
        }

        public func saved(of capability: String) async throws -> SavedEvidence? {
            let capability = Self.key(capability)
            return try await jobs.run { [self] in
                try reading { database in
                    guard
                        let bytes = try Data.fetchOne(
                            database,
                            sql: "SELECT bytes FROM evidence WHERE capability = ?",
                            arguments: [capability]
                        )
                    else { return nil }
                    var saved = SavedEvidence(record: try decode(EvidenceRecord.self, bytes), units: [:], durations: [])
                    let rows = try Row.fetchCursor(
                        database,
                        sql: "SELECT tally, key, calls, worst FROM unit WHERE capability = ? ORDER BY number",
                        arguments: [capability]
                    )
                    while let row = try rows.next() {
                        let (name, unit) = try self.unit(row)
                        saved.units[name, default: []].append(unit)
                    }
                    saved.durations = try Int64.fetchAll(
                        database,
                        sql: "SELECT nanoseconds FROM duration WHERE capability = ? ORDER BY slot",
                        arguments: [capability]
                    )
                    return saved
                }
            }
        }

        private func unit(_ row: Row) throws -> (String, TallyChanges.Unit) {
            guard let name = String.fromDatabaseValue(row[0]), let key = Int64.fromDatabaseValue(row[1]),
                let calls = Int.fromDatabaseValue(row[2])
            else { throw UpgradeStoreError(.unreadable, "a row of a unit holds something else", subject: path) }
            let worst = Data.fromDatabaseValue(row[3]).map { String(decoding: $0, as: UTF8.self) }
            return (name, TallyChanges.Unit(key: UInt64(bitPattern: key), calls: calls, worst: worst))
        }
    }
#endif
