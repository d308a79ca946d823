#if Telemetry
public import Cofferdam  // conforms to PortInterceptor
public import CoreMetrics  // takes a MetricsFactory
public import Tracing  // takes a Tracer

/// An interceptor that records a span and metrics for each call of a port, with its operation, side, stage and outcome.
/// A team can follow its upgrade in its existing tools.
///
/// ```swift
/// let legacy = PortTelemetry(
///     side: .legacy,
///     metrics: factory,
///     tracer: tracer,
///     stage: { engine.status.stage.kind.rawValue },
///     errorType: { ($0 as? RatesError)?.code.rawValue }
/// )
/// let rates: any Rates = Intercepted(v1, by: [legacy])
/// ```
///
/// Behind a router, give each side's port its own `PortTelemetry`, with that side. One in front of the router reports
/// calls as their callers saw them. It neither reads nor sets process-wide state, and never records inputs, answers or
/// the texts of errors.
///
/// | | |
/// |---|---|
/// | span | one for each call and each stream, named after the operation; a child of the task's current span |
/// | timer `port.call.duration` | seconds from the call to its end |
/// | timer `port.stream.duration` | seconds from a stream's first request to its end |
/// | counter `port.stream.items` | elements that streams have delivered; without `outcome` and `error.type` |
///
/// Every metric always has the same dimensions, because some backends reject anything else; one that does not apply is
/// `none`. They are `operation`, `side`, `stage`, `outcome` (`answered`, `failed` or `cancelled`) and `error.type`.
public struct PortTelemetry: PortInterceptor {
    let side: Side?
    let instruments: PortInstruments?
    let tracer: (any Tracer)?
    let clock: any Clock<Duration>
    let stage: (@Sendable () -> String?)?
    let errorType: @Sendable (any Error) -> String?

    /// - Parameters:
    ///   - side: the side whose port this is; nil in front of a router.
    ///   - clock: times the calls.
    ///   - stage: returns the upgrade's current stage, with few distinct values: leave out the share. It runs at each
    ///     call, so it must not block.
    ///   - errorType: returns the name of an error, with few distinct values, such as the code of the port's error. Nil
    ///     is recorded as `_OTHER`.
    public init(
        side: Side? = nil,
        metrics: (any MetricsFactory)? = nil,
        tracer: (any Tracer)? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        stage: (@Sendable () -> String?)? = nil,
        errorType: @escaping @Sendable (any Error) -> String? = { _ in nil }
    ) {
        self.side = side
        instruments = metrics.map(PortInstruments.init)
        self.tracer = tracer
        self.clock = clock
        self.stage = stage
        self.errorType = errorType
    }

    /// True for every operation if there are metrics or a tracer.
    public func intercepts(_ operation: OperationTraits) -> Bool { instruments != nil || tracer != nil }

    /// Runs the call in a span and records its duration and outcome.
    public func intercept<Port, Input, Output>(
        _ operation: PortOperation<Port, Input, Output>,
        _ input: Input,
        next: @escaping @Sendable (Input) async throws -> Output
    ) async throws -> Output {
        let observation = observe(operation.name)
        guard let tracer else {
            let result = await Self.result { try await next(input) }
            observation.end(result.failure, span: nil)
            return try result.get()
        }
        // A result, because a tracer records the text of an error that is thrown through it.
        let result = await tracer.withAnySpan(operation.name) { span in
            let result = await Self.result { try await next(input) }
            observation.end(result.failure, span: span)
            return result
        }
        return try result.get()
    }

    /// Passes the stream on and observes it as one call.
    public func interceptStream<Port, Input, Element>(
        _ operation: StreamingOperation<Port, Input, Element>,
        _ input: Input,
        next: @escaping @Sendable (Input) -> PortEvents<Element>
    ) -> PortEvents<Element> {
        ObservedStream(events: next(input), operation: operation.name, telemetry: self)
    }

    func observe(_ operation: String) -> PortObservation {
        PortObservation(
            operation: operation,
            side: side?.rawValue,
            stage: stage?(),
            elapsed: Self.stopwatch(clock),
            instruments: instruments,
            errorType: errorType
        )
    }

    private static func result<Output>(_ body: () async throws -> Output) async -> Result<Output, any Error> {
        do { return .success(try await body()) } catch { return .failure(error) }
    }

    private static func stopwatch<C: Clock<Duration>>(_ clock: C) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
#endif
