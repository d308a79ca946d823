/// A clock that runs faster than another one, because a rehearsal of minutes cannot wait as long as an upgrade of
/// weeks.
struct ScaledClock<Base: Clock>: Clock where Base.Duration == Swift.Duration {
    typealias Instant = ClockInstant

    private let base: Base
    private let times: Int
    private let start: Base.Instant

    /// - Parameter times: how many of its seconds pass in one second of the other clock.
    init(_ base: Base, times: Int) {
        self.base = base
        self.times = max(1, times)
        start = base.now
    }

    var now: Instant { Instant(offset: start.duration(to: base.now) * times) }
    var minimumResolution: Duration { base.minimumResolution * times }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try await base.sleep(
            until: start.advanced(by: deadline.offset / times),
            tolerance: tolerance.map { $0 / times }
        )
    }
}
