import Cofferdam
import CofferdamState
import CofferdamStore
import CofferdamTesting
import TestSupport
import Testing

@Suite final class StoreListTests: Sendable {
    private let cache = SpyCache()
    private let store = Store()
    private let server = Mutex<Result<[Part], TestError>>(.success([Part(id: 1, value: 1), Part(id: 2, value: 2)]))

    private static let down = TestError("down")

    /// A saved format that differs from the model.
    private struct PartRecord: Codable { var text: String }

    private func list(
        in store: Store? = nil,
        owner: ListOwner = .everyone,
        freshness: Freshness = .always,
        time: Duration = .zero,
        reports: Log<any Error> = Log(),
        load: (@Sendable () async throws -> [Part])? = nil
    ) -> StoreList<Part> {
        let storage = ListStorage(cache, timeSince1970: { time }) { reports.add($0) }
        let persistence = ListPersistence<Part>(storage, key: "parts", owner: owner, isPersistent: { $0.value >= 0 }) {
            PartRecord(text: "\($0.id) \($0.value)")
        } model: { record in
            let numbers = record.text.split(separator: " ").compactMap { Int($0) }
            guard numbers.count == 2 else { throw TestError(record.text) }
            return Part(id: numbers[0], value: numbers[1])
        }
        return StoreList(
            in: store ?? self.store,
            persistence: persistence,
            freshness: freshness,
            load: load ?? { [self] in try server.withLock { try $0.get() } }
        )
    }

    @Test func `loading fills the list, the store and the storage`() async throws {
        let list = list()
        #expect(try await list.loadable.fetch() == [Part(id: 1, value: 1), Part(id: 2, value: 2)])
        await list.save()
        #expect(Array(list.collection.elements) == [Part(id: 1, value: 1), Part(id: 2, value: 2)])
        #expect(store.model(Part.self, id: 2)?.value == 2)
        #expect(cache["parts"]?.contains("1 1") == true)
    }

    @Test func `a change in the store appears in the loaded list, and a removal too`() async throws {
        let list = list()
        try await list.loadable.fetch()
        store.set(Part(id: 2, value: 20))
        #expect(list.loadable.snapshot.contents == [Part(id: 1, value: 1), Part(id: 2, value: 20)])
        store.remove(Part.self, id: 1)
        #expect(list.loadable.snapshot.contents == [Part(id: 2, value: 20)])
    }

