import Cofferdam

/// A cache in memory, which ends with the process.
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

    /// - Parameter maximumBytes: how much is kept, keys and bytes together; the least recently used entries are evicted
    ///   first. Nil for no limit. An entry that alone exceeds the limit is not kept: writing it removes its key's
    ///   old entry, and evicts no other. So with 0 no entry with a key or bytes is kept.
    public init(maximumBytes: Int? = nil) { self.maximumBytes = maximumBytes ?? .max }

    /// Returns one entry and marks it as used; nil if there is none.
    public func bytes(for key: String) async -> [UInt8]? {
        state.withLock { $0.read(key) }
    }

    /// Returns several entries as of one moment. Keys without an entry are absent from the result.
    public func bytes(for keys: [String]) async -> [String: [UInt8]] {
        state.withLock { state in
            var found: [String: [UInt8]] = [:]
            for key in keys where found[key] == nil { found[key] = state.read(key) }
            return found
        }
    }

    /// Keeps one entry, or removes it if the bytes are nil.
    public func set(_ bytes: [UInt8]?, for key: String) async { await set([ModelCacheEntry(key, bytes)]) }

    /// Keeps and removes entries at once; evicts the least recently used beyond the limit.
    public func set(_ entries: [ModelCacheEntry]) async {
        state.withLock { state in
            for entry in entries { state.write(entry, maximumBytes) }
        }
    }

    /// Removes all entries. The statistics stay.
    public func removeAll() async { state.withLock { $0.entries = RecentEntries() } }

    /// The statistics since the cache was created.
    public var statistics: CacheStatistics { state.withLock { $0.statistics } }
}

/// How often a cache was used, and with what result.
public struct CacheStatistics: Sendable, Hashable {
    /// Reads that found an entry.
    public internal(set) var hits = 0
    /// Reads that found none.
    public internal(set) var misses = 0
    /// Entries that were evicted.
    public internal(set) var evictions = 0

    /// Creates statistics of zero.
    package init() {}
}

/// Bytes by key, in the order of their last use. Each step takes constant time.
struct RecentEntries {
    /// A link of the ring from the oldest to the newest entry.
    private struct Slot {
        var key = ""
        var bytes: [UInt8] = []
        var older = 0
        var newer = 0
    }

    /// The first slot is not an entry: it closes the ring, between the newest and the oldest.
    private var slots = [Slot()]
    private var free: [Int] = []
    private var places: [String: Int] = [:]
    /// The size of keys and bytes together.
    private(set) var totalBytes = 0

    static func size(_ key: String, _ bytes: [UInt8]) -> Int { key.utf8.count + bytes.count }

    /// Returns the key's bytes, and makes it the newest.
    mutating func use(_ key: String) -> [UInt8]? {
        guard let place = places[key] else { return nil }
        unlink(place)
        link(place)
        return slots[place].bytes
    }

    /// The key must not exist yet.
    mutating func insert(_ key: String, _ bytes: [UInt8]) {
        let place = free.popLast() ?? slots.count
        if place == slots.count { slots.append(Slot()) }
        slots[place] = Slot(key: key, bytes: bytes)
        link(place)
        places[key] = place
        totalBytes += Self.size(key, bytes)
    }

    mutating func remove(_ key: String) {
        guard let place = places.removeValue(forKey: key) else { return }
        unlink(place)
        totalBytes -= Self.size(slots[place].key, slots[place].bytes)
        slots[place] = Slot()
        free.append(place)
    }

    mutating func removeOldest() { remove(slots[slots[0].newer].key) }

    private mutating func unlink(_ place: Int) {
        let (older, newer) = (slots[place].older, slots[place].newer)
        slots[older].newer = newer
        slots[newer].older = older
    }

    private mutating func link(_ place: Int) {
        let newest = slots[0].older
        slots[place].older = newest
        slots[place].newer = 0
        slots[newest].newer = place
        slots[0].older = place
    }
}
