import CoreMetrics
package import HTTPTypes
import Logging
import Tracing

/// Begins the observation of a client's requests. One for each client.
package struct RequestObserver: Sendable {
    private let logger: Logger?
    private let metrics: RequestMetrics?
    private let tracer: (any Tracer)?
    private let redaction: HeaderRedaction
    private let now: @Sendable () -> ContinuousClock.Instant

    /// `nil` when there is nothing to tell anybody.
    package init?(
        _ observability: CurlObservability,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        guard observability.logger != nil || observability.metrics != nil || observability.tracer != nil else {
            return nil
        }
        logger = observability.logger
        metrics = observability.metrics.map(RequestMetrics.init)
        tracer = observability.tracer
        redaction = HeaderRedaction(observability.redactedFields)
        self.now = now
    }

    /// Tells that a request begins, and puts the trace's context into its header fields.
    ///
    /// To be called in the caller's task, whose current span becomes the parent. The request need not be valid: of an
    /// authority that is refused, nothing is told.
    ///
    /// - Parameter bodySize: in bytes, where known.
    /// - Returns: what the rest is to be told to; `nil` when nobody listens.
    package func begin(_ request: inout HTTPRequest, bodySize: Int? = nil) -> RequestObservation? {
        let logger = logger.flatMap { $0.logLevel <= .debug ? $0 : nil }
        guard logger != nil || metrics != nil || tracer != nil else { return nil }
        let method = MethodLabel(request.method)
        let origin = RequestOrigin(request)
        let span = tracer.map { RequestSpan($0, method, origin) }
        if let tracer { span?.inject(by: tracer, into: &request.headerFields) }
        metrics?.begin(method)
        let log = logger.map { RequestLog($0, method, origin, redaction) }
        log?.begin(request)
        return RequestObservation(method, span, metrics, log, requestBodySize: bodySize, now: now)
    }
}

/// A method as a name of a small set, for spans and metrics: servers and callers cannot make more of them.
struct MethodLabel: Sendable, Hashable {
    private static let known: Set<String> = [
        "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE",
    ]

    /// For an unknown one `_OTHER`, as the conventions have it.
    let name: String

    init(_ method: HTTPRequest.Method) {
        name = Self.known.contains(method.rawValue) ? method.rawValue : "_OTHER"
    }

    var spanName: String { name == "_OTHER" ? "HTTP" : name }
}