    @Test func `a pending insertion that is confirmed stays in the loaded list, as the service has made it`()
        async throws
    {
        let list = list()
        try await list.loadable.fetch()
        let shown = Mutex<[[Int]]>([])
        let token = list.loadable.observe { snapshot in
            shown.withLock { $0.append((snapshot.contents ?? []).map(\.id)) }
        }
        let write = list.collection.insertOptimistically(Part(id: 9, value: 9))
        store.confirm(write) { $0.upsert(Part(id: 3, value: 3), in: list.collection) }
        #expect(list.loadable.snapshot.contents?.map(\.id) == [1, 2, 3])
        #expect(list.loadable.snapshot.settledContents?.map(\.id) == [1, 2, 3])
        #expect(
            shown.withLock { $0 }.allSatisfy { $0.count != 1 }
                && Set(shown.withLock { $0 }) == [[1, 2], [1, 2, 9], [1, 2, 3]]
        )
        withExtendedLifetime(token) {}
    }

    @Test func `loading notifies observers once`() async throws {
        let list = list()
        let contents = Mutex<[[Part]]>([])
        let token = list.loadable.observe { snapshot in
            guard snapshot.state == .succeeded, let parts = snapshot.contents else { return }
            contents.withLock { $0.append(parts) }
        }
        try await list.loadable.fetch()
        #expect(contents.withLock { $0.count } == 1)
        withExtendedLifetime(token) {}
    }

    @Test(arguments: [Duration.seconds(40), .seconds(160)])
    func `a list that was saved while the clock was ahead is not fresh`(at time: Duration) async throws {
        let first = list(time: .seconds(100))
        try await first.loadable.fetch()
        await first.save()
        let new = [Part(id: 3, value: 3)]
        server.withLock { $0 = .success(new) }
        let second = list(in: Store(), freshness: .for(.seconds(300)), time: time)
        let contents = try await second.loadable.fetchIfNeeded()
        #expect(contents == (time < .seconds(100) ? new : [Part(id: 1, value: 1), Part(id: 2, value: 2)]))
    }

    @Test(arguments: [Int64.min, .max])
    func `a saved moment that cannot be is read, and saved again`(_ moment: Int64) async throws {
        let first = list()
        try await first.loadable.fetch()
        await first.save()
        let saved = try #require(cache["parts"])
        cache["parts"] = saved.replacing(/"loadedAt":-?\d+/, with: "\"loadedAt\":\(moment)")
        #expect(cache["parts"] != saved)
        server.withLock { $0 = .failure(Self.down) }
        let second = list(in: Store(), time: .seconds(60))
        await #expect(throws: Self.down) { try await second.loadable.fetch() }
        #expect(second.loadable.snapshot.contents?.count == 2)
        await second.save()
        #expect(cache["parts"]?.contains("loadedAt") == true)
    }

    @Test func `the next launch shows the saved list, with its age, when loading fails`() async throws {
        let first = list()
        try await first.loadable.fetch()
        await first.save()
        server.withLock { $0 = .failure(Self.down) }
        let second = list(in: Store(), time: .seconds(60))
        await #expect(throws: Self.down) { try await second.loadable.fetch() }
        #expect(second.loadable.snapshot.contents == [Part(id: 1, value: 1), Part(id: 2, value: 2)])
        #expect((second.loadable.age ?? .zero) >= .seconds(60))
        #expect(Array(second.collection.elements).count == 2)
    }

    @Test func `a restored model does not replace a newer one in the store`() async throws {
        let first = list()
        try await first.loadable.fetch()
        await first.save()
        server.withLock { $0 = .failure(Self.down) }
        let store = Store()
        store.set(Part(id: 1, value: 100))
        let second = list(in: store)
        await second.restore()
        #expect(store.model(Part.self, id: 1)?.value == 100)
        #expect(store.model(Part.self, id: 2)?.value == 2)
        await #expect(throws: Self.down) { try await second.loadable.fetch() }
        #expect(second.loadable.snapshot.contents == [Part(id: 1, value: 100), Part(id: 2, value: 2)])
    }

    @Test func `put appends and updates an element of a loaded list`() async throws {
        let list = list()
        try await list.loadable.fetch()
        list.put(Part(id: 3, value: -1), epoch: list.epoch)
        list.put(Part(id: 1, value: 10), epoch: list.epoch)
        #expect(list.loadable.snapshot.contents?.map(\.value) == [10, 2, -1])
    }

    @Test func `a model that is put before the list is loaded is in the store only`() {
        let list = list()
        list.put(Part(id: 3, value: 3), epoch: list.epoch)
        #expect(list.loadable.snapshot.contents == nil)
        #expect(list.collection.elements.isEmpty)
        #expect(store.model(Part.self, id: 3)?.value == 3)
    }

    @Test func `update changes an element and adds none`() async throws {
        let list = list()
        try await list.loadable.fetch()
        list.update(Part(id: 1, value: 10))
        list.update(Part(id: 9, value: 9))
        #expect(list.loadable.snapshot.contents?.map(\.value) == [10, 2])
    }

    @Test func `a model that is not persistent is not saved`() async throws {
        let list = list()
        try await list.loadable.fetch()
        list.put(Part(id: 3, value: -1), epoch: list.epoch)
        await list.save()
        #expect(cache["parts"]?.contains("3 -1") == false)
        #expect(cache["parts"]?.contains("2 2") == true)
    }

    @Test func `forgetting empties the list, the store and the storage, and ends a load that is under way`()
        async throws
    {
        let gate = TestGate()
        let isFirst = Mutex(true)
        let list = list { [self] in
            let isFirst = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if !isFirst { await gate.pass() }
            return try server.withLock { try $0.get() }
        }
        try await list.loadable.fetch()
        await list.save()
        let epoch = list.epoch
        let running = Task { try await list.loadable.fetch() }
        await until { gate.arrivals == 1 }
        try await list.forget()
        gate.open()
        let error = await #expect(throws: LoadableError.self) { try await running.value }
        #expect(error?.code == .givenUp)
        list.put(Part(id: 5, value: 5), epoch: epoch)
        #expect(list.loadable.snapshot.contents == nil)
        #expect(list.collection.elements.isEmpty)
        #expect(store.model(Part.self, id: 1) == nil)
        #expect(store.model(Part.self, id: 5) == nil)
        #expect(cache["parts"] == nil)
    }

    @Test func `a response from before the list was forgotten changes nothing in the list that was loaded since`()
        async throws
    {
        let list = list()
        try await list.loadable.fetch()
        let epoch = list.epoch
        try await list.forget()
        try await list.loadable.fetch()
        list.put(Part(id: 5, value: 5), epoch: epoch)
        #expect(list.loadable.snapshot.contents?.map(\.id) == [1, 2])
        #expect(list.collection.elements.map(\.id) == [1, 2])
        #expect(store.model(Part.self, id: 5) == nil)
    }

    @Test func `a list that cannot be deleted is an error that names it, and is forgotten in memory`() async throws {
        let list = list()
        try await list.loadable.fetch()
        await list.save()
        cache.breaks("parts")
        let error = await #expect(throws: ListNotDeleted.self) { try await list.forget() }
        #expect(error?.key == "parts")
        #expect(error?.description.contains("parts") == true)
        #expect(list.loadable.snapshot.contents == nil)
        #expect(list.collection.elements.isEmpty)
    }

    @Test func `a user's list is not restored for another user, and not saved without one`() async throws {
        let user = Mutex<String?>(nil)
        let owner = ListOwner.user { user.withLock { $0 } }
        let first = list(owner: owner)
        try await first.loadable.fetch()
        await first.save()
        #expect(cache["parts"] == nil)
        user.withLock { $0 = "amara" }
        await first.save()
        #expect(cache["parts"] != nil)
        server.withLock { $0 = .failure(Self.down) }
        user.withLock { $0 = "kenji" }
        let other = list(in: Store(), owner: owner)
        await #expect(throws: Self.down) { try await other.loadable.fetch() }
        #expect(other.loadable.snapshot.contents == nil)
        user.withLock { $0 = "amara" }
        let again = list(in: Store(), owner: owner)
        await #expect(throws: Self.down) { try await again.loadable.fetch() }
        #expect(again.loadable.snapshot.contents?.count == 2)
    }

    @Test(arguments: ["no JSON", #"{"loadedAt":0,"owner":"","items":[{"text":"none"}]}"#])
    func `a saved list that cannot be read is reported, and the list is loaded`(saved: String) async throws {
        cache["parts"] = saved
        let reports = Log<any Error>()
        let list = list(reports: reports)
        #expect(try await list.loadable.fetch().count == 2)
        #expect(reports.entries.count == 1)
    }

    @Test func `models can be saved as they are`() async throws {
        let storage = ListStorage(cache)
        let persistence = ListPersistence<Part>(storage, key: "as they are")
        let list = StoreList(in: store, persistence: persistence) { [Part(id: 7, value: 7)] }
        try await list.loadable.fetch()
        await list.save()
        let next = Store()
        await StoreList(in: next, persistence: persistence) { [] }.restore()
        #expect(next.model(Part.self, id: 7)?.value == 7)
    }

    @Test func `loaded models are completed with what the store knows`() async throws {
        store.set(Part(id: 1, value: 41))
        let list = StoreList<Part>(
            in: store,
            resolve: { models, update in
                models.map { Part(id: $0.id, value: $0.value + (update.model(Part.self, id: 1)?.value ?? 0)) }
            },
            load: { [Part(id: 2, value: 1)] }
        )
        #expect(try await list.loadable.fetch() == [Part(id: 2, value: 42)])
        #expect(list.resolved(Part(id: 3, value: 2)).value == 43)
        #expect(store.model(Part.self, id: 3) == nil)
    }
}
