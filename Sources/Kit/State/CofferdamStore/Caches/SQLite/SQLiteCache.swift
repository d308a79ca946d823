#if SQLite
/// A cache in one SQLite file, or in memory. A write that has returned survives a crash of the process; one that a crash
/// cut off changes nothing. After a loss of power the last writes may be missing.
///
///     let cache = try SQLiteCache(user: session.user, in: caches, configuration: .defaults { $0.maximumBytes = 50 << 20 })
///
/// Waiting writes go to the disk together. Several processes may use one file.
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

    /// Opens the file, which may include migrating it: see ``SQLiteCacheConfiguration/migrate``.
    ///
    /// - Parameter path: the file, created if it is missing; nil keeps the cache in memory.
    /// - Throws: ``CacheError``, or what `migrate` and `open` throw.
    public init(path: String?, configuration: SQLiteCacheConfiguration = SQLiteCacheConfiguration()) throws {
        jobs = CacheJobs(try CacheFile(CachePlace(path: path), configuration))
    }

    /// Opens the user's own file.
    ///
    /// - Parameters:
    ///   - user: any string. Equal strings have the same file, and different ones never share one.
    ///   - directory: created if it is missing, with access for the current system account only.
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

    /// Removes everything, from the disk too: neither the file, nor what SQLite keeps beside it, nor a damaged file
    /// that was moved aside contains any of it afterwards. On a full disk, or if the file cannot be written for
    /// another reason, the file itself is removed or truncated.
    ///
    /// - Throws: ``CacheError/Code/notRemoved`` if the disk permits none of that, such as a read-only one. From
    ///   then on every call in this process throws it, including calls of another cache with that path, until
    ///   removing succeeds. The next process does not know of it: remember elsewhere that ``removeAll(path:)`` is
    ///   due, or use a ``CacheSeal`` whose key can be discarded. An error of discarding it is thrown too, after
    ///   everything has been removed.
    public func removeAll() async throws {
        try await jobs.run { try $0.removeAll() }
    }

    /// Removes everything that is kept at `path` without opening the file, for which a disk may be too full. A
    /// cache that has the file open notices, and continues empty. If there is no file, it does nothing.
    ///
    /// - Throws: ``CacheError/Code/notRemoved``, as ``removeAll()``.
    public static func removeAll(path: String) throws { try CachePlace(path: path).removeAll() }

    /// Removes everything of one user: see ``removeAll(path:)``.
    public static func removeAll(user: String, in directory: String) throws {
        try CachePlace(user: user, in: directory).removeAll()
    }

    /// Closes the file after all earlier calls; later calls throw ``CacheError/Code/closed``. A cache that is no
    /// longer referenced closes automatically, soon after its last call.
    public func close() async throws {
        try await jobs.run { try $0.close() }
    }
}
#endif
