#if Server
import CofferdamUpgrade
import Foundation
import GRDB

/// A published report that another one has replaced, as stored.
struct EarlierReport: Sendable {
    var publication: Publication
    var json: [UInt8]
}

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
    /// Replaces the last report of the same kind, in one transaction with its publication. A publication whose id is known, or whose
    /// report is the last one, changes nothing.
    ///
    /// - Parameters:
    ///   - limit: how many publications of each kind are kept; the oldest are removed.
    ///   - reports: how many reports of this kind are kept, with the last one.
    /// - Returns: the publication, or the existing one.
    func publish(
        _ report: TeamReport,
        _ publication: Publication,
        keeping limit: Int,
        reports: Int
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
                if let last, last.publication.sha256 == publication.sha256 { return last.publication }
                try database.execute(
                    sql: "INSERT INTO publication (capability, kind, id, bytes) VALUES (?, ?, ?, ?)",
                    arguments: key + [
                        Self.key(publication.id),
                        try JSONEncoder.ofUpgrades(isForPeople: false).encode(publication),
                    ]
                )
                if let last {
                    try database.execute(
                        sql: "UPDATE teamReport SET kind = ? WHERE capability = ? AND kind = ?",
                        arguments: ["\(report.kind.rawValue) \(last.number)"] + key
                    )
                }
                try database.execute(
                    sql: "INSERT INTO teamReport (capability, kind, bytes) VALUES (?, ?, ?)",
                    arguments: key + [Data(report.json)]
                )
                try database.execute(
                    sql: """
                        DELETE FROM teamReport WHERE capability = ? AND kind IN (
                            SELECT kind || ' ' || number FROM publication WHERE capability = ? AND kind = ?
                            ORDER BY number DESC LIMIT -1 OFFSET ?
                        )
                        """,
                    arguments: [Self.key(report.capability)] + key + [max(1, reports)]
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
                guard let bytes, let last = try lastPublication(key, database) else { return nil }
                return (last.publication, TeamReport(kind, of: capability, json: Array(bytes)))
            }
        }
    }

    /// The publications of a kind whose reports are kept although others have replaced them, newest first.
    func earlierPublications(_ kind: TeamReport.Kind, of capability: String) async throws -> [Publication] {
        try await jobs.run { [self] in
            try reading { database in
                try Data.fetchAll(
                    database,
                    sql: "SELECT publication.bytes \(Self.earlier) ORDER BY number DESC",
                    arguments: [Self.key(capability), kind.rawValue]
                ).map { try decode(Publication.self, $0) }
            }
        }
    }

    /// A report that another one has replaced; nil if it is not kept.
    func earlierReport(_ publication: Publication, of capability: String) async throws -> EarlierReport? {
        try await jobs.run { [self] in
            try reading { database in
                try Data.fetchOne(
                    database,
                    sql: "SELECT teamReport.bytes \(Self.earlier) AND id = ?",
                    arguments: [Self.key(capability), publication.kind.rawValue, Self.key(publication.id)]
                ).map { EarlierReport(publication: publication, json: Array($0)) }
            }
        }
    }

    /// The last report has its kind's name, and each earlier one also the number of its publication.
    private static let earlier = """
        FROM publication JOIN teamReport ON teamReport.capability = publication.capability
        AND teamReport.kind = publication.kind || ' ' || number
        WHERE publication.capability = ? AND publication.kind = ?
        """

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

    private func lastPublication(
        _ key: StatementArguments,
        _ database: Database
    ) throws -> (number: Int64, publication: Publication)? {
        try Row.fetchOne(
            database,
            sql: "SELECT number, bytes FROM publication WHERE capability = ? AND kind = ? ORDER BY number DESC LIMIT 1",
            arguments: key
        ).map { ($0[0], try decode(Publication.self, $0[1])) }
    }
}
#endif
