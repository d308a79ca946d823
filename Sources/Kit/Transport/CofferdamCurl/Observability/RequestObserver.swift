#if Curl
import CoreMetrics
package import HTTPTypes
import Logging
import Tracing

/// Starts the observation of a client's requests. Each client has one.
package struct RequestObserver: Sendable {
    private let logger: Logger?
    private let metrics: RequestMetrics?
    private let tracer: (any Tracer)?
    private let redaction: HeaderRedaction
    private let now: @Sendable () -> ContinuousClock.Instant

    /// Creates an observer; `nil` when there is no destination.
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

    /// Records the start of a request, and adds the trace context to its header fields.
    ///
    /// Call it in the caller's task, whose current span becomes the parent. The request need not be valid; an authority
    /// that is refused is not reported.
    ///
    /// - Parameter bodySize: the request body's size in bytes, where known.
    /// - Returns: the observation for the rest of the request; `nil` when no destination is active.
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

/// A method's name from a fixed set, for spans and metrics, so that neither servers nor callers can add values.
struct MethodLabel: Sendable, Hashable {
    private static let known: Set<String> = [
        "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE",
    ]

    /// The method's name, or `_OTHER` if it is unknown, following the conventions.
    let name: String

    init(_ method: HTTPRequest.Method) {
        name = Self.known.contains(method.rawValue) ? method.rawValue : "_OTHER"
    }

    var spanName: String { name == "_OTHER" ? "HTTP" : name }
}
#endif
