/// The waits of a client that tries again, which tests replace.
package struct Pacing: Sendable {
    /// Returns after the duration; throws `CancellationError` when the task is cancelled.
    package var pause: @Sendable (Duration) async throws -> Void
    /// Returns a random number from 0 to 1.
    package var random: @Sendable () -> Double
    package var now: @Sendable () -> ContinuousClock.Instant

    package init(
        pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        random: @escaping @Sendable () -> Double = { .random(in: 0..<1) },
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.pause = pause
        self.random = random
        self.now = now
    }
}
