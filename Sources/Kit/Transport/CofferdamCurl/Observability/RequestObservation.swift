#if Curl
import Cofferdam
package import HTTPTypes

/// Reports one request from its start to its end. The end is reported exactly once: the first call counts, and if none
/// comes, as for a body that is dropped, the deinitialiser reports it. All methods may be called from any thread.
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

    /// Records that the request is sent again, for a retry or a redirect. The previous reply does not count.
    package func resend() {
        state.withLock { state in
            state.attempts += 1
            state.status = nil
            state.version = nil
        }
    }

    /// - Parameter version: the HTTP version, as `1.1` or `2`.
    package func receive(_ head: HTTPResponse, version: String? = nil) {
        state.withLock { state in
            state.status = head.status.code
            state.version = version
        }
        log?.receive(head)
    }

    /// Records that the reply is complete.
    ///
    /// - Parameter bodySize: the reply's size in bytes, where known.
    package func end(bodySize: Int? = nil) { end(nil, bodySize: bodySize, error: nil, isFault: false) }

    /// Records a failure. For errors that are not the client's own only the fact is reported, since their text may hold
    /// anything.
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

    /// Records that the consumer stopped reading the body: not a fault, but not a complete reply either.
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

/// The outcome of a request.
struct RequestEnd: Sendable {
    let status: Int?
    let version: String?
    let attempts: Int
    /// OpenTelemetry's `error.type`: an error's code, a status from 400 on, `cancelled`, `abandoned`; `nil` for none.
    let error: String?
    /// Whether the outcome is a failure; `false` when the consumer stopped reading the body.
    let isFault: Bool
    let cause: CurlError?
    let duration: Duration
    let requestBodySize: Int?
    let responseBodySize: Int?
}
#endif
