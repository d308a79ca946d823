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

    /// Whether whoever opens the path now finds the same files: then what was committed until now is theirs to read.
    package var areInPlace: Bool {
        // One that was emptied is the same, and has lost everything.
        guard isFileInPlace, FileIdentity(path: path)?.isEmpty == false else { return false }
        return zip(Self.suffixes, found).dropFirst().allSatisfy { suffix, found in
            found != nil && FileIdentity(path: path + suffix) == found
        }
    }

    /// Whether the file itself is still there, whatever has become of those beside it.
    package var isFileInPlace: Bool { found[0] != nil && FileIdentity(path: path) == found[0] }
}
