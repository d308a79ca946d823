import CofferdamStore
import Testing

@Suite struct ModelCacheTests {
    /// A cache without batch writes.
    private struct Simple: ModelCache {
        let cache = MemoryCache()
        func bytes(for key: String) async throws -> [UInt8]? { await cache.bytes(for: key) }
        func set(_ bytes: [UInt8]?, for key: String) async throws { await cache.set(bytes, for: key) }
        func removeAll() async throws { await cache.removeAll() }
    }

    @Test func `a cache that implements only single calls has batches by default`() async throws {
        try await checkCache(Simple())
    }

    @Test func `a cache in memory keeps bytes by key`() async throws { try await checkCache(MemoryCache()) }
}
