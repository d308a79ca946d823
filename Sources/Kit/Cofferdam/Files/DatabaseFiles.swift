#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Which files an SQLite database has, as they were found when it was opened.
///
/// SQLite does not notice that the file which it has open, its log or its index was removed or replaced, and goes on writing
/// to where no path leads: what it has committed then, no other process ever reads.
package struct DatabaseFiles: Sendable, Hashable {
    /// SQLite keeps a write-ahead log, and an index of that, beside the file.
    package static let suffixes = ["", "-wal", "-shm"]

    private let path: String
    private let found: [FileIdentity?]

    /// - Parameter hasLog: whether the database has a write-ahead log. It must have been read from before, which opens the log.
    package init(at path: String, hasLog: Bool) {
        self.path = path
        found = Self.suffixes.prefix(hasLog ? 3 : 1).map { FileIdentity(path: path + $0) }
    }

    /// Whether a process that opens the path now finds the same files, and so reads all that was committed until now.
    package var areInPlace: Bool {
        // One that was emptied is the same, and has lost everything.
        guard isFileInPlace, FileIdentity(path: path)?.isEmpty == false else { return false }
        return zip(Self.suffixes, found).dropFirst().allSatisfy { suffix, found in
            found != nil && FileIdentity(path: path + suffix) == found
        }
    }

    /// Whether the file itself is still there, whatever has become of those beside it.
    package var isFileInPlace: Bool { found[0] != nil && FileIdentity(path: path) == found[0] }

    // MARK: Before a path is opened

    /// Removes what is left of a database whose file is gone: SQLite would read its log into the new one. To be called with the
    /// directory's lock.
    package static func removeRemainder(at path: String) throws(RemovalFailure) {
        guard FileIdentity(path: path)?.isEmpty ?? true else { return }
        try remove(suffixes.dropFirst().map { path + $0 })
    }

    /// Removes a file that was emptied while it was open: SQLite would save to it what the log has, which is no whole. To be
    /// called with the directory's lock, before the database is closed.
    package static func removeEmptied(at path: String) throws(RemovalFailure) {
        if FileIdentity(path: path)?.isEmpty == true { try remove(suffixes.map { path + $0 }) }
    }

    /// Removes files, or cuts to nothing what cannot be removed. It needs no room on the disk. A file that is not there is
    /// removed already.
    ///
    /// - Throws: for the first that could not be, after the others.
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

/// A file that could neither be removed nor cut to nothing.
package struct RemovalFailure: Error, CustomStringConvertible {
    package let path: String
    package let code: Int32

    package var description: String { "\(path) cannot be removed: \(String(cString: strerror(code)))" }
}
