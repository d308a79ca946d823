#if SQLite
    import GRDB

    /// A file of entries: reads and writes in transactions, limits, seal. After damage it is moved aside and opened anew.
    struct CacheFile: Sendable {
        private let place: CachePlace
        private let configuration: SQLiteCacheConfiguration
        /// Nil after damage, if opening anew has failed; the next call tries again.
        private var database: DatabaseQueue?
        /// Which file it is, whatever is at its path by now.
        private var fileNumber: UInt64?
        private var isClosed = false
        /// Nil if it must be counted.
        private var total: CacheTotal?

        init(_ place: CachePlace, _ configuration: SQLiteCacheConfiguration) throws {
            self.place = place
            self.configuration = configuration
            guard configuration.formatVersion >= 1 else {
                throw CacheError(.invalid, subject: place.name, "format \(configuration.formatVersion) is less than 1")
            }
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
            let found = try perform { database in
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
            // Of two writes of one key the last counts, in its place.
            var keys: Set<String> = []
            let rows = try entries.reversed().filter { keys.insert($0.key).inserted }.reversed().map { entry in
                let bytes = try entry.bytes.map { try configuration.seal?.seal($0, entry.key) ?? $0 }
                return CacheRow(entry.key, bytes)
            }
            let known = total
            total = nil
            total = try perform { [self] database in
                var new: CacheTotal?
                try database.inTransaction(.immediate) {
                    new = try write(rows, to: CacheTable(database), known)
                    return .commit
                }
                return new
            }
        }

        private func write(_ rows: [CacheRow], to table: CacheTable, _ known: CacheTotal?) throws -> CacheTotal? {
            let now = configuration.now()
            let limit = configuration.maximumBytes.map { max(0, $0) }
            var total = try limit.map { _ in try CacheTotal(of: table, known) }
            let kept = rows.filter { $0.bytes != nil && $0.size <= limit ?? .max }
            // Writing replaces, so that what is there need not go first, if nobody wants to know how much it was.
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
            total = nil
            let result = Result {
                try perform { database in
                    try CacheTable(database).removeAll()
                    // Else the bytes would stay in pages that are free now, and in the log.
                    try database.execute(sql: "VACUUM")
                    try database.checkpoint(.truncate)
                }
            }
            try place.removeDamaged()
            // A file that was damaged is empty by now.
            do { try result.get() } catch let error as CacheError where error.code == .damaged {}
        }

        mutating func close() throws {
            isClosed = true
            try database.take()?.close()
        }

        /// When an entry was written that is there at `now`, in milliseconds since 1970.
        private func writtenRange(_ now: Duration) -> ClosedRange<Int64> {
            guard let maximumAge = configuration.maximumAge else { return .min ... .max }
            let (now, age) = (now.boundedMilliseconds, max(0, maximumAge.boundedMilliseconds))
            return (now - age)...(now + age)
        }

        private mutating func perform<Value>(_ body: (Database) throws -> Value) throws -> Value {
            guard !isClosed else { throw CacheError(.closed, subject: place.name, "the cache is closed") }
            let connection = try database ?? open()
            do {
                return try connection.writeWithoutTransaction(body)
            } catch {
                let error = CacheError.converted(error, subject: place.name)
                if let error = error as? CacheError, error.code == .damaged {
                    database = nil
                    // It fails only where a statement is under way, and none outlives its call.
                    try? connection.close()
                    // Another who has the file may have met it first: then a new one is there.
                    if fileNumber == place.fileNumber { try place.moveAside() }
                    configuration.onDamage(error)
                    try open()
                }
                throw error
            }
        }

        @discardableResult
        private mutating func open() throws -> DatabaseQueue {
            var settings = Configuration()
            // Another process may be writing.
            settings.busyMode = .timeout(5)
            do {
                let database =
                    try place.path.map { try DatabaseQueue(path: $0, configuration: settings) }
                    ?? DatabaseQueue(configuration: settings)
                try CacheLayout(place: place, configuration: configuration).apply(to: database)
                fileNumber = place.fileNumber
                self.database = database
                return database
            } catch {
                throw CacheError.converted(error, subject: place.name)
            }
        }
    }

    /// How much is kept, and for which state of the file that was counted.
    struct CacheTotal {
        var bytes: Int
        private let foreignVersion: Int?

        /// - Parameter known: still true if no other connection has written since.
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
