import Cofferdam
package import HTTPTypes  // reads heads, which are HTTPResponse

/// What a reconnecting sequence takes from the world: time, chance, and the reading of `Retry-After`.
package struct Pacing: Sendable {
    /// Returns when the time is over; throws `CancellationError` when the task is cancelled.
    package var pause: @Sendable (Duration) async throws -> Void
    /// From 0 to 1.
    package var random: @Sendable () -> Double
    package var now: @Sendable () -> ContinuousClock.Instant
    /// How long the reply's `Retry-After` asks to wait; `nil` when it does not.
    package var retryAfter: @Sendable (HTTPResponse) -> Duration?

    package init(
        pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        random: @escaping @Sendable () -> Double = { .random(in: 0..<1) },
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        retryAfter: @escaping @Sendable (HTTPResponse) -> Duration? = { RetryAfter.delay(from: $0) }
    ) {
        self.pause = pause
        self.random = random
        self.now = now
        self.retryAfter = retryAfter
    }
}

/// Counts the attempts that brought nothing, and waits before the next.
struct Reconnection {
    /// Why the attempt before brought nothing, or no more.
    enum Cause {
        /// The reply ended, as the protocol has it.
        case end
        case failure(CurlError)
        /// A status that says: later.
        case refusal(HTTPResponse)
    }

    /// What the server named in the stream.
    var serverWait: Duration?
    private let policy: ReconnectPolicy
    private let pacing: Pacing
    private var attempts = 0

    init(_ policy: ReconnectPolicy, _ pacing: Pacing) {
        self.policy = policy
        self.pacing = pacing
    }

    /// Whether the status says that the same request may succeed later.
    static func isRefusal(_ head: HTTPResponse) -> Bool { [429, 500, 502, 503, 504].contains(head.status.code) }

    mutating func hasArrived() { attempts = 0 }

    /// Waits before another attempt.
    ///
    /// - Returns: whether there is to be one.
    /// - Throws: the failure, when it is final or the last that was allowed; `CancellationError`.
    mutating func wait(after cause: Cause) async throws -> Bool {
        // A server that ends a compressed stream by closing its connection cuts its coding off.
        if case .failure(let error) = cause, !error.isRetryable, error != .cutCoding { throw error }
        if let maximum = policy.maximumAttempts, attempts >= maximum {
            switch cause {
            case .end: return false
            case .failure(let error): throw error
            case .refusal(let head): throw CurlError(unexpected: head)
            }
        }
        attempts += 1
        try await pacing.pause(duration(after: cause))
        return true
    }

    private func duration(after cause: Cause) -> Duration {
        var backoff = policy.backoff
        var least = Duration.zero
        if let asked = serverWait.map(bounded) {
            backoff.initial = asked
            least = asked
        }
        if case .refusal(let head) = cause, let asked = pacing.retryAfter(head) { least = max(least, bounded(asked)) }
        return max(least, backoff.wait(attempt: attempts, random: pacing.random()))
    }

    private func bounded(_ wait: Duration) -> Duration { max(.zero, min(wait, policy.maximumServerWait)) }
}

extension CurlError {
    /// A reply that cannot be what was asked for.
    init(unexpected head: HTTPResponse) {
        self.init(.protocol, "the server answered with the status \(head.status.code)", wasSent: true)
    }
}
