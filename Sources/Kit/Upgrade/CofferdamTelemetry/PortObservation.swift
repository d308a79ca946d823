#if Telemetry
import Cofferdam
import CoreMetrics
import Tracing

/// One call or stream, from start to end.
struct PortObservation: Sendable {
    let operation: String
    let side: String?
    /// The stage at the start: a call belongs to the stage in which it was made.
    let stage: String?
    let elapsed: @Sendable () -> Duration
    let instruments: PortInstruments?
    let errorType: @Sendable (any Error) -> String?

    /// - Parameters:
    ///   - error: nil if the call was answered.
    ///   - span: receives the attributes; the caller ends it.
    func end(_ error: (any Error)?, span: (any Tracing.Span)?, isStream: Bool = false) {
        let dimensions = PortInstruments.Dimensions(
            operation: operation,
            side: side,
            stage: stage,
            outcome: outcome(of: error),
            error: error.flatMap { $0 is CancellationError ? nil : errorType($0) ?? "_OTHER" }
        )
        instruments?.record(elapsed(), dimensions, isStream: isStream)
        span?.updateAttributes { attributes in
            if let side { attributes["port.side"] = side }
            if let stage { attributes["port.stage"] = stage }
            attributes["port.outcome"] = dimensions.outcome
            if let name = dimensions.error { attributes["error.type"] = name }
        }
        if let name = dimensions.error { span?.setStatus(SpanStatus(code: .error, message: name)) }
    }

    func countItem() { instruments?.countItem(operation, side: side, stage: stage) }

    private func outcome(of error: (any Error)?) -> String {
        switch error {
        case nil: "answered"
        case is CancellationError: "cancelled"
        default: "failed"
        }
    }
}

/// The metrics of a port's calls, each created once.
final class PortInstruments: Sendable {
    struct Dimensions: Hashable {
        let operation: String
        let side: String?
        let stage: String?
        let outcome: String
        let error: String?

        var pairs: [(String, String)] {
            [
                ("operation", operation), ("side", side ?? "none"), ("stage", stage ?? "none"), ("outcome", outcome),
                ("error.type", error ?? "none"),
            ]
        }
    }

    private let factory: any MetricsFactory
    private let timers = Mutex<[Dimensions: (call: Timer?, stream: Timer?)]>([:])
    private let items = Mutex<[[String]: Counter]>([:])

    init(_ factory: any MetricsFactory) { self.factory = factory }

    func record(_ duration: Duration, _ dimensions: Dimensions, isStream: Bool) {
        let timer = timers.withLock { timers in
            let known = timers[dimensions] ?? (nil, nil)
            if let timer = isStream ? known.stream : known.call { return timer }
            let timer = Timer(
                label: isStream ? "port.stream.duration" : "port.call.duration",
                dimensions: dimensions.pairs,
                preferredDisplayUnit: .seconds,
                factory: factory
            )
            timers[dimensions] = isStream ? (known.call, timer) : (timer, known.stream)
            return timer
        }
        let (seconds, attoseconds) = duration.components
        timer.recordNanoseconds(
            seconds.multipliedReportingOverflow(by: 1_000_000_000).partialValue &+ attoseconds / 1_000_000_000
        )
    }

    func countItem(_ operation: String, side: String?, stage: String?) {
        let values = [operation, side ?? "none", stage ?? "none"]
        let counter = items.withLock { items in
            if let counter = items[values] { return counter }
            let dimensions = Array(zip(["operation", "side", "stage"], values))
            let counter = Counter(label: "port.stream.items", dimensions: dimensions, factory: factory)
            items[values] = counter
            return counter
        }
        counter.increment()
    }
}
#endif
