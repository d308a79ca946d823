/// The system's clock, ten times as fast: for rules whose time must run out before they say what is wrong.
struct HurriedClock: Clock {
    private let clock = ContinuousClock()
    private let start = ContinuousClock.now

    struct Instant: InstantProtocol {
        var offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    }

    var now: Instant { Instant(offset: start.duration(to: clock.now) * 10) }
    var minimumResolution: Duration { clock.minimumResolution * 10 }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try await clock.sleep(until: start.advanced(by: deadline.offset / 10), tolerance: nil)
    }
}
