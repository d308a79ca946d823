#if SQLite
    /// A cache in one SQLite file, or in memory. A write that has returned survives the end of the process, whenever it
    /// comes, and one that was cut off leaves what was there before; after a loss of power the last writes may be missing.
    ///
    ///     let cache = try SQLiteCache(user: session.user, in: caches, configuration: .defaults { $0.maximumBytes = 50 << 20 })
    ///
    /// Writes that wait together go to the disk together. Several processes may use one file.
    ///
    /// A damaged file is moved aside, to the same name with `.damaged` behind it, in place of an earlier one; the cache goes
    /// on empty. It is told to ``SQLiteCacheConfiguration/onDamage``, and thrown by the call that met it, if it was not
    /// opening.
    public final class SQLiteCache: ModelCache {
        private let jobs: CacheJobs

        /// Opens the file, which takes as long as migrating it takes: see ``SQLiteCacheConfiguration/migrate``.
        ///
        /// - Parameter path: the file, made if it is missing; nil keeps the cache in memory.
        /// - Throws: ``CacheError``, or what `migrate` and `open` throw.
        public init(path: String?, configuration: SQLiteCacheConfiguration = SQLiteCacheConfiguration()) throws {
            jobs = CacheJobs(try CacheFile(CachePlace(path: path), configuration))
        }

        /// Opens the user's own file.
        ///
        /// - Parameters:
        ///   - user: any string. Equal strings have the same file, and no two others.
        ///   - directory: made if it is missing, for this account of the system alone.
        /// - Throws: as ``init(path:configuration:)``.
        public init(
            user: String,
            in directory: String,
            configuration: SQLiteCacheConfiguration = SQLiteCacheConfiguration()
        ) throws {
            jobs = CacheJobs(try CacheFile(CachePlace(user: user, in: directory), configuration))
        }

        public func bytes(for key: String) async throws -> [UInt8]? {
            try await jobs.run { try $0.bytes(for: [key])[key] }
        }

        public func bytes(for keys: [String]) async throws -> [String: [UInt8]] {
            try await jobs.run { try $0.bytes(for: keys) }
        }

        public func set(_ bytes: [UInt8]?, for key: String) async throws {
            try await set([ModelCacheEntry(key, bytes)])
        }

        public func set(_ entries: [ModelCacheEntry]) async throws {
            try await jobs.write(entries)
        }

        /// Forgets everything, on the disk too: neither the file, nor what SQLite keeps beside it, nor a damaged file that
        /// was moved aside holds any of it.
        ///
        /// - Throws: ``CacheError/Code/busy`` if another process reads meanwhile: everything is forgotten, but bytes may
        ///   be left on the disk.
        public func removeAll() async throws {
            try await jobs.run { try $0.removeAll() }
        }

        /// Lets go of the file, after what was called before; later calls throw ``CacheError/Code/closed``. A cache that
        /// nobody holds any longer closes by itself, a moment after its last call.
        public func close() async throws {
            try await jobs.run { try $0.close() }
        }
    }
#endif
