#if SQLite
import Cofferdam
import CofferdamSupport
import GRDB

/// A file of entries: reads and writes in transactions, limits, seal. A damaged file is moved aside and a new one
/// is opened; after the file was removed or replaced, the one at its path is opened.
struct CacheFile: Sendable {
    private struct Opened {
        let database: DatabaseQueue
        /// Nil in memory.
        let files: DatabaseFiles?
        /// Nil if the total must be counted.
        var total: CacheTotal?

        var isInPlace: Bool { files?.areInPlace ?? true }
    }

    /// The maximum number of attempts at a call whose file is replaced meanwhile.
    private static let maximumAttempts = 3

    private let place: CachePlace
    private let configuration: SQLiteCacheConfiguration
    /// Nil after damage, if opening a new file has failed; the next call tries again.
    private var opened: Opened?
    private var isClosed = false

    init(_ place: CachePlace, _ configuration: SQLiteCacheConfiguration) throws {
        self.place = place
        self.configuration = configuration
        guard configuration.formatVersion >= 1 else {
            throw CacheError(.invalid, subject: place.name, "format \(configuration.formatVersion) is less than 1")
        }
        try place.finishRemoval()
        do {
            try open()
        } catch let error as CacheError where error.code == .damaged {
            try place.moveAside()
            try open()
            configuration.onDamage(error)
        }
    }

    mutating func bytes(for keys: [String]) throws -> [String: [UInt8]] {
        let written = writtenRange(configuration.now())
        let found = try perform(isWrite: false) { database, _ in
            let table = CacheTable(database)
            var found: [String: [UInt8]] = [:]
            try database.inTransaction(.deferred) {
                for key in keys where found[key] == nil {
                    found[key] = try table.bytes(CacheTable.key(key), written: written).map { [UInt8]($0) }
                }
                return .commit
            }
            return found
        }
        guard let seal = configuration.seal else { return found }
        return Dictionary(uniqueKeysWithValues: try found.map { ($0, try seal.open($1, $0)) })
    }

    mutating func write(_ entries: [ModelCacheEntry]) throws {
        // Of several writes of one key only the last counts, in its position.
        var keys: Set<String> = []
        let rows = try entries.reversed().filter { keys.insert($0.key).inserted }.reversed().map { entry in
            let bytes = try entry.bytes.map { try configuration.seal?.seal($0, entry.key) ?? $0 }
            return CacheRow(entry.key, bytes)
        }
        try perform(isWrite: true) { [self] database, total in
            let known = total
            total = nil
            var new: CacheTotal?
            try database.inTransaction(.immediate) {
                new = try write(rows, to: CacheTable(database), known)
                return .commit
            }
            total = new
        }
    }

    private func write(_ rows: [CacheRow], to table: CacheTable, _ known: CacheTotal?) throws -> CacheTotal? {
        let now = configuration.now()
        let limit = configuration.maximumBytes.map { max(0, $0) }
        var total = try limit.map { _ in try CacheTotal(of: table, known) }
        let kept = rows.filter { $0.bytes != nil && $0.size <= limit ?? .max }
        // Writing replaces the row, so it need not be deleted first unless its size is asked for.
        for row in limit == nil ? rows.filter({ $0.bytes == nil }) : rows {
            let removed = try table.remove(row.key)
            total?.bytes -= removed
        }
        try table.put(kept, written: now.boundedMilliseconds)
        total?.bytes += kept.reduce(0) { $0 + $1.size }
        if configuration.maximumAge != nil {
            let removed = try table.removeExpired(written: writtenRange(now))
            total?.bytes -= removed
        }
        if let limit, let bytes = total?.bytes, bytes > limit {
            let removed = try table.removeOldest(bytes: bytes - limit)
            total?.bytes -= removed
        }
        return total
    }

    mutating func removeAll() throws {
        guard !isClosed else { throw closedError }
        // The key is discarded first: without it nothing can be read, whatever becomes of the files.
        let discarded = Result { try configuration.seal?.discardKey() }
        do {
            try place.finishRemoval()
            try run(isWrite: true) { database, total in
                total = nil
                try CacheTable(database).removeAll()
                // Otherwise the bytes would stay in pages that are now free, and in the log.
                try database.execute(sql: "VACUUM")
                try database.checkpoint(.truncate)
            }
            try place.removeDamaged()
        } catch {
            // All of that needs disk space and a readable file. Removing a file needs neither.
            closeDatabase()
            try place.removeAll()
        }
        try discarded.get()
    }

