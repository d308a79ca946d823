/// A clock that starts at zero when this is made.
struct Stopwatch: Sendable {
    /// The time since it was made.
    let elapsed: @Sendable () -> Duration
    /// Sleeps until that time.
    let sleep: @Sendable (_ end: Duration) async throws -> Void

    init(_ clock: some Clock<Duration>) {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }
}
