import Cofferdam
import CofferdamStore
import Testing

@Suite struct SequenceTests {
    private let store = Store()

    @Test func `states begin with the current value and skip untaken ones, but not the last`() async {
        store.set(Part(id: 1, value: 1))
        var states = store.states(Part.self, id: 1).makeAsyncIterator()
        #expect(await states.next()??.value == 1)
        store.set(Part(id: 1, value: 2))
        store.set(Part(id: 1, value: 3))
        #expect(await states.next()??.value == 3)
        store.remove(Part.self, id: 1)
        #expect(await states.next() == .some(nil))
    }

    @Test func `every consumer sees all, and one that is cancelled ends`() async {
        let (store, sequence) = (store, store.states(Part.self, id: 1))
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let tasks = (0..<10).map { _ in
            Task {
                var last: Part?
                for await part in sequence {
                    begin.yield()
                    last = part
                    if part?.value == 2 { break }
                }
                return last
            }
        }
        let cancelled = Task {
            var count = 0
            for await _ in sequence {
                begin.yield()
                count += 1
            }
            return count
        }
        var beginnings = begun.makeAsyncIterator()
        for _ in 0..<11 { await beginnings.next() }
        cancelled.cancel()
        #expect(await cancelled.value == 1)
        store.set(Part(id: 1, value: 2))
        for task in tasks { #expect(await task.value?.value == 2) }
    }

    @Test func `events arrive with their context; a slow consumer gets the current value instead`() async throws {
        var events = store.events(Part.self, id: 1, limit: 3).makeAsyncIterator()
        for value in 1...2 { store.set(Part(id: 1, value: value), context: value) }
        for expected in [nil, 1, 2] as [Int?] {
            let event = try #require(try await events.next())
            #expect(event.value?.value == expected && event.context as? Int == expected)
        }
        for value in 10...20 { store.set(Part(id: 1, value: value)) }
        var seen: [Int?] = []
        repeat { seen.append(try #require(try await events.next()).value?.value) } while seen.last != 20
        #expect(seen.count <= 3)
    }
}
