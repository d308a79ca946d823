/// A clock that starts at zero when it is created.
struct Stopwatch: Sendable {
    /// The time since the stopwatch was created.
    let elapsed: @Sendable () -> Duration
    /// Sleeps until that time.
    let sleep: @Sendable (_ end: Duration) async throws -> Void

    init(_ clock: some Clock<Duration>) {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }
}
