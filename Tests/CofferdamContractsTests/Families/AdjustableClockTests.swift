import CofferdamContracts
import CofferdamTesting
import Testing

@Suite struct AdjustableClockTests {
    @Test func `a sleeper wakes once the clock has been advanced far enough`() async throws {
        let clock = AdjustableClock()
        async let sleeping: Void = clock.sleep(for: .seconds(3600))
        try await clock.waitForSleeper(of: .seconds(3000))
        clock.advance(by: .seconds(1800))
        try await clock.waitForSleeper(of: .seconds(1700))
        clock.advance(by: .seconds(1800))
        try await sleeping
        #expect(clock.now.offset >= .seconds(3600))
    }

    @Test func `a clock that is not advanced runs like the system's clock`() async throws {
        try await AdjustableClock().sleep(for: .milliseconds(1))
    }

    @Test func `a cancelled sleeper stops sleeping`() async throws {
        let clock = AdjustableClock()
        let sleeper = Task { try await clock.sleep(for: .seconds(3600)) }
        try await clock.waitForSleeper(of: .seconds(3000))
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }
}
