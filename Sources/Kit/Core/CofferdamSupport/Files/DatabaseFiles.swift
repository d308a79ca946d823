#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The files of an SQLite database, as found when it was opened.
///
/// SQLite does not notice when its open file, its log or its index is removed or replaced, and goes on writing to files
/// that no path leads to: no other process ever reads what it commits then.
package struct DatabaseFiles: Sendable, Hashable {
    /// SQLite keeps a write-ahead log, and the log's index, beside the file.
    package static let suffixes = ["", "-wal", "-shm"]

    private let path: String
    private let found: [FileIdentity?]

    /// - Parameter hasLog: whether the database has a write-ahead log. The database must have been read from before,
    ///   which opens the log.
    package init(at path: String, hasLog: Bool) {
        self.path = path
        found = Self.suffixes.prefix(hasLog ? 3 : 1).map { FileIdentity(path: path + $0) }
    }

    /// Whether a process that opens the path now finds the same files, and so reads all that was committed until now.
    package var areInPlace: Bool {
        // An emptied file is still the same file, but has lost everything.
        guard isFileInPlace, FileIdentity(path: path)?.isEmpty == false else { return false }
        return zip(Self.suffixes, found).dropFirst().allSatisfy { suffix, found in
            found != nil && FileIdentity(path: path + suffix) == found
        }
    }

    /// Whether the file itself is still there, whatever became of those beside it.
    package var isFileInPlace: Bool { found[0] != nil && FileIdentity(path: path) == found[0] }

    // MARK: Before a path is opened

    /// Removes what is left of a database whose file is gone or empty: otherwise SQLite would read the old log into the
    /// new database. Call it while holding the directory's lock.
    package static func removeRemainder(at path: String) throws(RemovalFailure) {
        guard FileIdentity(path: path)?.isEmpty ?? true else { return }
        try remove(suffixes.dropFirst().map { path + $0 })
    }

    /// Creates the file if it is missing, so that only its owner can read it. SQLite gives its log and its index the same
    /// mode. Call it while holding the directory's lock.
    package static func create(at path: String) {
        // If it cannot be created, SQLite reports it. One that exists is not opened: closing it would release SQLite's
        // locks on it.
        let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if file >= 0 { close(file) }
    }

    /// Removes a file that was emptied while it was open: otherwise SQLite would save the log to it, which is not the
    /// whole database. Call it while holding the directory's lock, before the database is closed.
    package static func removeEmptied(at path: String) throws(RemovalFailure) {
        if FileIdentity(path: path)?.isEmpty == true { try remove(suffixes.map { path + $0 }) }
    }

    /// Removes files, or truncates those that cannot be removed. It needs no disk space. A missing file counts as
    /// removed.
    ///
    /// - Throws: the first failure, after trying all files.
    package static func remove(_ paths: [String]) throws(RemovalFailure) {
        var failure: RemovalFailure?
        for path in paths where unlink(path) != 0 && errno != ENOENT {
            let code = errno
            // The index holds none of the data, and a process that has it mapped would crash.
            if !path.hasSuffix("-shm"), truncate(path, 0) != 0 {
                failure = failure ?? RemovalFailure(path: path, code: code)
            }
        }
        if let failure { throw failure }
    }
}

/// A file could be neither removed nor truncated.
package struct RemovalFailure: Error, CustomStringConvertible {
    package let path: String
    package let code: Int32

    package var description: String { "\(path) cannot be removed: \(String(cString: strerror(code)))" }
}
