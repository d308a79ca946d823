/// Saves bytes by key, beyond the lifetime of a store.
///
/// Calls from any task take effect in the order in which they are made, so a read sees every earlier write. Keys are the same
/// if they are equal strings.
///
/// A cancelled task gets `CancellationError`. Its write is not made if it has not begun; one that has begun may be made.
public protocol ModelCache: Sendable {
    /// Returns the bytes of a key; nil if there is no entry, which is not the same as no bytes.
    func bytes(for key: String) async throws -> [UInt8]?

    /// Returns the bytes of several keys; keys without an entry are absent.
    ///
    /// The default implementation reads one after the other, so a write may come in between.
    func bytes(for keys: [String]) async throws -> [String: [UInt8]]

    /// Saves the bytes of a key; nil removes the entry.
    func set(_ bytes: [UInt8]?, for key: String) async throws

    /// Writes all entries or, if it throws, none; the last entry of a key counts.
    ///
    /// The default implementation writes one after the other; entries before a failed one stay.
    func set(_ entries: [ModelCacheEntry]) async throws

    /// Removes everything, as at sign-out. It must work on a full disk.
    ///
    /// - Throws: if something readable is left. A ``CachedStore`` then calls it again before anything else.
    func removeAll() async throws
}

extension ModelCache {
    /// Reads the keys one by one. Caches with a cheaper way implement it.
    public func bytes(for keys: [String]) async throws -> [String: [UInt8]] {
        var found: [String: [UInt8]] = [:]
        for key in keys where found[key] == nil { found[key] = try await bytes(for: key) }
        return found
    }

    /// Writes the entries one by one. Caches with transactions implement it.
    public func set(_ entries: [ModelCacheEntry]) async throws {
        for entry in entries { try await set(entry.bytes, for: entry.key) }
    }
}

/// A write of one key.
public struct ModelCacheEntry: Sendable, Hashable {
    /// The key to write.
    public var key: String
    /// The bytes to save; nil to remove the entry.
    public var bytes: [UInt8]?

    /// Creates an entry.
    public init(_ key: String, _ bytes: [UInt8]?) {
        self.key = key
        self.bytes = bytes
    }
}
