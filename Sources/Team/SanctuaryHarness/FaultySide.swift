#if Sandbox
public import Cofferdam  // it intercepts the kit's operations
public import SanctuaryDomain  // errors are the domain's

/// A fault of one side's calls.
public enum SideFault: Sendable, Hashable {
    /// The call is not made, and this error is thrown.
    case before(SanctuaryError.Code)
    /// The call is made, its answer is dropped, and this error is thrown.
    case after(SanctuaryError.Code)
    /// The call is made, its answer is dropped, and an error is thrown that is not one of the port's.
    case garbage
    /// The call waits for ``FaultySide/release()`` and is then made.
    case hang
}

/// Injects faults on one side, and counts its calls.
public final class FaultySide: PortInterceptor {
    private struct State {
        var fault: SideFault?
        var operation: String?
        var calls: [String: Int] = [:]
        var isReleased = false
        var held: [AsyncStream<Never>.Continuation] = []
    }

    private let state = Mutex(State())

    public init() {}

    /// Injects a fault into every later call of the operation, or of all operations; nil removes it.
    public func inject(_ fault: SideFault?, into operation: String? = nil) {
        state.withLock { state in
            (state.fault, state.operation) = (fault, operation)
            state.isReleased = false
        }
    }

    /// Returns the number of calls of the operation.
    public func calls(of operation: String) -> Int { state.withLock { $0.calls[operation, default: 0] } }

    /// Waits until the operation was called at least `count` times.
    public func waitForCalls(of operation: String, atLeast count: Int) async throws {
        while calls(of: operation) < count {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    /// Releases the waiting calls.
    public func release() {
        let held = state.withLock { state in
            defer { state.held = [] }
            state.isReleased = true
            return state.held
        }
        for continuation in held { continuation.finish() }
    }

    public func intercept<Port, Input, Output>(
        _ called: PortOperation<Port, Input, Output>,
        _ input: Input,
        next: @escaping @Sendable (Input) async throws -> Output
    ) async throws -> Output {
        let operation = called.name
        let fault = state.withLock { state in
            state.calls[operation, default: 0] += 1
            return state.operation ?? operation == operation ? state.fault : nil
        }
        switch fault {
        case nil: return try await next(input)
        case .before(let code): throw SanctuaryError(code, "injected fault", subject: operation)
        case .after(let code):
            _ = try await next(input)
            throw SanctuaryError(code, "injected fault", subject: operation)
        case .garbage:
            _ = try await next(input)
            throw Garbage()
        case .hang:
            try await hang()
            return try await next(input)
        }
    }

    /// - Throws: `CancellationError`.
    private func hang() async throws {
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        let isReleased = state.withLock { state in
            if !state.isReleased { state.held.append(continuation) }
            return state.isReleased
        }
        if isReleased { continuation.finish() }
        for await _ in stream {}
        try Task.checkCancellation()
    }

    private struct Garbage: Error {}
}
#endif
