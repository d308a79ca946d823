#if Curl
import Cofferdam
import CofferdamSupport
import HTTPTypes

/// Counts attempts without data, and waits before the next.
struct Reconnection {
    /// The reason the previous attempt ended.
    enum Cause {
        /// The reply ended normally.
        case end
        case failure(CurlError)
        /// The status asks the client to try later.
        case refusal(HTTPResponse)
    }

    /// The wait that the server requested in the stream.
    var serverWait: Duration?
    private let policy: ReconnectPolicy
    private let pacing: Pacing
    private var attempts = 0

    init(_ policy: ReconnectPolicy, _ pacing: Pacing) {
        self.policy = policy
        self.pacing = pacing
    }

    /// Whether the status means that the same request may succeed later.
    static func isRefusal(_ head: HTTPResponse) -> Bool { [429, 500, 502, 503, 504].contains(head.status.code) }

    mutating func hasArrived() { attempts = 0 }

    /// Waits before another attempt.
    ///
    /// - Returns: whether to make another attempt.
    /// - Throws: the failure, when it is permanent or was the last allowed; `CancellationError`.
    mutating func wait(after cause: Cause) async throws -> Bool {
        // A server that ends a compressed stream by closing its connection truncates its coding.
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
        if case .refusal(let head) = cause, let asked = RetryAfter.delay(from: head) {
            least = max(least, bounded(asked))
        }
        return max(least, backoff.wait(attempt: attempts, random: pacing.random()))
    }

    private func bounded(_ wait: Duration) -> Duration { max(.zero, min(wait, policy.maximumServerWait)) }
}

extension CurlError {
    /// Creates the error for an unexpected status.
    init(unexpected head: HTTPResponse) {
        self.init(.protocol, "the server answered with the status \(head.status.code)", wasSent: true)
    }
}
#endif
