#if SQLite
    import Cofferdam
    import Foundation
    import GRDB

    /// Copies the file of a ``SQLiteUpgradeLog`` while others use it, and replaces the file with a copy.
    package enum UpgradeLogBackup {
        /// How far a restored state is ahead of the copied one, so that even devices that have followed later changes
        /// follow it.
        package static let revisions: Int64 = 1_000_000
        package static let epochs = 1_000

        /// Copies the file as it is at one moment, with everything that was written before.
        ///
        /// - Parameter target: a file that does not exist yet. Afterwards it is complete, or does not exist.
        /// - Throws: ``UpgradeStoreError``: `unreadable` for a file of another application or a newer version,
        ///   `unavailable`.
        package static func copy(_ path: String, to target: String) throws {
            guard FileManager.default.fileExists(atPath: path) else {
                throw UpgradeStoreError(.unavailable, "there is no such file", subject: path)
            }
            guard !FileManager.default.fileExists(atPath: target) else {
                throw UpgradeStoreError(.unavailable, "the file exists already: choose another name", subject: target)
            }
            try SQLiteUpgradeLog.converting(path) {
                var settings = Configuration()
                settings.busyMode = .timeout(5)
                let source = try DatabaseQueue(path: path, configuration: settings)
                defer { close(source) }
                try source.read { try UpgradeLogLayout(path: path).check($0, mayBeNew: false) }
                try write(source, to: target) { _ in }
            }
        }

        /// Replaces a file with a copy. No process may use the file meanwhile. The states are those of the copy, with a
        /// later revision and in a new epoch, whose evidence begins anew.
        ///
        /// - Parameter now: seconds since 1970, when the new epochs begin.
        /// - Throws: as ``copy(_:to:)``; the file is then unchanged.
        package static func restore(_ copy: String, to path: String, now: Int64) throws {
            guard FileManager.default.fileExists(atPath: copy) else {
                throw UpgradeStoreError(.unavailable, "there is no such file", subject: copy)
            }
            let new = path + ".restored"
            try SQLiteUpgradeLog.converting(copy) {
                var settings = Configuration()
                settings.readonly = true
                let source = try DatabaseQueue(path: copy, configuration: settings)
                defer { close(source) }
                let layout = UpgradeLogLayout(path: copy)
                try source.read { database in
                    try layout.check(database, mayBeNew: false)
                    let found = try String.fetchAll(database, sql: "PRAGMA integrity_check")
                    guard found == ["ok"] else {
                        throw UpgradeStoreError(.unreadable, "the file is damaged: \(found.first ?? "")", subject: copy)
                    }
                }
                try DatabaseFiles.remove(DatabaseFiles.suffixes.map { new + $0 })
                try write(source, to: new) { database in
                    try layout.migrate(database)
                    try database.write { try SQLiteUpgradeStore.moveAhead($0, now: now) }
                }
            }
            try SQLiteUpgradeLog.converting(path) {
                let directory = (path as NSString).deletingLastPathComponent
                try DirectoryLock(path: directory.isEmpty ? "." : directory).withLock {
                    // SQLite would read the old file's log into the new one.
                    try DatabaseFiles.remove(DatabaseFiles.suffixes.dropFirst().map { path + $0 })
                    try replace(path, by: new)
                }
            }
        }

        /// - Parameter change: is applied before the file gets its name.
        private static func write(
            _ source: DatabaseQueue,
            to target: String,
            _ change: (DatabaseQueue) throws -> Void
        ) throws {
            let new = target + ".new"
            try DatabaseFiles.remove(DatabaseFiles.suffixes.map { new + $0 })
            do {
                let copy = try DatabaseQueue(path: new)
                defer { close(copy) }
                try source.backup(to: copy)
                try change(copy)
                // One file, without a log beside it.
                try copy.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
            } catch {
                try? DatabaseFiles.remove(DatabaseFiles.suffixes.map { new + $0 })
                throw error
            }
            try replace(target, by: new)
        }

        /// Replaces the file. When this returns, the new file is on disk under the final name.
        private static func replace(_ path: String, by new: String) throws {
            for step in [new, nil, (path as NSString).deletingLastPathComponent] {
                guard let step else {
                    guard rename(new, path) == 0 else { throw failure("cannot be replaced", path) }
                    continue
                }
                let file = open(step.isEmpty ? "." : step, O_RDONLY | O_CLOEXEC)
                guard file >= 0 else { throw failure("cannot be opened", step) }
                let isOnDisk = fsync(file) == 0
                Foundation.close(file)
                guard isOnDisk else { throw failure("cannot be synced to the disk", step) }
            }
        }

        private static func failure(_ what: String, _ path: String) -> UpgradeStoreError {
            UpgradeStoreError(.unavailable, "\(what): \(String(cString: strerror(errno)))", subject: path)
        }

        /// Closing only fails during a statement, and none outlives its call.
        private static func close(_ database: DatabaseQueue) { try? database.close() }
    }

    /// The ownership of a file by one process, until the process releases it or ends.
    package final class FileOwnership: Sendable {
        private let file: Mutex<Int32?>

        /// - Parameter path: the owned file; the lock file is beside it.
        /// - Throws: ``UpgradeStoreError`` with `unavailable` if another process, or another part of this one, owns it.
        package init(of path: String) throws(UpgradeStoreError) {
            let lock = path + ".lock"
            let file = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard file >= 0 else {
                let reason = String(cString: strerror(errno))
                throw UpgradeStoreError(.unavailable, "cannot be opened: \(reason)", subject: lock)
            }
            guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
                close(file)
                throw UpgradeStoreError(.unavailable, "a server is using it", subject: path)
            }
            self.file = Mutex(file)
        }

        /// Releases the file. A second call has no effect.
        package func release() {
            if let file = file.withLock({ $0.take() }) { close(file) }
        }

        deinit { release() }
    }
#endif
