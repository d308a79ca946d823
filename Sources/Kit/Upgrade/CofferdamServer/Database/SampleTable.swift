#if Server
import Cofferdam
import CofferdamUpgrade
import Foundation
import GRDB

/// A few mismatches of each operation, from all devices: the first ones, each once.
struct SampleTable {
    private let key: Data
    private let database: Database

    init(_ key: Data, _ database: Database) { (self.key, self.database) = (key, database) }

    /// - Parameter place: of an operation; nil if there are too many.
    func save(_ reports: [EvidenceReport], _ limits: DeviceLimits, at now: Int64, place: (String) -> Int?) throws {
        for sample in reports.flatMap({ $0.samples ?? [] }) {
            guard let place = place(sample.operation) else { continue }
            let field = Difference(subject: "", path: sample.path, legacy: nil, candidate: nil).pathWithoutIndices
            let counts = try Row.fetchOne(
                database,
                sql: """
                    SELECT count(*), coalesce(sum(field = ?), 0) FROM deviceSample
                    WHERE capability = ? AND operation = ?
                    """,
                arguments: [Data(field.utf8), key, place]
            )
            guard let counts, counts[0] < limits.maxSamples, counts[1] < limits.maxSamplesOfField else { continue }
            let encoder = JSONEncoder.ofUpgrades(isForPeople: false)
            encoder.outputFormatting.insert(.sortedKeys)
            try database.execute(
                sql: """
                    INSERT INTO deviceSample (capability, operation, field, bytes, at) VALUES (?, ?, ?, ?, ?)
                    ON CONFLICT DO NOTHING
                    """,
                arguments: [key, place, Data(field.utf8), try encoder.encode(sample), now]
            )
        }
    }

    /// All kept mismatches, by operation and field.
    func samples() throws -> [MismatchSample] {
        try Row.fetchAll(
            database,
            sql: "SELECT bytes, at FROM deviceSample WHERE capability = ? ORDER BY operation, field, at, bytes",
            arguments: [key]
        )
        .map { row in
            MismatchSample(
                sample: try JSONDecoder.ofUpgrades.decode(EvidenceReport.Sample.self, from: row[0]),
                at: ShownTime.date(millisecondsSince1970: row[1])
            )
        }
    }
}
#endif
