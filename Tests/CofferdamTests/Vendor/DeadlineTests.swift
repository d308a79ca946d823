import Cofferdam
import CofferdamTesting
import Testing
import TestSupport

@Suite struct DeadlineTests {
    @Test func `an operation within its limit returns its value`() async throws {
        let clock = TestClock()
        #expect(try await withDeadline(.seconds(5), clock: clock) { 42 } == 42)
        #expect(clock.sleeperCount == 0)
    }

    @Test func `an operation's own error is its error`() async {
        await #expect(throws: TestError("own")) {
            try await withDeadline(.seconds(5), clock: TestClock()) { throw TestError("own") }
        }
    }

    @Test func `exactly at the limit, and not before, the operation is cancelled and the deadline exceeded`() async {
        let clock = TestClock()
        let log = Log<String>()
        let task = Task {
            try await withDeadline(.seconds(5), clock: clock) {
                do { try await clock.sleep(for: .seconds(60)) } catch {
                    log.add("cancelled")
                    throw error
                }
            }
        }
        await until { clock.sleeperCount == 2 }
        clock.advance(by: .seconds(5) - .nanoseconds(1))
        #expect(clock.sleeperCount == 2)
        #expect(log.entries.isEmpty)
        clock.advance(by: .nanoseconds(1))
        await #expect(throws: DeadlineExceeded.self) { try await task.value }
        #expect(log.entries == ["cancelled"])
        #expect(clock.sleeperCount == 0)
    }

    @Test func `a cancelled caller gets CancellationError, and the operation stops`() async {
        let clock = TestClock()
        let task = Task {
            try await withDeadline(.seconds(5), clock: clock) { try await clock.sleep(for: .seconds(60)) }
        }
        await until { clock.sleeperCount == 2 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleeperCount == 0)
    }
}
