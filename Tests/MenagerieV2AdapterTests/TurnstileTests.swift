import Cofferdam
import Testing

@testable import MenagerieV2Adapter

@Suite struct TurnstileTests {
    @Test("One at a time passes, and everybody in the end")
    func oneAtATime() async throws {
        let turnstile = Turnstile()
        let inside = Mutex(0)
        let most = Mutex(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try await turnstile.run {
                        let now = inside.withLock { inside in
                            inside += 1
                            return inside
                        }
                        most.withLock { $0 = max($0, now) }
                        await Task.yield()
                        inside.withLock { $0 -= 1 }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(most.withLock { $0 } == 1)
    }

    @Test("CANC-02: one who is cancelled while waiting leaves at once, and does not keep the others out")
    func cancelled() async throws {
        let turnstile = Turnstile()
        let isInside = Latch()
        let mayLeave = Latch()
        async let first: Void = turnstile.run {
            isInside.open()
            try await mayLeave.wait()
        }
        try await isInside.wait()
        let second = Task { try await turnstile.run { Issue.record("a cancelled task has passed") } }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        mayLeave.open()
        try await first
        #expect(try await turnstile.run { 3 } == 3)
    }

    @Test("One who fails leaves too")
    func failed() async throws {
        let turnstile = Turnstile()
        await #expect(throws: DeadlineExceeded.self) { try await turnstile.run { throw DeadlineExceeded() } }
        #expect(try await turnstile.run { 3 } == 3)
    }

    @Test("A latch lets through who came before it opened, and who comes after")
    func latch() async throws {
        let latch = Latch()
        async let early: Void = latch.wait()
        latch.open()
        latch.open()
        try await early
        try await latch.wait()
    }
}
