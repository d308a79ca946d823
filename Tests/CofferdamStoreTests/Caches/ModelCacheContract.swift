import CofferdamStore
import Testing

/// Checks the requirements of every cache; run for each implementation.
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
    try await checkKeys(cache)
    try await checkBatches(cache)
    try await cache.removeAll()
    #expect(try await cache.bytes(for: "b'; DROP TABLE entry; --") == nil)
    try await cache.set([2], for: "a")
    #expect(try await cache.bytes(for: "a") == [2])
}

/// Checks that keys are equal exactly if they are equal strings.
private func checkKeys(_ cache: some ModelCache) async throws {
    let different = ["", " ", "\0", "a\0", "a\0b", "é", "E", "e", "🐘", String(repeating: "k", count: 5000)]
    for (index, key) in different.enumerated() { try await cache.set([UInt8(index)], for: key) }
    for (index, key) in different.enumerated() {
        #expect(try await cache.bytes(for: key) == [UInt8(index)], "\(key.debugDescription)")
    }
    try await cache.set([77], for: "e\u{301}")
    #expect(try await cache.bytes(for: "\u{e9}") == [77])
    #expect(try await cache.bytes(for: ["\u{e9}", "e\u{301}"]) == ["é": [77]])
}

private func checkBatches(_ cache: some ModelCache) async throws {
    try await cache.set([9], for: "there")
    try await cache.set([])
    try await cache.set([
        ModelCacheEntry("one", [1]), ModelCacheEntry("there", nil), ModelCacheEntry("two", [2]),
        ModelCacheEntry("one", [3]), ModelCacheEntry("two", nil), ModelCacheEntry("empty", []),
    ])
    #expect(try await cache.bytes(for: []) == [:])
    #expect(try await cache.bytes(for: ["one", "two", "there", "empty", "one"]) == ["one": [3], "empty": []])
}
