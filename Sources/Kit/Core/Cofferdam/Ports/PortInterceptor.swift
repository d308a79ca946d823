/// Code that runs around each call of a port: to count, record, trace or break it.
///
/// Interceptors compose: see ``Intercepted``. One that changes neither input nor answer calls `next` and returns
/// its result.
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
    /// Whether it intercepts an operation; calls without interceptors go directly to the port. True by default.
    func intercepts(_ operation: OperationTraits) -> Bool

    /// Makes a call, or does something instead of it.
    func intercept<Port, Input, Output>(
        _ operation: PortOperation<Port, Input, Output>,
        _ input: Input,
        next: @escaping @Sendable (Input) async throws -> Output
    ) async throws -> Output

    /// Opens a stream, or returns another. The default opens it.
    func interceptStream<Port, Input, Element>(
        _ operation: StreamingOperation<Port, Input, Element>,
        _ input: Input,
        next: @escaping @Sendable (Input) -> PortEvents<Element>
    ) -> PortEvents<Element>
}

extension PortInterceptor {
    /// Intercepts every operation by default.
    public func intercepts(_ operation: OperationTraits) -> Bool { true }

    /// Passes the stream on unchanged by default.
    public func interceptStream<Port, Input, Element>(
        _ operation: StreamingOperation<Port, Input, Element>,
        _ input: Input,
        next: @escaping @Sendable (Input) -> PortEvents<Element>
    ) -> PortEvents<Element> {
        next(input)
    }
}
