#if Server
import CofferdamUpgrade
import Foundation
import GRDB

/// An installation that has enrolled at a server.
struct EnrolledInstallation: Sendable, Hashable {
    let id: String
    /// A P-256 key for signatures, in the format of X9.63.
    let publicKey: Data
    let isAttested: Bool
}

extension SQLiteUpgradeLog {
    /// Keeps an installation. One that was attested before stays so.
    ///
    /// - Parameter now: milliseconds since 1970.
    /// - Returns: the installation as it is kept.
    func enrol(_ installation: EnrolledInstallation, at now: Int64) async throws -> EnrolledInstallation {
        try await jobs.run { [self] in
            try writing { database in
                try database.execute(
                    sql: """
                        INSERT INTO installation (id, publicKey, isAttested, at) VALUES (?, ?, ?, ?)
                        ON CONFLICT DO UPDATE SET isAttested = max(isAttested, excluded.isAttested)
                        """,
                    arguments: [
                        Self.key(installation.id), installation.publicKey, installation.isAttested, now,
                    ]
                )
                return try Self.installation(installation.id, database) ?? installation
            }
        }
    }

    /// The installation with that id; nil if none has enrolled under it.
    func installation(_ id: String) async throws -> EnrolledInstallation? {
        try await jobs.run { [self] in try reading { try Self.installation(id, $0) } }
    }

    private static func installation(_ id: String, _ database: Database) throws -> EnrolledInstallation? {
        try Row.fetchOne(
            database,
            sql: "SELECT publicKey, isAttested FROM installation WHERE id = ?",
            arguments: [key(id)]
        ).map { EnrolledInstallation(id: id, publicKey: $0[0], isAttested: $0[1]) }
    }

    /// Decides for which units each installation counts in an epoch: the first ones that it reports.
    ///
    /// - Parameters:
    ///   - reported: installations and the units that they report, in this order.
    ///   - limit: the maximum number of units of one installation.
    /// - Returns: for each of `reported`, the units that count.
    func admit(
        _ reported: [(installation: String, units: [UInt64])],
        of capability: String,
        epoch: Int,
        limit: Int
    ) async throws -> [Set<UInt64>] {
        try await jobs.run { [self] in
            try writing { database in
                try database.execute(
                    sql: "DELETE FROM installationUnit WHERE capability = ? AND epoch < ?",
                    arguments: [Self.key(capability), epoch]
                )
                let known = try database.cachedStatement(
                    sql: """
                        SELECT unit FROM installationUnit WHERE capability = ? AND epoch = ? AND installation = ?
                        """
                )
                let added = try database.cachedStatement(
                    sql: "INSERT INTO installationUnit (capability, epoch, installation, unit) VALUES (?, ?, ?, ?)"
                )
                return try reported.map { installation, units in
                    let place: StatementArguments = [Self.key(capability), epoch, Self.key(installation)]
                    var admitted = Set(
                        try Int64.fetchAll(known, arguments: place).map { UInt64(bitPattern: $0) }
                    )
                    for unit in units where admitted.count < limit && admitted.insert(unit).inserted {
                        try added.execute(arguments: place + [Int64(bitPattern: unit)])
                    }
                    return admitted
                }
            }
        }
    }
}
#endif
