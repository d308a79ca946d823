#if Curl
import Cofferdam
import CoreMetrics

/// Records a client's request metrics, following OpenTelemetry's semantic conventions for HTTP client metrics.
///
/// The dimensions have few values: a method from a fixed set, a status, an error code. Hosts are not among them. Each
/// metric always has the same dimensions, with `none` where one does not apply, because some backends reject anything
/// else.
final class RequestMetrics: Sendable {
    private let factory: any MetricsFactory
    private let instruments = Mutex(Instruments())

    private struct Instruments {
        var active: [MethodLabel: Meter] = [:]
        var completed: [Dimensions: Completed] = [:]
    }

    private struct Dimensions: Hashable {
        let method: MethodLabel
        let status: String
        let error: String

        var pairs: [(String, String)] {
            [
                ("http.request.method", method.name), ("http.response.status_code", status), ("error.type", error),
            ]
        }
    }

    private struct Completed {
        let duration: Timer
        let requestBodySize: Recorder
        let responseBodySize: Recorder
    }

    init(_ factory: any MetricsFactory) { self.factory = factory }

    func begin(_ method: MethodLabel) { active(method).increment() }

    func end(_ method: MethodLabel, _ end: RequestEnd) {
        active(method).decrement()
        let status = end.status.map { (100...599).contains($0) ? String($0) : "_OTHER" } ?? "none"
        // An invalid status must not become an unbounded error type.
        let error = status == "_OTHER" && end.error == end.status.map(String.init) ? "_OTHER" : end.error ?? "none"
        let completed = completed(Dimensions(method: method, status: status, error: error))
        completed.duration.recordNanoseconds(end.duration.wholeNanoseconds)
        if let size = end.requestBodySize { completed.requestBodySize.record(size) }
        if let size = end.responseBodySize { completed.responseBodySize.record(size) }
    }

    private func active(_ method: MethodLabel) -> Meter {
        instruments.withLock { instruments in
            if let meter = instruments.active[method] { return meter }
            let dimensions = [("http.request.method", method.name)]
            let meter = Meter(label: "http.client.active_requests", dimensions: dimensions, factory: factory)
            instruments.active[method] = meter
            return meter
        }
    }

    private func completed(_ dimensions: Dimensions) -> Completed {
        instruments.withLock { instruments in
            if let completed = instruments.completed[dimensions] { return completed }
            let pairs = dimensions.pairs
            let completed = Completed(
                duration: Timer(
                    label: "http.client.request.duration",
                    dimensions: pairs,
                    preferredDisplayUnit: .seconds,
                    factory: factory
                ),
                requestBodySize: Recorder(
                    label: "http.client.request.body.size",
                    dimensions: pairs,
                    factory: factory
                ),
                responseBodySize: Recorder(
                    label: "http.client.response.body.size",
                    dimensions: pairs,
                    factory: factory
                )
            )
            instruments.completed[dimensions] = completed
            return completed
        }
    }
}
#endif
