public import Cofferdam  // the pauses between tries

/// Which failures of a run lead to another attempt, how often and after which delay. A run without callers stops at
/// once, even during a delay.
public struct LoadRetry: Sendable {
    /// Whether an error is worth another attempt.
    public enum Decision: Sendable, Hashable {
        /// Another attempt would fail too.
        case stop
        /// Retry after the delay of the backoff.
        case retry
        /// Retry after a delay that the service asked for.
        case retryAfter(Duration)
    }

    /// The maximum number of attempts, including the first.
    var maximumAttempts: Int
    /// The delays between attempts.
    var backoff: Backoff
    private let decide: @Sendable (any Error) -> Decision
    private let random: @Sendable () -> Double

    /// - Parameters:
    ///   - random: returns a random number from 0 to 1 for the jitter of each delay.
    ///   - decide: classifies an error. `CancellationError` is never retried.
    public init(
        maximumAttempts: Int = 4,
        backoff: Backoff = Backoff(),
        random: @escaping @Sendable () -> Double = { .random(in: 0...1) },
        decide: @escaping @Sendable (any Error) -> Decision = { _ in .retry }
    ) {
        self.maximumAttempts = maximumAttempts
        self.backoff = backoff
        self.random = random
        self.decide = decide
    }

    /// Each run is one attempt.
    public static let never = LoadRetry(maximumAttempts: 1)

    /// The delay before the next attempt; nil if there is none.
    ///
    /// - Parameter attempt: the number of failed attempts in a row.
    func wait(after attempt: Int, failing error: any Error) -> Duration? {
        guard attempt < maximumAttempts, !(error is CancellationError) else { return nil }
        return switch decide(error) {
        case .stop: nil
        case .retry: backoff.wait(attempt: attempt, random: random())
        case .retryAfter(let wait): wait
        }
    }
}
