import CofferdamStore
import Testing

/// What every cache must do, run over each that there is.
func checkCache(_ cache: some ModelCache) async throws {
    #expect(try await cache.bytes(for: "a") == nil)
    try await cache.set([], for: "a")
    #expect(try await cache.bytes(for: "a") == [])
    try await cache.set(Array(0...255), for: "a")
    try await cache.set([1], for: "b'; DROP TABLE entry; --")
    #expect(try await cache.bytes(for: "a") == Array(0...255))
    #expect(try await cache.bytes(for: "b'; DROP TABLE entry; --") == [1])
    #expect(try await cache.bytes(for: "A") == nil)
    try await cache.set(nil, for: "a")
    try await cache.set(nil, for: "never there")
    #expect(try await cache.bytes(for: "a") == nil)
    try await cache.removeAll()
    #expect(try await cache.bytes(for: "b'; DROP TABLE entry; --") == nil)
    try await cache.set([2], for: "a")
    #expect(try await cache.bytes(for: "a") == [2])
}

@Suite struct MemoryCacheTests {
    @Test func `a cache in memory keeps bytes by key`() async throws { try await checkCache(MemoryCache()) }
}
