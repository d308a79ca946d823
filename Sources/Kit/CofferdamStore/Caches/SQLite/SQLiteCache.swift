#if SQLite
    /// A cache in one SQLite file, or in memory. A write that has returned survives a crash of the process; one that a crash
    /// cut off changes nothing. After a loss of power the last writes may be missing.
    ///
    ///     let cache = try SQLiteCache(user: session.user, in: caches, configuration: .defaults { $0.maximumBytes = 50 << 20 })
    ///
    /// Writes that wait together go to the disk together. Several processes may use one file.
    ///
    /// A damaged file is moved aside, to the same name with `.damaged` appended, replacing an earlier one; the cache continues
    /// empty. ``SQLiteCacheConfiguration/onDamage`` gets the error, and the call that found the damage throws it, unless that
    /// was opening.
    ///
    /// The file or its directory may also be removed or replaced while it is open: the next call notices, calls
    /// ``SQLiteCacheConfiguration/onDamage``, and continues with the file at the path, or with a new one. Entries that only the
    /// old file had are lost. A write that has returned is in the file that was at the path at that moment; if no file can be
    /// there, it throws.
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

        /// Reads one entry; nil if there is none.
        public func bytes(for key: String) async throws -> [UInt8]? {
            try await jobs.run { try $0.bytes(for: [key])[key] }
        }

        /// Reads several entries at once. Keys without an entry are absent from the result.
        public func bytes(for keys: [String]) async throws -> [String: [UInt8]] {
            try await jobs.run { try $0.bytes(for: keys) }
        }

        /// Writes one entry, or removes it if the bytes are nil.
        public func set(_ bytes: [UInt8]?, for key: String) async throws {
            try await set([ModelCacheEntry(key, bytes)])
        }

        /// Writes all entries or, if it throws, none; the last entry of a key counts.
        public func set(_ entries: [ModelCacheEntry]) async throws {
            try await jobs.write(entries)
        }

        /// Forgets everything, on the disk too: neither the file, nor what SQLite keeps beside it, nor a damaged file that
        /// was moved aside holds any of it. On a full disk, and where the file cannot be written for another reason, the file
        /// itself is removed, or cut to nothing.
        ///
        /// - Throws: ``CacheError/Code/notRemoved`` if the disk permits none of that, as one that can only be read. From then
        ///   on every call throws it in this process, also one of another cache with that path, unless removing succeeds
        ///   then. The next process knows nothing of it: remember elsewhere that ``removeAll(path:)`` is due, or have a
        ///   ``CacheSeal`` whose key can be thrown away. What that throws is thrown too, after everything was removed.
        public func removeAll() async throws {
            try await jobs.run { try $0.removeAll() }
        }

        /// Forgets everything that is kept there without opening it, for which a disk may be too full. A cache that has the
        /// file open notices, and goes on empty. If there is no file, it does nothing.
        ///
        /// - Throws: ``CacheError/Code/notRemoved``, as ``removeAll()``.
        public static func removeAll(path: String) throws { try CachePlace(path: path).forget() }

        /// Forgets everything of one user: see ``removeAll(path:)``.
        public static func removeAll(user: String, in directory: String) throws {
            try CachePlace(user: user, in: directory).forget()
        }

        /// Lets go of the file, after what was called before; later calls throw ``CacheError/Code/closed``. A cache that
        /// is no longer referenced closes by itself, a moment after its last call.
        public func close() async throws {
            try await jobs.run { try $0.close() }
        }
    }
#endif
