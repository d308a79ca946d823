import Cofferdam

/// A cache that ends with the process.
public final class MemoryCache: ModelCache {
    private struct State {
        var entries = RecentEntries()
        var statistics = CacheStatistics()

        mutating func read(_ key: String) -> [UInt8]? {
            let bytes = entries.use(key)
            if bytes == nil { statistics.misses += 1 } else { statistics.hits += 1 }
            return bytes
        }

        mutating func write(_ entry: ModelCacheEntry, _ maximumBytes: Int) {
            entries.remove(entry.key)
            guard let bytes = entry.bytes else { return }
            guard RecentEntries.size(entry.key, bytes) <= maximumBytes else {
                statistics.evictions += 1
                return
            }
            entries.insert(entry.key, bytes)
            while entries.totalBytes > maximumBytes {
                entries.removeOldest()
                statistics.evictions += 1
            }
        }
    }

    private let state = Mutex(State())
    private let maximumBytes: Int

    /// - Parameter maximumBytes: how much is kept, keys and bytes together; what was read or written least recently goes
    ///   first. Nil for no limit. With 0 nothing is ever kept, nor is an entry that is greater than the limit by itself:
    ///   writing it forgets what its key had, and no other entry goes for it.
    public init(maximumBytes: Int? = nil) { self.maximumBytes = maximumBytes ?? .max }

    public func bytes(for key: String) async -> [UInt8]? {
        state.withLock { $0.read(key) }
    }

    public func bytes(for keys: [String]) async -> [String: [UInt8]] {
        state.withLock { state in
            var found: [String: [UInt8]] = [:]
            for key in keys where found[key] == nil { found[key] = state.read(key) }
            return found
        }
    }

    public func set(_ bytes: [UInt8]?, for key: String) async { await set([ModelCacheEntry(key, bytes)]) }

    public func set(_ entries: [ModelCacheEntry]) async {
        state.withLock { state in
            for entry in entries { state.write(entry, maximumBytes) }
        }
    }

    public func removeAll() async { state.withLock { $0.entries = RecentEntries() } }

    /// Since the cache was made.
    public var statistics: CacheStatistics { state.withLock { $0.statistics } }
}

/// What came of the calls of a cache.
public struct CacheStatistics: Sendable, Hashable {
    /// Keys that were asked for and found.
    public internal(set) var hits = 0
    /// Keys that were asked for in vain.
    public internal(set) var misses = 0
    /// Entries that were forgotten for want of room.
    public internal(set) var evictions = 0

    public init() {}
}
