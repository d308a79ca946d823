#if Server
import CofferdamUpgrade
import Foundation
import GRDB

extension SQLiteUpgradeLog {
    /// Replaces the stored series of a capability's evidence.
    func keep(_ series: EvidenceSeries, of capability: String) async throws {
        let bytes = try JSONEncoder.ofUpgrades(isForPeople: false).encode(series)
        try await jobs.run { [self] in
            try writing { database in
                try database.execute(
                    sql: "INSERT OR REPLACE INTO evidenceSeries (capability, bytes) VALUES (?, ?)",
                    arguments: [Self.key(capability), bytes]
                )
            }
        }
    }

    /// The stored series of a capability's evidence; nil if there is none.
    func series(of capability: String) async throws -> EvidenceSeries? {
        try await jobs.run { [self] in
            try reading { database in
                try Data.fetchOne(
                    database,
                    sql: "SELECT bytes FROM evidenceSeries WHERE capability = ?",
                    arguments: [Self.key(capability)]
                ).map { try decode(EvidenceSeries.self, $0) }
            }
        }
    }
}
#endif
