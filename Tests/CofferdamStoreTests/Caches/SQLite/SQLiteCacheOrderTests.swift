#if SQLite
import Cofferdam
import CofferdamStore
import CofferdamTesting
import Dispatch
import Testing

@Suite struct SQLiteCacheOrderTests {
    @available(macOS 26, iOS 26, *)
    @Test func `calls of many tasks take effect in their order, even while the first still waits`() async throws {
        let gate = SealGate()
        let cache = try SQLiteCache(path: nil, configuration: .defaults { $0.seal = gate.seal })
        let first = Task.immediate { try await cache.set([0], for: "held") }
        await gate.untilReached()
        var writes = [first]
        var reads: [Task<[UInt8]?, any Error>] = []
        for number in 1...100 as ClosedRange<UInt8> {
            writes.append(Task.immediate { try await cache.set([number], for: "k") })
            if number.isMultiple(of: 10) { reads.append(Task.immediate { try await cache.bytes(for: "k") }) }
        }
        gate.open()
        for write in writes { try await write.value }
        for (index, read) in reads.enumerated() {
            #expect(
                try await read.value == [UInt8(10 * (index + 1))],
                "it sees the writes called before, and no other"
            )
        }
        #expect(try await cache.bytes(for: ["held", "k"]) == ["held": [0], "k": [100]])
    }

    @available(macOS 26, iOS 26, *)
    @Test func `a write that is cancelled while it waits never happens`() async throws {
        let gate = SealGate()
        let cache = try SQLiteCache(path: nil, configuration: .defaults { $0.seal = gate.seal })
        let first = Task.immediate { try await cache.set([0], for: "held") }
        await gate.untilReached()
        let second = Task.immediate { try await cache.set([1], for: "k") }
        let third = Task.immediate { try await cache.bytes(for: "held") }
        second.cancel()
        third.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        await #expect(throws: CancellationError.self) { try await third.value }
        gate.open()
        try await first.value
        #expect(try await cache.bytes(for: ["held", "k"]) == ["held": [0]])
    }

    @available(macOS 26, iOS 26, *)
    @Test func `of writes that wait together, only the faulty ones fail`() async throws {
        let gate = SealGate(refused: "bad")
        let cache = try SQLiteCache(path: nil, configuration: .defaults { $0.seal = gate.seal })
        let first = Task.immediate { try await cache.set([0], for: "held") }
        await gate.untilReached()
        let before = Task.immediate { try await cache.set([1], for: "before") }
        let batch = Task.immediate {
            try await cache.set([ModelCacheEntry("half", [1]), ModelCacheEntry("bad", [1])])
        }
        let after = Task.immediate { try await cache.set([2], for: "after") }
        gate.open()
        try await first.value
        try await before.value
        await #expect(throws: Unsealable.self) { try await batch.value }
        try await after.value
        let kept = try await cache.bytes(for: ["held", "before", "half", "bad", "after"])
        #expect(kept == ["held": [0], "before": [1], "after": [2]])
    }

    @Test func `each of many tasks reads what it has written`() async throws {
        let cache = try SQLiteCache(path: nil)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<20 as Range<UInt8> {
                group.addTask {
                    for number in 0..<50 as Range<UInt8> {
                        try await cache.set([number], for: "\(task)")
                        #expect(try await cache.bytes(for: "\(task)") == [number])
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}

/// Holds the first write until the gate opens, and refuses writes of one key.
final class SealGate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let reached = AsyncStream<Void>.makeStream()
    private let isOpen = Mutex(false)
    private let refused: String?

    init(refused: String? = nil) { self.refused = refused }

    var seal: CacheSeal {
        CacheSeal(
            seal: { bytes, key in
                if key == self.refused { throw Unsealable() }
                if !self.isOpen.withLock({ $0 }) {
                    self.reached.continuation.finish()
                    self.semaphore.wait()
                }
                return bytes
            },
            open: { bytes, _ in bytes }
        )
    }

    func untilReached() async { for await _ in reached.stream {} }

    func open() {
        isOpen.withLock { $0 = true }
        semaphore.signal()
    }
}
#endif
