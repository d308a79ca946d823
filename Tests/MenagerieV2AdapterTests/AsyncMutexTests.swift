#if Sandbox
import Cofferdam
import Testing

@testable import MenagerieV2Adapter

@Suite struct AsyncMutexTests {
    @Test("One at a time passes, and all of them in the end")
    func oneAtATime() async throws {
        let mutex = AsyncMutex()
        let gauge = Gauge()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try await mutex.run {
                        gauge.enter()
                        await Task.yield()
                        gauge.leave()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(gauge.most == 1)
    }

    @Test("CANC-02: a waiter that is cancelled leaves at once, and does not block the others")
    func cancelled() async throws {
        let mutex = AsyncMutex()
        let isInside = Latch()
        let mayLeave = Latch()
        async let first: Void = mutex.run {
            isInside.open()
            try await mayLeave.wait()
        }
        try await isInside.wait()
        let second = Task { try await mutex.run { Issue.record("a cancelled task has passed") } }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        mayLeave.open()
        try await first
        #expect(try await mutex.run { 3 } == 3)
    }

    @Test("A failing body releases the mutex")
    func failed() async throws {
        let mutex = AsyncMutex()
        await #expect(throws: DeadlineExceeded.self) { try await mutex.run { throw DeadlineExceeded() } }
        #expect(try await mutex.run { 3 } == 3)
    }

    @Test("A latch lets through earlier and later waiters")
    func latch() async throws {
        let latch = Latch()
        async let early: Void = latch.wait()
        latch.open()
        latch.open()
        try await early
        try await latch.wait()
    }
}

/// The maximum number inside at once.
private final class Gauge: Sendable {
    private let counts = Mutex((inside: 0, most: 0))

    var most: Int { counts.withLock { $0.most } }

    func enter() {
        counts.withLock { counts in
            counts.inside += 1
            counts.most = max(counts.most, counts.inside)
        }
    }

    func leave() { counts.withLock { $0.inside -= 1 } }
}
#endif
