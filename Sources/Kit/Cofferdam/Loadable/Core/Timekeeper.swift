/// A clock without its type: what time it is since the start, and sleep.
struct Timekeeper: Sendable {
    /// The usual clock is read without a detour: reading it is most of what a fresh answer costs.
    private let continuousOrigin: ContinuousClock.Instant?
    private let read: @Sendable () -> Duration
    private let sleepFor: @Sendable (Duration) async throws -> Void

    init(_ clock: some Clock<Duration>) {
        let origin = clock.now
        continuousOrigin = (clock as? ContinuousClock)?.now
        read = { origin.duration(to: clock.now) }
        sleepFor = { try await clock.sleep(for: $0) }
    }

    var now: Duration {
        guard let continuousOrigin else { return read() }
        return continuousOrigin.duration(to: ContinuousClock.now)
    }

    /// - Throws: `CancellationError` as soon as the task is cancelled.
    func sleep(for duration: Duration) async throws { try await sleepFor(duration) }
}
