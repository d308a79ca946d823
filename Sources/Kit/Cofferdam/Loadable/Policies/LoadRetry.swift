/// Which failures of a run are answered by another attempt, how often and after what wait. A run whose callers have all left
/// stops at once, also in the midst of a wait.
public struct LoadRetry: Sendable {
    /// What an error's class says about another attempt.
    public enum Decision: Sendable, Hashable {
        /// Another attempt would fail the same.
        case stop
        /// After the wait that the back-off says.
        case retry
        /// After the delay that the failed service asked for.
        case retryAfter(Duration)
    }

    /// The first attempt included; 1 and less for no repetition.
    public var maximumAttempts: Int
    /// The delays between attempts.
    public var backoff: Backoff
    private let decide: @Sendable (any Error) -> Decision
    private let random: @Sendable () -> Double

    /// - Parameters:
    ///   - random: from 0 to 1, new for each wait: the jitter's share.
    ///   - decide: sorts errors into classes. `CancellationError` is never repeated.
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

    /// The wait before the next attempt; nil if there is to be none.
    ///
    /// - Parameter attempt: how many have failed in a row; 1 after the first.
    func wait(after attempt: Int, failing error: any Error) -> Duration? {
        guard attempt < maximumAttempts, !(error is CancellationError) else { return nil }
        return switch decide(error) {
        case .stop: nil
        case .retry: backoff.wait(attempt: attempt, random: random())
        case .retryAfter(let wait): wait
        }
    }
}
