#if SQLite
import Cofferdam
import CofferdamSupport
import Foundation
import GRDB

/// The file of a ``SQLiteUpgradeLog``. If it was removed or replaced while open, the file at the path is opened.
struct UpgradeLogFile: Sendable {
    private struct Opened {
        let database: DatabaseQueue
        let files: DatabaseFiles
        /// For each capability, the id of the entry that was added last to this file.
        var lastLines: [String: String] = [:]
    }

    /// How often a change is repeated if the file was replaced in the meantime.
    private static let maxAttempts = 3

    private let path: String
    /// Created if it is missing.
    private let directory: String?
    /// Whether a file that is gone is missed, not begun anew.
    private let isKept: Bool
    /// Nil if opening failed or was not needed yet; the next call tries again.
    private var opened: Opened?

    init(path: String, isKept: Bool) throws {
        (self.path, self.isKept, directory) = (path, isKept, nil)
        try open()
    }

    init(openingLater path: String, making directory: String) {
        (self.path, self.directory, isKept) = (path, directory, false)
    }

    /// The id of the entry that was added last; nil if none was added since the file was opened.
    mutating func lastLine(of capability: String) throws -> String? { try current().lastLines[capability] }

    mutating func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try current().database.read(body)
    }

    /// Runs `body` in a transaction, repeated until the file is still the one at the path.
    mutating func write<Value>(
        _ body: (Database, _ lastLines: inout [String: String]) throws -> Value
    ) throws -> Value {
        for _ in 0..<Self.maxAttempts {
            let current = try current()
            var lastLines = current.lastLines
            let result = Result { try current.database.write { try body($0, &lastLines) } }
            // A result from a replaced file does not count, and neither does its error.
            guard current.files.areInPlace else { continue }
            let value = try result.get()
            opened?.lastLines = lastLines
            return value
        }
        throw UpgradeStoreError(.unavailable, "the file keeps being removed or replaced", subject: path)
    }

    /// Opens the file that is at the path now.
    private mutating func current() throws -> Opened {
        if let opened, opened.files.areInPlace { return opened }
        if let old = opened {
            if isKept, FileIdentity(path: path)?.isEmpty ?? true {
                throw UpgradeStoreError(
                    .unavailable,
                    "the database was removed or emptied while it was open: put it back, or restore a backup",
                    subject: path
                )
            }
            try lock.withLock { try DatabaseFiles.removeEmptied(at: path) }
            opened = nil
            // Closing only fails during a statement, and none outlives its call.
            try? old.database.close()
        }
        return try open()
    }

    @discardableResult
    private mutating func open() throws -> Opened {
        var settings = Configuration()
        // Another process may be writing.
        settings.busyMode = .timeout(5)
        let layout = UpgradeLogLayout(path: path)
        if let directory { try CapabilityFolder.make(directory) }
        let opened = try lock.withLock {
            try DatabaseFiles.removeRemainder(at: path)
            DatabaseFiles.create(at: path)
            let database = try DatabaseQueue(path: path, configuration: settings)
            let hasLog = try layout.begin(database)
            // Under the lock, so that no other process sees a half-created file.
            try layout.migrate(database)
            return Opened(database: database, files: DatabaseFiles(at: path, hasLog: hasLog))
        }
        self.opened = opened
        return opened
    }

    private var lock: DirectoryLock { DirectoryLock(path: (path as NSString).deletingLastPathComponent) }
}
#endif
