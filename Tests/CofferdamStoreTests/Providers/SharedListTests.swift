import CofferdamStore
import Testing

/// Checks providers that share a key, also while paused.
@Suite struct SharedListTests {
    private let kept = Kept()
    private let log = ListLog<Part>()

    /// A change that one provider makes.
    struct Mutation: CustomTestStringConvertible {
        let testDescription: String
        let change: CollectionChange
        let ids: [Int]
        let apply: @Sendable (CollectionDataProvider<Part>) throws -> Void
    }

    static let mutations = [
        Mutation(testDescription: "set", change: .reset, ids: [5, 6]) { $0.set(parts([5, 6]), context: "why") },
        Mutation(testDescription: "update", change: .steps([.update(at: 1)]), ids: [1, 2, 3]) {
            try $0.replace(at: 1, by: Part(id: 2, value: 9), context: "why")
        },
        Mutation(testDescription: "insert", change: .steps([.insert(at: 1), .insert(at: 2)]), ids: [1, 5, 6, 2, 3]) {
            try $0.insert(parts([5, 6]), at: 1, context: "why")
        },
        Mutation(testDescription: "append", change: .steps([.insert(at: 3), .insert(at: 4)]), ids: [1, 2, 3, 5, 6]) {
            $0.append(parts([5, 6]), context: "why")
        },
        Mutation(testDescription: "remove", change: .steps([.remove(at: 0)]), ids: [2, 3]) {
            try $0.remove(at: 0, context: "why")
        },
    ]

    private func provider() -> CollectionDataProvider<Part> { CollectionDataProvider(key: "k", in: kept.cached) }