    mutating func close() throws {
        isClosed = true
        try opened.take()?.database.close()
    }

    /// The time in which an entry must have been written to be valid at `now`, in milliseconds since 1970.
    private func writtenRange(_ now: Duration) -> ClosedRange<Int64> {
        guard let maximumAge = configuration.maximumAge else { return .min ... .max }
        let (now, age) = (now.boundedMilliseconds, max(0, maximumAge.boundedMilliseconds))
        return (now - age)...(now + age)
    }

    private mutating func perform<Value>(
        isWrite: Bool,
        _ body: (Database, inout CacheTotal?) throws -> Value
    ) throws -> Value {
        guard !isClosed else { throw closedError }
        try place.finishRemoval()
        return try run(isWrite: isWrite, body)
    }

    /// Runs `body` on the file at the path. A write is repeated until a process that opens the path now is certain
    /// to find it.
    private mutating func run<Value>(
        isWrite: Bool,
        _ body: (Database, inout CacheTotal?) throws -> Value
    ) throws -> Value {
        for _ in 0..<Self.maximumAttempts {
            if opened?.isInPlace == false { try reopenAtPath() }
            let connection = try opened ?? open()
            do {
                var total = connection.total
                let value = try connection.database.writeWithoutTransaction { try body($0, &total) }
                opened?.total = total
                if !isWrite || connection.isInPlace { return value }
            } catch {
                opened?.total = nil
                // The error need not be one of the file that is there now.
                guard connection.isInPlace else { continue }
                throw try recover(from: CacheError.converted(error, subject: place.name))
            }
        }
        throw CacheError(.replaced, subject: place.name, "the file keeps being removed or replaced")
    }

    /// Opens a new file after damage, and returns the error to throw.
    private mutating func recover(from error: any Error) throws -> any Error {
        guard let damage = error as? CacheError, damage.code == .damaged else { return error }
        let files = opened?.files
        closeDatabase()
        // Another process or cache may have found the damage first: then a new file is there.
        if files?.isFileInPlace ?? true { try place.moveAside() }
        configuration.onDamage(damage)
        try open()
        return damage
    }

    /// Opens the file at the path. What is only in open files that no path leads to any more is lost. What is only
    /// in a log whose file is still there is not lost: SQLite saves it when it closes.
    private mutating func reopenAtPath() throws {
        try place.path.map { path in try place.withLock { try DatabaseFiles.removeEmptied(at: path) } }
        closeDatabase()
        try open()
        let what = "the file, or what SQLite keeps beside it, was removed or replaced while it was open"
        configuration.onDamage(CacheError(.replaced, subject: place.name, what))
    }

    private mutating func closeDatabase() {
        // It fails only while a statement is under way, and none outlives its call.
        try? opened.take()?.database.close()
    }

    @discardableResult
    private mutating func open() throws -> Opened {
        var settings = Configuration()
        // Another process may be writing.
        settings.busyMode = .timeout(5)
        let layout = CacheLayout(place: place, configuration: configuration)
        do {
            try place.makeDirectory()
            let opened = try place.withLock {
                if let path = place.path {
                    try DatabaseFiles.removeRemainder(at: path)
                    DatabaseFiles.create(at: path)
                }
                let database =
                    try place.path.map { try DatabaseQueue(path: $0, configuration: settings) }
                    ?? DatabaseQueue(configuration: settings)
                let hasLog = try layout.begin(database)
                return Opened(database: database, files: place.path.map { DatabaseFiles(at: $0, hasLog: hasLog) })
            }
            try layout.migrate(opened.database)
            self.opened = opened
            return opened
        } catch {
            throw CacheError.converted(error, subject: place.name)
        }
    }

    private var closedError: CacheError { CacheError(.closed, subject: place.name, "the cache is closed") }
}

/// The total size of the entries, and the state of the file for which it was counted.
struct CacheTotal {
    var bytes: Int
    private let foreignVersion: Int?

    /// - Parameter known: the last known total, which still holds if no other connection has written since.
    init(of table: CacheTable, _ known: CacheTotal?) throws {
        foreignVersion = try table.foreignVersion()
        if let known, known.foreignVersion == foreignVersion {
            bytes = known.bytes
        } else {
            bytes = try table.totalBytes()
        }
    }
}
#endif
