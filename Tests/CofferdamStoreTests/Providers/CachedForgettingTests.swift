import CofferdamStore
import Testing

/// Checks that data that the cache could not remove at sign-out is never shown again.
@Suite struct CachedForgettingTests {
    private let kept = Kept()
    private var cache: SpyCache { kept.cache }
    private let broken = SpyCache.Broken(key: "all")

    private func part() -> DataProvider<Part> { DataProvider<Part>(in: kept.cached) }
    private func list() -> CollectionDataProvider<Part> { CollectionDataProvider<Part>(key: "k", in: kept.cached) }

    /// Signs out while the cache fails.
    private func signOut() async throws {
        part().set(Part(id: 1, value: 1))
        list().set(parts([1, 2]))
        try await kept.cached.written()
        cache.breaks("all")
        await #expect(throws: broken) { try await kept.cached.removeAll() }
        #expect(cache["model/part/1"] != nil, "else there would be nothing to show")
        cache.forgetCalls()
    }

    @Test func `nothing is read from a cache that could not be emptied`() async throws {
        try await signOut()
        await #expect(throws: broken) { try await part().fetch(1) }
        await #expect(throws: broken) { try await list().fetch() }
        #expect(cache.reads == [])
    }

    @Test func `nothing is written to a cache that could not be emptied`() async throws {
        try await signOut()
        part().set(Part(id: 3, value: 3))
        await #expect(throws: broken) { try await kept.cached.written() }
        list().append(parts([4]))
        await #expect(throws: broken) { try await kept.cached.written() }
        #expect(cache.writes == [])
    }

    @Test func `as soon as the cache can be emptied it is, and works again`() async throws {
        try await signOut()
        await #expect(throws: broken) { try await part().fetch(1) }
        cache.breaks("all", false)
        #expect(try await part().fetch(1) == nil)
        #expect(try await list().fetch() == nil)
        #expect(cache.entryCount == 0)
        part().set(Part(id: 3, value: 3))
        try await kept.cached.written()
        #expect(try await DataProvider<Part>(in: kept.reopened()).fetch(3)?.value == 3)
    }

    @Test func `the cache is emptied before a write, and what is written then stays`() async throws {
        try await signOut()
        cache.breaks("all", false)
        part().set(Part(id: 3, value: 3))
        try await kept.cached.written()
        #expect(cache["model/part/1"] == nil && cache["model/part/3"] != nil)
        #expect(try await part().fetch(1) == nil)
        #expect(cache["model/part/3"] != nil)
    }
}
