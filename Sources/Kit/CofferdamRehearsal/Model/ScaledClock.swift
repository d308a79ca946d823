/// A clock that passes faster than another one: what takes a while in an upgrade of weeks takes less in one of minutes.
struct ScaledClock<Base: Clock>: Clock where Base.Duration == Swift.Duration {
    typealias Instant = ClockInstant

    private let base: Base
    private let times: Int
    private let start: Base.Instant

    /// - Parameter times: how many seconds pass in one of the other's.
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
