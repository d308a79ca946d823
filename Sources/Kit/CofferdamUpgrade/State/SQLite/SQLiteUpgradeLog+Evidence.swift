#if SQLite
    import Foundation
    import GRDB

    extension SQLiteUpgradeLog: EvidenceStore {
        /// In one transaction. Where two builds of the app count at a time, each begins anew over the other's.
        @discardableResult
        public func save(_ changes: EvidenceChanges, of capability: String) async throws -> EvidenceTotals {
            let capability = Self.key(capability)
            return try await jobs.run { [self] in
                try writing { database in
                    var saving = SavingEvidence(capability, database, try record(of: capability, database), changes)
                    try saving.save()
                    try database.execute(
                        sql: "INSERT OR REPLACE INTO evidence (capability, epoch, bytes) VALUES (?, ?, ?)",
                        arguments: [
                            capability, saving.record.epoch,
                            try JSONEncoder.ofUpgrades(isForPeople: false).encode(saving.record),
                        ]
                    )
                    return EvidenceTotals(record: saving.record)
                }
            }
        }

        private func record(of capability: Data, _ database: Database) throws -> EvidenceRecord? {
            try Data.fetchOne(
                database,
                sql: "SELECT bytes FROM evidence WHERE capability = ?",
                arguments: [capability]
            ).map { try decode(EvidenceRecord.self, $0) }
        }

        public func saved(of capability: String) async throws -> SavedEvidence? {
            let capability = Self.key(capability)
            return try await jobs.run { [self] in
                try reading { database in
                    guard let record = try record(of: capability, database) else { return nil }
                    var saved = SavedEvidence(record: record, units: [:], durations: [])
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
