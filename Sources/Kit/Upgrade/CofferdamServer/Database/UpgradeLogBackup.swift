#if Server
import Cofferdam
import CofferdamSupport
import CofferdamUpgrade
import Foundation
import GRDB

/// Copies the file of a ``SQLiteUpgradeLog`` while others use it, and replaces the file with a copy.
enum UpgradeLogBackup {
    /// How far a restored state is ahead of the copied one, so that even devices that have followed later changes
    /// follow it.
    static let revisions: Int64 = 1_000_000
    static let epochs = 1_000

    /// Copies the file as it is at one moment, with everything that was written before, and adds a checksum. Only the
    /// owner can read the copy.
    ///
    /// - Parameter target: a file that does not exist yet. Afterwards it is complete, or does not exist.
    /// - Throws: ``UpgradeStoreError``: `unreadable` for a file of another application or a newer version,
    ///   `unavailable`.
    static func copy(_ path: String, to target: String) throws {
        // By another name SQLite would not find the log, and copy an older state.
        let (path, target) = (try NamedFile(path).path, SymbolicLink.target(of: target))
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
            try write(source, to: target, CopyChecksum.reserve)
        }
    }

    /// Replaces a file with a copy. No process may use the file meanwhile. The states are those of the copy, with a
    /// later revision and in a new epoch, whose evidence begins anew. The file keeps its owner and its mode.
    ///
    /// - Parameters:
    ///   - withoutChecksum: whether to accept a copy without checking its checksum.
    ///   - now: seconds since 1970, when the new epochs begin.
    ///   - move: renames a file.
    /// - Throws: as ``copy(_:to:)``; the file is then unchanged.
    static func restore(
        _ copy: String,
        to path: String,
        withoutChecksum: Bool = false,
        now: Int64,
        move: Move = { rename($0, $1) }
    ) throws {
        let path = try NamedFile(path).path
        guard FileManager.default.fileExists(atPath: copy) else {
            throw UpgradeStoreError(.unavailable, "there is no such file", subject: copy)
        }
        let new = path + ".restored"
        defer { try? DatabaseFiles.remove([new]) }
        try SQLiteUpgradeLog.converting(copy) {
            var settings = Configuration()
            settings.readonly = true
            let source = try DatabaseQueue(path: copy, configuration: settings)
            defer { close(source) }
            let layout = UpgradeLogLayout(path: copy)
            try source.read { try layout.check($0, mayBeNew: false) }
            if !withoutChecksum { try CopyChecksum.check(source, copy) }
            try source.read { database in
                let found = try String.fetchAll(database, sql: "PRAGMA integrity_check")
                guard found == ["ok"] else {
                    throw UpgradeStoreError(.unreadable, "the file is damaged: \(found.first ?? "")", subject: copy)
                }
            }
            try DatabaseFiles.remove(DatabaseFiles.suffixes.map { new + $0 })
            try write(source, to: new) { database in
                try layout.migrate(database)
                try database.write { database in
                    try CopyChecksum.remove(from: database)
                    try SQLiteUpgradeStore.moveAhead(database, now: now)
                }
                return nil
            }
        }
        try SQLiteUpgradeLog.converting(path) {
            try DirectoryLock(path: (path as NSString).deletingLastPathComponent).withLock {
                try replace(path, by: new, without: DatabaseFiles.suffixes.dropFirst().map { path + $0 }, move)
            }
        }
    }

    /// - Parameter change: is applied before the file gets its name. It returns the placeholder of a checksum, if any.
    private static func write(
        _ source: DatabaseQueue,
        to target: String,
        _ change: (DatabaseQueue) throws -> Data?
    ) throws {
        let new = target + ".new"
        try DatabaseFiles.remove(DatabaseFiles.suffixes.map { new + $0 })
        do {
            DatabaseFiles.create(at: new)
            let placeholder = try changed(source, new, change)
            if let placeholder { try CopyChecksum.fill(placeholder, in: new) }
        } catch {
            try? DatabaseFiles.remove(DatabaseFiles.suffixes.map { new + $0 })
            throw error
        }
        try replace(target, by: new)
    }

    private static func changed(
        _ source: DatabaseQueue,
        _ new: String,
        _ change: (DatabaseQueue) throws -> Data?
    ) throws -> Data? {
        let copy = try DatabaseQueue(path: new)
        defer { close(copy) }
        try source.backup(to: copy)
        let placeholder = try change(copy)
        // One file, without a log beside it.
        try copy.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
        return placeholder
    }

    /// Renames a file, and returns 0, or sets `errno`.
    typealias Move = (_ old: String, _ new: String) -> Int32

    /// Replaces the file. When this returns, the new file is on disk under the final name.
    ///
    /// - Parameter logs: the old file's, which SQLite would read into the new one. They may have changes that the old file
    ///   does not have yet, so they are kept aside until the new file has its name.
    private static func replace(
        _ path: String,
        by new: String,
        without logs: [String] = [],
        _ move: Move = { rename($0, $1) }
    ) throws {
        try sync(new)
        try NamedFile(path).passAttributes(to: new)
        var aside: [String] = []
        do {
            for log in logs {
                if move(log, log + ".old") == 0 {
                    aside.append(log)
                } else if errno != ENOENT {
                    throw failure("cannot be moved", log)
                }
            }
            guard move(new, path) == 0 else { throw failure("cannot be replaced", path) }
        } catch {
            for log in aside { _ = move(log + ".old", log) }
            throw error
        }
        // Under these names SQLite reads them no more.
        try? DatabaseFiles.remove(aside.map { $0 + ".old" })
        try sync((path as NSString).deletingLastPathComponent)
    }

    private static func sync(_ path: String) throws {
        let file = open(path.isEmpty ? "." : path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw failure("cannot be opened", path) }
        let isOnDisk = syncToDisk(file)
        Foundation.close(file)
        guard isOnDisk else { throw failure("cannot be synced to the disk", path) }
    }

    private static func failure(_ what: String, _ path: String) -> UpgradeStoreError {
        UpgradeStoreError(.unavailable, "\(what): \(String(cString: strerror(errno)))", subject: path)
    }

    /// Closing only fails during a statement, and none outlives its call.
    private static func close(_ database: DatabaseQueue) { try? database.close() }
}
#endif
