#if SQLite
    import Cofferdam
    import Foundation
    import GRDB

    /// The file of a ``SQLiteUpgradeLog``. Where it was removed or replaced while it was open, what is at its path is opened.
    struct UpgradeLogFile: Sendable {
        private struct Opened {
            let database: DatabaseQueue
            let files: DatabaseFiles
            /// The last line of each capability that is known to be in the file.
            var lastLines: [String: String] = [:]
        }

        /// So often a change is repeated whose file was replaced meanwhile.
        private static let mostAttempts = 3

        private let path: String
        /// Made if it is missing.
        private let directory: String?
        /// Nil if opening has failed, or was not needed yet; the next call tries it.
        private var opened: Opened?

        init(path: String) throws {
            (self.path, directory) = (path, nil)
            try open()
        }

        init(openingLater path: String, making directory: String) { (self.path, self.directory) = (path, directory) }

        /// The last line that is known to be in the file; nil if none is.
        mutating func lastLine(of capability: String) throws -> String? { try current().lastLines[capability] }

        mutating func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
            try current().database.read(body)
        }

        /// In one transaction; again, until a process that opens the path now is certain to find it.
        mutating func write<Value>(
            _ body: (Database, _ lastLines: inout [String: String]) throws -> Value
        ) throws -> Value {
            for _ in 0..<Self.mostAttempts {
                let current = try current()
                var lastLines = current.lastLines
                let result = Result { try current.database.write { try body($0, &lastLines) } }
                // Neither what was written elsewhere counts, nor what has failed there.
                guard current.files.areInPlace else { continue }
                let value = try result.get()
                opened?.lastLines = lastLines
                return value
            }
            throw UpgradeStoreError(.unavailable, "the file is removed or replaced again and again", subject: path)
        }

        /// What is at the path now.
        private mutating func current() throws -> Opened {
            if let opened, opened.files.areInPlace { return opened }
            if let old = opened {
                try lock.withLock { try DatabaseFiles.removeEmptied(at: path) }
                opened = nil
                // It fails only where a statement is under way, and none outlives its call.
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
                let database = try DatabaseQueue(path: path, configuration: settings)
                let hasLog = try layout.begin(database)
                // Under the lock: another process must not look at a file that is half made.
                try layout.migrate(database)
                return Opened(database: database, files: DatabaseFiles(at: path, hasLog: hasLog))
            }
            self.opened = opened
            return opened
        }

        private var lock: DirectoryLock { DirectoryLock(path: (path as NSString).deletingLastPathComponent) }
    }
#endif
