public import Cofferdam  // the waits are its Backoff
package import HTTPTypes

/// Which failures a client answers by sending the request once more, how often and after what wait.
///
/// Whatever the policy says, a request that is neither idempotent nor carries an `Idempotency-Key` is not repeated unless
/// the server has certainly not seen it, and a body that cannot be given again is never sent again.
public struct RetryPolicy: Sendable, Hashable {
    /// The first attempt included; 1 and less for no repetition.
    public var maximumAttempts: Int
    /// The failures that another attempt may overcome.
    public var codes: Set<CurlError.Code>
    /// The replies that another attempt may overcome.
    public var statuses: Set<Int>
    /// The waits; one that the server asks for by `Retry-After` comes on top.
    public var backoff: Backoff
    /// When the server asks for a longer wait, the reply is handed to the caller instead.
    public var maximumRetryAfter: Duration

    public init(
        maximumAttempts: Int = 3,
        codes: Set<CurlError.Code> = [.dns, .connect, .timeout, .truncated, .connectionLost],
        statuses: Set<Int> = [408, 429, 502, 503, 504],
        backoff: Backoff = Backoff(initial: .milliseconds(200), maximum: .seconds(10)),
        maximumRetryAfter: Duration = .seconds(30)
    ) {
        self.maximumAttempts = maximumAttempts
        self.codes = codes
        self.statuses = statuses
        self.backoff = backoff
        self.maximumRetryAfter = maximumRetryAfter
    }

    /// Each request is sent once.
    public static let never = RetryPolicy(maximumAttempts: 1, codes: [], statuses: [])

    /// Three attempts, against lost connections, time-outs, gateways and overload.
    public static let standard = RetryPolicy()

    /// The standard, changed in place: `.standard { $0.maximumAttempts = 5 }`.
    public static func standard(_ change: (inout RetryPolicy) -> Void) -> RetryPolicy {
        var policy = RetryPolicy.standard
        change(&policy)
        return policy
    }

    /// What comes after a failed attempt. A ``RetryBudget`` is asked after it, not by it.
    ///
    /// - Parameters:
    ///   - attempt: how many attempts have been made; 1 after the first.
    ///   - request: the one that was sent: after a redirect, that of the last hop.
    ///   - isBodyReplayable: whether its body can be given again from its beginning: true for an empty one, and for a
    ///     stream of which nothing was read.
    ///   - now: in seconds since 1970; read only when the server names a date.
    ///   - random: from 0 to 1; read only when a wait is to be computed.
    package func decision(
        attempt: Int,
        request: HTTPRequest,
        isBodyReplayable: Bool,
        outcome: RetryOutcome,
        now: @autoclosure () -> Int = RetryAfter.now,
        random: @autoclosure () -> Double = .random(in: 0...1)
    ) -> RetryDecision {
        guard attempt < maximumAttempts, isBodyReplayable, outcome.isListed(in: self),
            outcome.isUnsent || request.isRepeatable
        else { return .stop }
        var wait = Duration.zero
        if case .answered(let response) = outcome, let asked = RetryAfter.delay(from: response, now: now()) {
            guard asked <= maximumRetryAfter else { return .stop }
            wait = asked
        }
        return .retry(after: wait + backoff.wait(attempt: attempt, random: random()))
    }
}

/// What an attempt came to.
package enum RetryOutcome: Sendable {
    case failed(CurlError)
    case answered(HTTPResponse)

    fileprivate func isListed(in policy: RetryPolicy) -> Bool {
        switch self {
        case .failed(let error): policy.codes.contains(error.code)
        case .answered(let response): policy.statuses.contains(response.status.code)
        }
    }

    fileprivate var isUnsent: Bool {
        guard case .failed(let error) = self else { return false }
        return error.wasSent == false
    }
}

package enum RetryDecision: Sendable, Hashable {
    case retry(after: Duration)
    case stop
}

extension HTTPRequest {
    /// Whether to send it twice does no more than to send it once: by its method (RFC 9110, section 9.2.2), or because the
    /// server knows it again by its `Idempotency-Key`.
    package var isRepeatable: Bool {
        switch method {
        case .get, .head, .options, .trace, .put, .delete: true
        default: headerFields.contains { $0.name.canonicalName == "idempotency-key" && !$0.value.isEmpty }
        }
    }
}
