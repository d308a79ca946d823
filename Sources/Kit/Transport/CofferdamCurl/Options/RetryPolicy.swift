#if Curl
public import Cofferdam  // the waits are its Backoff
package import HTTPTypes

/// Which failures a client retries, how often and after what wait.
///
/// Regardless of the policy, a request that is not idempotent and has no `Idempotency-Key` is only repeated if the
/// server has certainly not seen it, and a body that cannot be replayed is never sent again.
public struct RetryPolicy: Sendable, Hashable {
    /// The maximum number of attempts, including the first; 1 or less disables retries.
    public var maximumAttempts: Int
    /// The errors that are retried.
    public var codes: Set<CurlError.Code>
    /// The statuses that are retried.
    public var statuses: Set<Int>
    /// The waits between attempts, in addition to the server's `Retry-After`.
    public var backoff: Backoff
    /// The longest `Retry-After` that is honoured; when the server asks for more, the reply is returned to the caller.
    public var maximumRetryAfter: Duration

    /// Sets the policy; the defaults are those of ``standard``.
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

    /// Never retries.
    public static let never = RetryPolicy(maximumAttempts: 1, codes: [], statuses: [])

    /// Makes up to three attempts, for lost connections, time-outs, gateway errors and overload.
    public static let standard = RetryPolicy()

    /// The standard policy with changes: `.standard { $0.maximumAttempts = 5 }`.
    public static func standard(_ change: (inout RetryPolicy) -> Void) -> RetryPolicy {
        var policy = RetryPolicy.standard
        change(&policy)
        return policy
    }

    /// Decides what follows an attempt. The caller asks the ``RetryBudget`` afterwards.
    ///
    /// - Parameters:
    ///   - attempt: how many attempts have been made; 1 after the first.
    ///   - request: the request that was sent: after a redirect, the last hop's.
    ///   - isBodyReplayable: whether its body can be sent again from the start: true for an empty one, and for a stream
    ///     of which nothing was read.
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

/// The outcome of an attempt.
package enum RetryOutcome: Sendable {
    case failed(CurlError)
    case answered(HTTPResponse)

    fileprivate func isListed(in policy: RetryPolicy) -> Bool {
        switch self {
        case .failed(let error):
            // A proxy's refusal is an answer.
            error.proxyStatus.map(policy.statuses.contains) ?? policy.codes.contains(error.code)
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
    /// Whether sending the request twice has the same effect as sending it once: by its method (RFC 9110, section
    /// 9.2.2), or because its `Idempotency-Key` identifies it to the server.
    package var isRepeatable: Bool {
        switch method {
        case .get, .head, .options, .trace, .put, .delete: true
        default: headerFields.contains(where: \.isIdempotencyKey)
        }
    }
}

extension HTTPField {
    /// Whether the field identifies its request to the server. An empty one does not.
    var isIdempotencyKey: Bool { name.canonicalName == "idempotency-key" && !value.isEmpty }
}
#endif
