import CofferdamTesting
import CofferdamUpgrade
import Testing

@testable import CofferdamRehearsal

@Suite(.timeLimit(.minutes(2)))
struct SteadyClockTests {
    @Test func `read all the time, the clock passes normally, and a stall counts as one late beat`() {
        let base = SkippingClock()
        let clock = SteadyClock(base)
        let start = clock.now
        for _ in 0..<70 {
            base.advance(by: .milliseconds(10))
            _ = clock.now
        }
        #expect(start.duration(to: clock.now) == .milliseconds(700))
        base.advance(by: .seconds(2))
        #expect(start.duration(to: clock.now) == .milliseconds(730))
        base.advance(by: .seconds(-1))
        #expect(start.duration(to: clock.now) == .milliseconds(730))
    }

    @Test func `a sleeper wakes by this clock, however late the base clock is`() async throws {
        let clock = SteadyClock(SkippingClock { _ in true })
        let start = clock.now
        try await clock.sleep(for: .milliseconds(400))
        #expect((.milliseconds(400)...(.milliseconds(430))).contains(start.duration(to: clock.now)))
    }

    @Test func `its beats keep it running while nobody reads it, and end with the body`() async throws {
        let clock = SteadyClock(SkippingClock())
        let start = clock.now
        let end = try await clock.beating {
            while start.duration(to: clock.now) < .seconds(1) { await Task.yield() }
            return "done"
        }
        #expect(end == "done")
        await #expect(throws: CancellationError.self) {
            try await clock.beating { throw CancellationError() }
        }
    }

    /// Stalls for two seconds in one call of twenty, once the old SDK has been watched.
    private static let stalls = { @Sendable (sleep: Int) in sleep > 3_000 && sleep.isMultiple(of: 20) }

    @Test func `a machine that stalls does not make a good candidate slow`() async throws {
        let report = try await ToyUpgrade.walk(.good, clock: SteadyClock(SkippingClock(stallsAt: Self.stalls)))
        #expect(report.problems.isEmpty)
        // Nor with a clock that does not compensate: the stalls affect both arms of the canary.
        let both = try await ToyUpgrade.walk(.good, clock: SkippingClock(stallsAt: Self.stalls))
        #expect(both.problems.isEmpty)
    }

    @Test func `a slow candidate is slow on a machine that stalls too`() async throws {
        let report = try await ToyUpgrade.walk(.slow, clock: SteadyClock(SkippingClock(stallsAt: Self.stalls)))
        #expect(report.problems.isEmpty)
    }
}
