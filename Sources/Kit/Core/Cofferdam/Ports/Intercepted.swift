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
/// A missing method does not compile. The caller gets the port's value or error.
public struct Intercepted<Port: Sendable>: Sendable {
    @usableFromInline let source: any PortSource<Port>
    /// The outermost first.
    private let interceptors: [any PortInterceptor]
    @usableFromInline let hasInterceptors: Bool
    /// Where calls go, apart, because a call would copy a ``PortTarget``; nil if the source answers each call.
    @usableFromInline let port: Port?
    @usableFromInline let sides: SidePorts<Port>?
    @usableFromInline let path: (any CallPath)?

    /// - Parameter interceptors: the outermost first.
    public init(_ port: Port, by interceptors: [any PortInterceptor] = []) {
        self.init(source: LivePort(port), by: interceptors)
    }

    /// - Parameter interceptors: the outermost first.
    public init(source: any PortSource<Port>, by interceptors: [any PortInterceptor] = []) {
        self.source = source
        self.interceptors = interceptors
        hasInterceptors = !interceptors.isEmpty
        switch source.target?.kind {
        case .port(let port): (self.port, sides, path) = (port, nil, nil)
        case .sides(let sides, let path): (port, self.sides, self.path) = (nil, sides, path)
        case nil: (port, sides, path) = (nil, nil, nil)
        }
    }

    /// Makes a call.
    ///
    /// - Parameter body: calls the method, as the operation does, with the port and the input that it gets. A call without
    ///   interceptors uses this closure, because the compiler cannot inline a closure from a table.
    /// - Throws: what the port throws, or what an interceptor throws instead.
    @inlinable
    @inline(__always)
    public func call<Input: Sendable, Output: Sendable>(
        _ operation: PortOperation<Port, Input, Output>,
        _ input: Input,
        _ body: (Port, Input) async throws -> Output
    ) async throws -> Output {
        guard !hasInterceptors, !operation.storage.reportsProgress else {
            return try await callThrough(operation, input)
        }
        return try await callPort(operation, input, body)
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

    // MARK: To the port

    @inlinable
    @inline(__always)
    func callPort<Input: Sendable, Output: Sendable>(
        _ operation: PortOperation<Port, Input, Output>,
        _ input: Input,
        _ body: (Port, Input) async throws -> Output
    ) async throws -> Output {
        // Read anew by each use: a reference that is kept across the call of the port is retained for it.
        let storage = operation.storage
        let cursor = path == nil ? nil : storage.cursor?(input)
        guard var call = path?.begin(storage.traits, cursor) else {
            guard let port else { return try await source.call(operation, input) }
            return try await body(port, input)
        }
        while true {
            // A side that is ready is open. Proof that the pointer is valid while its port is called: `self` keeps the sides,
            // and each way on from there uses it again.
            guard call.isReady, let opened = sides?.opened(call.side) else {
                try await prepare(operation, input, cursor, &call)
                continue
            }
            let output: Output
            do {
                if call.isTimed || call.cursor != nil {
                    output = try await attempt(operation, input, opened, &call, body)
                } else {
                    output = try await body(opened.pointee, input)
                }
            } catch {
                try failed(operation, input, error, cursor, &call)
                continue
            }
            _ = path?.end(storage.traits, nil, &call)
            if call.comparison != nil { compare(operation, input, .success(output), call) }
            guard let next = storage.next?(output), let marked = path?.marked(next, of: call.side) else {
                return output
            }
            return storage.replacingNext(of: output, by: marked)
        }
    }

    @usableFromInline
    func prepare<Input: Sendable, Output: Sendable>(
        _ operation: PortOperation<Port, Input, Output>,
        _ input: Input,
        _ cursor: String?,
        _ call: inout RoutedAttempt
    ) async throws {
        do {
            try await path?.prepare(operation.traits, cursor, &call)
        } catch {
            // A side that cannot be opened is compared too.
            if call.comparison != nil { compare(operation, input, .failure(error), call) }
            throw operation.storage.error(error, cursor)
        }
    }

    /// Ends an attempt that failed.
    ///
    /// - Throws: what the caller gets, if no other attempt follows.
    @inlinable
    @inline(never)
    func failed<Input: Sendable, Output: Sendable>(
        _ operation: PortOperation<Port, Input, Output>,
        _ input: Input,
        _ error: any Error,
        _ cursor: String?,
        _ call: inout RoutedAttempt
    ) throws {
        let final = path?.end(operation.storage.traits, error, &call)
        if call.comparison != nil { compare(operation, input, .failure(error), call) }
        if let final { throw operation.storage.error(final, cursor) }
    }

    /// Asks a side with the cursor as it issued it, and watches for a cancellation: the side may hang, and then the
    /// attempt never ends.
    @inlinable
    @inline(never)
    func attempt<Input: Sendable, Output: Sendable>(
        _ operation: PortOperation<Port, Input, Output>,
        _ input: Input,
        _ opened: UnsafePointer<Port>,
        _ call: inout RoutedAttempt,
        _ body: (Port, Input) async throws -> Output
    ) async throws -> Output {
        let storage = operation.storage
        let input = if let cursor = call.cursor { storage.replacingCursor(of: input, by: cursor) } else { input }
        guard call.isTimed else { return try await body(opened.pointee, input) }
        let begun = call
        let watch = CancellationWatch()
        defer { call.isReported = !watch.end() }
        return try await withTaskCancellationHandler {
            watch.begin()
            return try await body(opened.pointee, input)
        } onCancel: {
            if watch.end() { path?.givenUp(storage.traits, begun) }
        }
    }

    /// Starts a comparison in a task of its own. Inlinable, so that the task is created without looking types up.
    @inlinable
    @inline(never)
    func compare<Input: Sendable, Output: Sendable>(
        _ operation: PortOperation<Port, Input, Output>,
        _ input: Input,
        _ first: Result<Output, any Error>,
        _ call: RoutedAttempt
    ) {
        guard let path, let sides, let place = call.comparison else { return }
        let call = ComparedCall(call)
        // Proof: a path resumes each continuation once.
        if place.waits, #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            // It has no thread until it is its turn.
            Task.immediate(executorPreference: path.comparing) {
                // Not on its caller's thread.
                if await withUnsafeContinuation({ path.wait(at: place, $0) }) { await Task.yield() }
                await path.compare(operation, input, first, sides, call)
            }
        } else {
            Task(executorPreference: path.comparing) {
                _ = await withUnsafeContinuation { path.wait(at: place, $0) }
                await path.compare(operation, input, first, sides, call)
            }
        }
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
            return try await callPort(operation, input, operation.storage.body)
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
