#if Server
import CofferdamUpgrade
import Foundation

/// Backups of a server's database.
package enum ServerBackup {
    /// Copies the database as of one moment, even while a server uses it. Everything acknowledged before is in the
    /// copy, and its SHA-256.
    ///
    /// - Parameter file: must not exist. It is written completely or not at all.
    /// - Throws: ``ControlPlaneError`` with `database`.
    package static func write(_ database: String, to file: String) throws(ControlPlaneError) {
        do { try UpgradeLogBackup.copy(database, to: file) } catch {
            throw ControlPlaneError(.database, "the backup: \(error)")
        }
    }

    /// Replaces the database with a backup. Devices that have followed later changes follow the restored state too:
    /// it has a later revision, and a new epoch with no evidence yet.
    ///
    /// - Parameters:
    ///   - database: the file, or a symbolic link to it. It keeps its owner and its mode.
    ///   - replacing: whether to replace an existing database.
    ///   - withoutChecksum: whether to accept a backup without checking its SHA-256.
    /// - Throws: ``ControlPlaneError`` with `database` if a server uses the database, or the backup is damaged,
    ///   without a checksum, from another application or from a newer version. The database is unchanged then.
    package static func restore(
        _ file: String,
        to database: String,
        replacing: Bool = false,
        withoutChecksum: Bool = false
    ) throws(ControlPlaneError) {
        do {
            let ownership = try FileOwnership(of: database)
            defer { ownership.release() }
            guard replacing || !FileManager.default.fileExists(atPath: ownership.path) else {
                throw UpgradeStoreError(.unavailable, "the file already exists", subject: database)
            }
            try UpgradeLogBackup.restore(
                file,
                to: ownership.path,
                withoutChecksum: withoutChecksum,
                now: WallTime.now() / 1_000
            )
        } catch {
            throw ControlPlaneError(.database, "the backup: \(error)")
        }
    }
}
#endif
