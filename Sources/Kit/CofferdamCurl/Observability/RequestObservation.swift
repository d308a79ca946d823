import Cofferdam
package import HTTPTypes

/// Tells of one request, from its begin to its end, which it tells exactly once: the first one that comes, and without any,
/// as for a body that is dropped, its own. May be called from any thread.
package final class RequestObservation: Sendable {
    private let method: MethodLabel
    private let span: RequestSpan?
    private let metrics: RequestMetrics?
    private let log: RequestLog?
    private let requestBodySize: Int?
    private let now: @Sendable () -> ContinuousClock.Instant
    private let begun: ContinuousClock.Instant
    private let state = Mutex(State())

    private struct State {
        var status: Int?
        var version: String?
        var attempts = 1
        var isEnded = false
    }

    init(
        _ method: MethodLabel,
        _ span: RequestSpan?,
        _ metrics: RequestMetrics?,
        _ log: RequestLog?,
        requestBodySize: Int?,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.method = method
        self.span = span
        self.metrics = metrics
        self.log = log
        self.requestBodySize = requestBodySize
        self.now = now
        begun = now()
    }

    deinit { abandon() }

    /// The request is sent once more: a retry, or to where a redirect leads. What was answered before does not count.
    package func resend() {
        state.withLock { state in
            state.attempts += 1
            state.status = nil
            state.version = nil
        }
    }

    /// - Parameter version: of HTTP, as `1.1` or `2`.
    package func receive(_ head: HTTPResponse, version: String? = nil) {
        state.withLock { state in
            state.status = head.status.code
            state.version = version
        }
        log?.receive(head)
    }

    /// The reply is complete.
    ///
    /// - Parameter bodySize: of the reply, in bytes, where known.
    package func end(bodySize: Int? = nil) { end(nil, bodySize: bodySize, error: nil, isFault: false) }

    /// There is no complete reply. Of errors that are not the client's own only that they were is told: their text may
    /// hold anything.
    package func end(throwing error: any Error) {
        switch error {
        case let error as CurlError: end(error, bodySize: nil, error: error.code.description, isFault: true)
        case is CancellationError: end(nil, bodySize: nil, error: "cancelled", isFault: true)
        default: end(nil, bodySize: nil, error: "_OTHER", isFault: true)
        }
    }

    func end(with end: Result<Void, any Error>, bodySize: Int) {
        switch end {
        case .success: self.end(bodySize: bodySize)
        case .failure(let error): self.end(throwing: error)
        }
    }

    /// The consumer has had enough of the body: no fault, but no complete reply either.
    package func abandon() { end(nil, bodySize: nil, error: "abandoned", isFault: false) }

    private func end(_ cause: CurlError?, bodySize: Int?, error: String?, isFault: Bool) {
        let final: State? = state.withLock { state in
            guard !state.isEnded else { return nil }
            state.isEnded = true
            return state
        }
        guard let final else { return }
        var error = error
        var isFault = isFault
        if error == nil, let status = final.status, status >= 400 {
            error = String(status)
            isFault = true
        }
        let end = RequestEnd(
            status: final.status,
            version: final.version,
            attempts: final.attempts,
            error: error,
            isFault: isFault,
            cause: cause,
            duration: now() - begun,
            requestBodySize: requestBodySize,
            responseBodySize: bodySize
        )
        metrics?.end(method, end)
        log?.end(end)
        span?.end(end)
    }
}

/// How a request came out.
struct RequestEnd: Sendable {
    let status: Int?
    let version: String?
    let attempts: Int
    /// OpenTelemetry's `error.type`: an error's code, a status from 400 on, `cancelled`, `abandoned`; `nil` for none.
    let error: String?
    /// Not for a body that the consumer had enough of.
    let isFault: Bool
    let cause: CurlError?
    let duration: Duration
    let requestBodySize: Int?
    let responseBodySize: Int?
}
