/// The system's clock at three times its speed, for rules that report a violation only after a timeout. At a higher
/// speed, the clean port would time out too on a busy machine.
struct FastClock: Clock {
    private static let factor = 3
    private let clock = ContinuousClock()
    private let start = ContinuousClock.now

    struct Instant: InstantProtocol {
        var offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    }

    var now: Instant { Instant(offset: start.duration(to: clock.now) * Self.factor) }
    var minimumResolution: Duration { clock.minimumResolution * Self.factor }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try await clock.sleep(until: start.advanced(by: deadline.offset / Self.factor), tolerance: nil)
    }
}