    @Test(arguments: mutations)
    func `a change reaches the siblings at once, with exact steps and context, in one batch call and one write`(
        _ mutation: Mutation
    ) async throws {
        let (first, second) = (provider(), provider())
        first.set(parts([1, 2, 3]))
        try await kept.cached.written()
        kept.cache.forgetCalls()
        second.delegate = log
        let batchLog = BatchLog()
        let batch = ProviderBatch([second, first], delegate: batchLog)
        try mutation.apply(first)
        #expect(second.data.map(\.id) == mutation.ids && first.data == second.data)
        #expect(log.changes == [mutation.change] && log.contexts == ["why"])
        #expect(batchLog.changed == [[ObjectIdentifier(second)]] && batchLog.contexts == ["why"])
        try await kept.cached.written()
        #expect(kept.cache.writes.filter { $0 == "list/part/k" }.count == 1)
        #expect(kept.cache["list/part/k"] == "\(mutation.ids)".replacing(" ", with: ""))
        kept.store.set(Part(id: try #require(second.data.last).id, value: 77))
        #expect(second.data.last?.value == 77, "what came in is followed")
        withExtendedLifetime(batch) {}
    }

    @Test(arguments: mutations)
    func `a list without providers is read, changed and saved; one with providers is not read`(
        _ mutation: Mutation
    ) async throws {
        do { provider().set(parts([1, 2, 3])) }
        try await kept.cached.written()
        let cold = kept.reopened()
        try await CollectionDataProvider<Part>.edit("k", in: cold) { try mutation.apply($0) }
        #expect(kept.cache["list/part/k"] == "\(mutation.ids)".replacing(" ", with: ""))

        let shown = CollectionDataProvider<Part>(key: "k", in: kept.cached)
        shown.set(parts([1, 2, 3]))
        shown.delegate = log
        try await kept.cached.written()
        kept.cache.forgetCalls()
        try await CollectionDataProvider<Part>.edit("k", in: kept.cached) { try mutation.apply($0) }
        #expect(!kept.cache.reads.contains("list/part/k"))
        #expect(shown.data.map(\.id) == mutation.ids && log.changes == [mutation.change])
    }

    @Test func `an equal list notifies no one, set by a provider or without one`() async throws {
        let (first, second) = (provider(), provider())
        first.set(parts([1, 2]))
        second.delegate = log
        first.set(parts([1, 2]))
        try await CollectionDataProvider.set(parts([1, 2]), key: "k", in: kept.cached)
        #expect(log.count == 0)
    }

    @Test func `lists of different keys and of different models are separate`() {
        let other = CollectionDataProvider<Part>(key: "other", in: kept.cached)
        let boxes = CollectionDataProvider<Box>(key: "k", in: kept.cached)
        provider().set(parts([1]))
        #expect(other.data.isEmpty && boxes.data.isEmpty)
    }

    @Test func `a later provider shows the others' list, and a released one is freed`() {
        weak var released: CollectionDataProvider<Part>?
        let first = provider()
        first.set(parts([1]))
        do {
            let second = provider()
            released = second
            #expect(second.data == first.data)
        }
        #expect(released == nil)
        first.append(parts([2]))
        #expect(provider().data.map(\.id) == [1, 2])
    }

    @Test(arguments: mutations, [false, true])
    func `a paused provider shows all changes at once when it resumes`(
        _ mutation: Mutation,
        isPausedByBatch: Bool
    ) throws {
        let (first, second) = (provider(), provider())
        first.set(parts([1, 2, 3]))
        second.delegate = log
        let batchLog = BatchLog()
        let batch = ProviderBatch([second], delegate: batchLog)
        if isPausedByBatch { batch.pause() } else { second.pause() }
        kept.store.set(Part(id: 3, value: 1), context: "before")
        try mutation.apply(first)
        #expect(second.data.map(\.id) == [1, 2, 3] && log.count == 0 && batchLog.count == 0)
        if isPausedByBatch { batch.resume() } else { second.resume() }
        #expect(second.data == first.data && log.changes == [.reset] && log.contexts == ["why"])
        #expect(batchLog.contexts == ["why"])
        kept.store.set(Part(id: try #require(second.data.last).id, value: 55))
        #expect(log.count == 2 && batchLog.count == 2)
    }

    @Test func `a pause of the changing provider does not affect the others`() {
        let (first, second) = (provider(), provider())
        first.set(parts([1]))
        second.delegate = log
        first.pause()
        first.append(parts([2]))
        #expect(first.data.map(\.id) == [1, 2] && second.data == first.data && log.count == 1)
        first.resume()
        #expect(log.count == 1)
    }

    @Test func `changes in a pause that cancel out notify no one`() throws {
        let (first, second) = (provider(), provider())
        first.set(parts([1, 2]))
        second.delegate = log
        second.pause()
        first.append(parts([3]))
        try first.remove(at: 2)
        second.resume()
        #expect(log.count == 0 && second.data == first.data)
    }

    @Test func `changes in a pause arrive even if the changing provider was released`() {
        let second = provider()
        do {
            let first = provider()
            first.set(parts([1]))
            second.pause()
            first.append(parts([2]))
        }
        second.resume()
        #expect(second.data.map(\.id) == [1, 2])
    }

    @Test func `of several changes in a pause the newest list is shown`() {
        let (first, second, third) = (provider(), provider(), provider())
        first.set(parts([1]))
        second.pause()
        first.append(parts([2]))
        third.set(parts([7]))
        second.resume()
        #expect(second.data.map(\.id) == [7])
    }

    @Test func `an element that left the list in the update that removed it can be inserted again, and is saved`()
        async throws
    {
        let (provider, list) = (provider(), StoreCollection<Part>(key: "k", in: kept.store))
        provider.set(parts([1, 5, 2]))
        kept.store.update { update in
            update.remove(Part.self, id: 5)
            #expect(throws: Never.self) { try update.remove(at: 1, in: list) }
        }
        try provider.insert(parts([5]), at: 0)
        #expect(provider.data.map(\.id) == [5, 1, 2])
        let again = CollectionDataProvider<Part>(key: "k", in: try await kept.flushed())
        #expect(try await again.fetch()?.map(\.id) == [5, 1, 2])
    }

    @Test func `a provider's own change after an update without effect notifies no one`() throws {
        let (provider, list) = (provider(), StoreCollection<Part>(key: "k", in: kept.store))
        provider.set(parts([1, 2, 1]))
        provider.delegate = log
        kept.store.update { update in
            update.set(parts([]), in: list)
            update.set(parts([1, 2, 1]), in: list)
        }
        try provider.replace(at: 2, by: Part(id: 3, value: 0))
        #expect(provider.data.map(\.id) == [1, 2, 3] && log.count == 0)
        kept.store.set(Part(id: 2, value: 1))
        #expect(log.changes == [.steps([.update(at: 1)])])
    }
}
