#if Server
import CofferdamUpgrade
import Foundation
import GRDB

/// The record that a report was published: when, and by whom.
struct Publication: Sendable, Hashable, Codable {
    /// Publishing again under the same id changes nothing.
    var id: String
    var kind: TeamReport.Kind
    /// In milliseconds since 1970.
    var at: Int64
    /// The name of the token.
    var by: String
    /// The digest of the report, in hexadecimal digits.
    var sha256: String
    /// The length of the report, in bytes.
    var size: Int
}

extension SQLiteUpgradeLog {
    /// Replaces the last report of the same kind, and keeps that one, in one transaction with its publication. A publication whose id
    /// is known, or whose report is the last one, changes nothing.
    ///
    /// - Parameter limit: how many publications of each kind are kept; the oldest are removed.
    /// - Returns: the publication, or the existing one.
    func publish(
        _ report: TeamReport,
        _ publication: Publication,
        keeping limit: Int
    ) async throws -> Publication {
        try await jobs.run { [self] in
            try writing { database in
                let key: StatementArguments = [Self.key(report.capability), report.kind.rawValue]
                let known = try Data.fetchOne(
                    database,
                    sql: "SELECT bytes FROM publication WHERE capability = ? AND kind = ? AND id = ?",
                    arguments: key + [Self.key(publication.id)]
                )
                if let known { return try decode(Publication.self, known) }
                let last = try lastPublication(key, database)
                if let last, last.sha256 == publication.sha256 { return last }
                try database.execute(
                    sql: "INSERT INTO publication (capability, kind, id, bytes) VALUES (?, ?, ?, ?)",
                    arguments: key + [
                        Self.key(publication.id),
                        try JSONEncoder.ofUpgrades(isForPeople: false).encode(publication),
                    ]
                )
                try database.execute(
                    sql: """
                        INSERT OR REPLACE INTO teamReport (capability, kind, bytes)
                        SELECT capability, ?, bytes FROM teamReport WHERE capability = ? AND kind = ?
                        """,
                    arguments: [Self.before(report.kind)] + key
                )
                try database.execute(
                    sql: "INSERT OR REPLACE INTO teamReport (capability, kind, bytes) VALUES (?, ?, ?)",
                    arguments: key + [Data(report.json)]
                )
                try database.execute(
                    sql: """
                        DELETE FROM publication WHERE capability = ? AND kind = ? AND number <= (
                            SELECT number FROM publication WHERE capability = ? AND kind = ?
                            ORDER BY number DESC LIMIT 1 OFFSET ?
                        )
                        """,
                    arguments: key + key + [max(1, limit)]
                )
                return publication
            }
        }
    }

    /// The last report of a kind, with its publication; nil if there is none.
    func report(
        _ kind: TeamReport.Kind,
        of capability: String
    ) async throws -> (publication: Publication, report: TeamReport)? {
        try await jobs.run { [self] in
            try reading { database in
                let key: StatementArguments = [Self.key(capability), kind.rawValue]
                let bytes = try Data.fetchOne(
                    database,
                    sql: "SELECT bytes FROM teamReport WHERE capability = ? AND kind = ?",
                    arguments: key
                )
                guard let bytes, let publication = try lastPublication(key, database) else { return nil }
                return (publication, TeamReport(kind, of: capability, json: Array(bytes)))
            }
        }
    }

    /// The report of a kind before the last one, as stored; nil if there is none.
    func reportBefore(_ kind: TeamReport.Kind, of capability: String) async throws -> [UInt8]? {
        try await jobs.run { [self] in
            try reading { database in
                try Data.fetchOne(
                    database,
                    sql: "SELECT bytes FROM teamReport WHERE capability = ? AND kind = ?",
                    arguments: [Self.key(capability), Self.before(kind)]
                ).map { Array($0) }
            }
        }
    }

    private static func before(_ kind: TeamReport.Kind) -> String { "\(kind.rawValue) before" }

    /// The last publications of a capability, newest first.
    func publications(of capability: String, last count: Int) async throws -> [Publication] {
        try await jobs.run { [self] in
            try reading { database in
                try Data.fetchAll(
                    database,
                    sql: "SELECT bytes FROM publication WHERE capability = ? ORDER BY number DESC LIMIT ?",
                    arguments: [Self.key(capability), max(0, count)]
                ).map { try decode(Publication.self, $0) }
            }
        }
    }

    private func lastPublication(_ key: StatementArguments, _ database: Database) throws -> Publication? {
        try Data.fetchOne(
            database,
            sql: "SELECT bytes FROM publication WHERE capability = ? AND kind = ? ORDER BY number DESC LIMIT 1",
            arguments: key
        ).map { try decode(Publication.self, $0) }
    }
}
#endif
