#if SQLite
    import Foundation
    import GRDB

    extension SQLiteUpgradeLog: EvidenceStore {
        @discardableResult
        public func save(_ changes: EvidenceChanges, of capability: String) async throws -> EvidenceTotals {
            try await jobs.run { [self] in
                try writing { database in
                    var saving = SavingEvidence(capability, database) { try self.decode(EvidenceRecord.self, $0) }
                    return EvidenceTotals(record: try saving.save(changes))
                }
            }
        }

        public func saved(of capability: String, under key: EpochKey) async throws -> SavedEvidence? {
            try await jobs.run { [self] in
                try reading { database in
                    let saving = SavingEvidence(capability, database) { try self.decode(EvidenceRecord.self, $0) }
                    return try saving.saved(under: key)
                }
            }
        }

        public func newestEpoch(of capability: String) async throws -> Int? {
            try await jobs.run { [self] in
                try reading { database in
                    try Int.fetchOne(
                        database,
                        sql: "SELECT max(epoch) FROM counting WHERE capability = ?",
                        arguments: [Self.key(capability)]
                    )
                }
            }
        }
    }
#endif
