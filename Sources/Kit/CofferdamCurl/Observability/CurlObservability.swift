public import CoreMetrics  // takes a MetricsFactory
public import HTTPTypes  // names the header fields to redact
public import Logging  // takes a Logger
public import Tracing  // takes a Tracer

/// Where a client tells what it does: any of a log, metrics and traces. Nothing process-wide is read or set.
///
/// Names are those of OpenTelemetry's semantic conventions for HTTP clients. Neither paths, queries nor bodies are told, and
/// header fields only at the log level `trace`, those that may hold a secret as `<redacted>`.
///
/// What is not given costs nothing, nor does a logger above `debug`.
public struct CurlObservability: Sendable {
    /// Gets each request's begin and end at `debug`, and its header fields at `trace`.
    public var logger: Logger?
    /// Gets the timer `http.client.request.duration`, the meter `http.client.active_requests`, and the recorders
    /// `http.client.request.body.size` and `http.client.response.body.size`.
    public var metrics: (any MetricsFactory)?
    /// Gets one span for each request, retries and redirects included, as a child of the task's current one.
    public var tracer: (any Tracer)?
    /// Further header fields whose values are not to be logged.
    public var redactedFields: Set<HTTPField.Name>

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

    /// Nothing is told.
    public static let none = CurlObservability()
}
