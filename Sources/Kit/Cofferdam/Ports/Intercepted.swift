/// The forwarding conformance of a port, with a line for each method. All interceptors of the port's calls work through
/// it.
///
/// ```swift
/// extension Intercepted: Rates where Port == any Rates {
///     func rate(of currency: String) async throws -> Double {
///         try await call(RatesOperations.rate, currency) { try await $0.rate(of: $1) }
///     }
///     func changes() -> PortEvents<Change> { stream(RatesOperations.changes) }
/// }
///
/// let rates: any Rates = Intercepted(adapter, by: [Counting(counts), recorder.interceptor()])
/// ```
///
/// A missing method does not compile. The caller gets the port's value or error. Without an interceptor a call goes directly to
/// its port, if the source permits it.
public struct Intercepted<Port: Sendable>: Sendable {
    @usableFromInline let source: any PortSource<Port>
    /// The outermost first.
    private let interceptors: [any PortInterceptor]
    /// Nil if no call can go straight to its port.
    @usableFromInline let path: (any FastPath)?
    @usableFromInline let marksCursors: Bool

    /// - Parameter interceptors: the outermost first.
    public init(_ port: Port, by interceptors: [any PortInterceptor] = []) {
        self.init(source: LivePort(port), by: interceptors)
    }

    /// - Parameter interceptors: the outermost first.
    public init(source: any PortSource<Port>, by interceptors: [any PortInterceptor] = []) {
        self.source = source
        self.interceptors = interceptors
        path = interceptors.isEmpty ? source.fastPath?.path : nil
        marksCursors = path?.marksCursors ?? false
    }

    /// Makes a call.
    ///
    /// - Parameter body: calls the method, as the operation does, with the port and the input that it gets. A call that goes
    ///   straight to its port uses this closure, because the compiler cannot inline a closure from a table.
    /// - Throws: what the port throws, or what an interceptor throws instead.
    @inlinable
    @inline(__always)
    public func call<Input: Sendable, Output: Sendable>(
        _ operation: PortOperation<Port, Input, Output>,
        _ input: Input,
        _ body: (Port, Input) async throws -> Output
    ) async throws -> Output {
        let storage = operation.storage
        var fastCall = FastPathCall()
        let cursor = marksCursors ? storage.cursor?(input) : nil
        guard let path, let box = path.enter(storage.traits, cursor: cursor, &fastCall) else {
            return try await callThrough(operation, input)
        }
        defer { path.leave(fastCall) }
        // Proof: a ``PortFastPath`` of this type gives boxes of this type.
        let port = unsafeDowncast(box, to: PortBox<Port>.self)
        let bare = fastCall.hasMark ? cursor.flatMap { path.unmarked($0) } : nil
        let output: Output
        if fastCall.reviewer == nil, bare == nil {
            do {
                output = try await body(port.port, input)
            } catch {
                path.failed(storage.traits, by: error, fastCall)
                throw error
            }
        } else {
            output = try await callByTable(operation, input, bare, port.port, path, fastCall)
        }
        guard marksCursors, let next = storage.next?(output), let marked = path.marked(next, fastCall) else {
            return output
        }
        return storage.replacingNext(of: output, by: marked)
    }

    /// Makes a call without input.
    @inlinable
    @inline(__always)
    public func call<Output: Sendable>(
        _ operation: PortOperation<Port, Void, Output>,
        _ body: (Port) async throws -> Output
    ) async throws -> Output {
        try await call(operation, ()) { port, _ in try await body(port) }
    }

    /// Calls an operation of which only the type is known, as in tools that iterate over a table.
    ///
    /// - Throws: what the port throws, or what an interceptor throws instead.
    public func call<Input: Sendable, Output: Sendable>(
        _ operation: PortOperation<Port, Input, Output>,
        _ input: Input
    ) async throws -> Output {
        try await call(operation, input, operation.storage.body)
    }

    /// A call that goes straight to its port, but with another cursor or with a review of its result. Inlined where the
    /// types are known, so that the review is created without looking types up.
    @inlinable
    func callByTable<Input: Sendable, Output: Sendable>(
        _ operation: PortOperation<Port, Input, Output>,
        _ input: Input,
        _ cursor: String?,
        _ port: Port,
        _ path: any FastPath,
        _ fastCall: FastPathCall
    ) async throws -> Output {
        let storage = operation.storage
        let input = if let cursor { storage.replacingCursor(of: input, by: cursor) } else { input }
        let start = fastCall.reviewer == nil ? .zero : path.now()
        let result: Result<Output, any Error>
        do {
            result = .success(try await storage.body(port, input))
        } catch {
            path.failed(storage.traits, by: error, fastCall)
            result = .failure(error)
        }
        if fastCall.reviewer != nil {
            let duration = path.now() - start
            path.submit(storage.traits, fastCall) { [source] in
                await source.review(operation, input, result, took: duration, fastCall)
            }
        }
        return try result.get()
    }

    // MARK: By way of the interceptors

    @usableFromInline
    func callThrough<Input: Sendable, Output: Sendable>(
        _ operation: PortOperation<Port, Input, Output>,
        _ input: Input
    ) async throws -> Output {
        guard let reporting = operation.progress else { return try await call(operation, input, after: 0) }
        let progress = reporting.begin(input)
        defer { progress.end() }
        let output = try await call(operation, progress.input, after: 0)
        progress.finish(output)
        return output
    }

    private func call<Input: Sendable, Output: Sendable>(
        _ operation: PortOperation<Port, Input, Output>,
        _ input: Input,
        after count: Int
    ) async throws -> Output {
        guard let index = interceptors[count...].firstIndex(where: { $0.intercepts(operation.traits) }) else {
            // Behind the interceptors a call may still go straight to its port.
            return interceptors.isEmpty
                ? try await source.call(operation, input)
                : try await Intercepted(source: source).call(operation, input)
        }
        return try await interceptors[index].intercept(operation, input) { input in
            try await call(operation, input, after: index + 1)
        }
    }

    // MARK: Streams

    /// Opens a stream.
    public func stream<Input: Sendable, Element: Sendable>(
        _ operation: StreamingOperation<Port, Input, Element>,
        _ input: Input
    ) -> PortEvents<Element> {
        stream(operation, input, after: 0)
    }

    /// Opens a stream without input.
    public func stream<Element: Sendable>(_ operation: StreamingOperation<Port, Void, Element>) -> PortEvents<Element> {
        stream(operation, ())
    }

    private func stream<Input: Sendable, Element: Sendable>(
        _ operation: StreamingOperation<Port, Input, Element>,
        _ input: Input,
        after count: Int
    ) -> PortEvents<Element> {
        guard let index = interceptors[count...].firstIndex(where: { $0.intercepts(operation.traits) }) else {
            return source.stream(operation, input)
        }
        return interceptors[index].interceptStream(operation, input) { input in
            stream(operation, input, after: index + 1)
        }
    }
}
