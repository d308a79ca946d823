#if Server
    import CofferdamUpgrade
    import Foundation

    /// Backups of a server's database.
    public enum ServerBackup {
        /// Copies the database as it is at one moment, while a server may use it. What was acknowledged before is in it.
        ///
        /// - Parameter file: must not exist; it is whole, or not there.
        /// - Throws: ``ControlPlaneError`` with `database`.
        public static func write(_ database: String, to file: String) throws(ControlPlaneError) {
            do { try UpgradeLogBackup.copy(database, to: file) } catch {
                throw ControlPlaneError(.database, "the backup: \(error)")
            }
        }

        /// Puts a backup in the place of the database. Devices that have followed later changes follow the restored
        /// state too: it has a later revision and a new epoch, whose evidence begins anew.
        ///
        /// - Parameter replacing: whether a database that is there already is replaced.
        /// - Throws: ``ControlPlaneError`` with `database`: a server uses it, or the backup is damaged, of another
        ///   application or of a newer version. Then the database is as it was.
        public static func restore(
            _ file: String,
            to database: String,
            replacing: Bool = false
        ) throws(ControlPlaneError) {
            do {
                let ownership = try FileOwnership(of: database)
                defer { ownership.release() }
                guard replacing || !FileManager.default.fileExists(atPath: database) else {
                    throw UpgradeStoreError(.unavailable, "the file exists already", subject: database)
                }
                try UpgradeLogBackup.restore(file, to: database, now: WallTime.now() / 1_000)
            } catch {
                throw ControlPlaneError(.database, "the backup: \(error)")
            }
        }
    }
#endif
