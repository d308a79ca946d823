#if Curl
public import CoreMetrics  // takes a MetricsFactory
public import HTTPTypes  // names the header fields to redact
public import Logging  // takes a Logger
public import Tracing  // takes a Tracer

/// The logger, metrics factory and tracer that a client reports to, each optional. The client neither reads nor sets
/// anything process-wide.
///
/// Names follow OpenTelemetry's semantic conventions for HTTP clients. Paths, queries and bodies are never reported;
/// header fields are logged only at `trace`, and those that may hold a secret as `<redacted>`.
///
/// A missing destination costs nothing, and neither does a logger above `debug`.
public struct CurlObservability: Sendable {
    /// Logs each request's start and end at `debug`, and its header fields at `trace`.
    var logger: Logger?
    /// Receives the timer `http.client.request.duration`, the meter `http.client.active_requests`, and the recorders
    /// `http.client.request.body.size` and `http.client.response.body.size`.
    var metrics: (any MetricsFactory)?
    /// Receives one span for each request, retries and redirects included, as a child of the task's current span.
    var tracer: (any Tracer)?
    /// Additional header fields whose values are redacted.
    var redactedFields: Set<HTTPField.Name>

    /// Sets the destinations; nil leaves one out.
    public init(
        logger: Logger? = nil,
        metrics: (any MetricsFactory)? = nil,
        tracer: (any Tracer)? = nil,
        redactedFields: Set<HTTPField.Name> = []
    ) {
        self.logger = logger
        self.metrics = metrics
        self.tracer = tracer
        self.redactedFields = redactedFields
    }

    /// Reports nothing.
    public static let none = CurlObservability()
}
#endif
