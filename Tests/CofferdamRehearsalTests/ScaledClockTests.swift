import CofferdamTesting
import Testing

@testable import CofferdamRehearsal

struct ScaledClockTests {
    @Test func `it runs that many times as fast as its base clock`() async throws {
        let base = SkippingClock()
        base.advance(by: .seconds(7))
        let clock = ScaledClock(base, times: 10)
        let start = clock.now
        base.advance(by: .milliseconds(300))
        #expect(start.duration(to: clock.now) == .seconds(3))
        let before = base.now
        try await clock.sleep(for: .seconds(30))
        #expect(before.duration(to: base.now) == .seconds(3))
        #expect(start.duration(to: clock.now) == .seconds(33))
    }
}
