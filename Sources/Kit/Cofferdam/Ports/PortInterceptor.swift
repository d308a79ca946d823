/// Stands between the callers of a port and what answers them, at each call: counts, records, breaks, traces.
///
/// Interceptors compose: see ``Intercepted``. One that changes neither input nor answer makes the call by `next` and returns
/// what comes of it.
///
/// ```swift
/// struct Counting: PortInterceptor {
///     let counts: Counts
///
///     func intercept<Port, Input, Output>(
///         _ operation: PortOperation<Port, Input, Output>,
///         _ input: Input,
///         next: @Sendable (Input) async throws -> Output
///     ) async throws -> Output {
///         counts.add(operation.name)
///         return try await next(input)
///     }
/// }
/// ```
public protocol PortInterceptor: Sendable {
    /// Whether it stands in the way of that operation; what none intercepts goes straight to its port. By default, of all.
    func intercepts(_ operation: OperationTraits) -> Bool

    /// Makes a call, or does something in its place.
    func intercept<Port, Input, Output>(
        _ operation: PortOperation<Port, Input, Output>,
        _ input: Input,
        next: @escaping @Sendable (Input) async throws -> Output
    ) async throws -> Output

    /// Opens a stream, or gives another in its place. By default, it just opens it.
    func interceptStream<Port, Input, Element>(
        _ operation: StreamingOperation<Port, Input, Element>,
        _ input: Input,
        next: @escaping @Sendable (Input) -> PortEvents<Element>
    ) -> PortEvents<Element>
}

extension PortInterceptor {
    public func intercepts(_ operation: OperationTraits) -> Bool { true }

    public func interceptStream<Port, Input, Element>(
        _ operation: StreamingOperation<Port, Input, Element>,
        _ input: Input,
        next: @escaping @Sendable (Input) -> PortEvents<Element>
    ) -> PortEvents<Element> {
        next(input)
    }
}
