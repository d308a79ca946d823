/// Keeps bytes by key, for longer than a store lives: a session, yesterday's catalogue, a picture.
///
/// Calls may be made from any task. They take effect in the order in which they were made, also while the first still
/// waits, whichever tasks made them; so a read sees every write that was called before it. Keys are the same if they are
/// equal strings.
///
/// A task that is cancelled gets `CancellationError`. A write of its that has not begun never happens; one that has begun
/// may have happened.
public protocol ModelCache: Sendable {
    /// Nil if nothing is kept for that key, which is not the same as no bytes.
    func bytes(for key: String) async throws -> [UInt8]?

    /// What is kept for those keys; a key for which nothing is kept is absent.
    ///
    /// By default they are read one after the other, so that a write may come between.
    func bytes(for keys: [String]) async throws -> [String: [UInt8]]

    /// Keeps `bytes` in place of what was there; nil forgets it.
    func set(_ bytes: [UInt8]?, for key: String) async throws

    /// Writes all entries or, if it throws, none; of two with one key the last counts.
    ///
    /// By default they are written one after the other, and those before the one that fails stay.
    func set(_ entries: [ModelCacheEntry]) async throws

    /// Forgets everything, as at sign-out: it must not need room on a disk.
    ///
    /// - Throws: if something is left that can be read. Then it is called again before anything else, by a ``CachedStore``.
    func removeAll() async throws
}

extension ModelCache {
    public func bytes(for keys: [String]) async throws -> [String: [UInt8]] {
        var found: [String: [UInt8]] = [:]
        for key in keys where found[key] == nil { found[key] = try await bytes(for: key) }
        return found
    }

    public func set(_ entries: [ModelCacheEntry]) async throws {
        for entry in entries { try await set(entry.bytes, for: entry.key) }
    }
}

/// One of several writes.
public struct ModelCacheEntry: Sendable, Hashable {
    /// The key to write.
    public var key: String
    /// Nil forgets what is kept for the key.
    public var bytes: [UInt8]?

    /// Creates an entry.
    public init(_ key: String, _ bytes: [UInt8]?) {
        self.key = key
        self.bytes = bytes
    }
}
