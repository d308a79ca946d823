public import Cofferdam  // it stands in operations' way
public import SanctuaryDomain  // errors are the domain's

/// What goes wrong with the calls of one side.
public enum Trouble: Sendable, Hashable {
    /// The call is not made, and that error thrown.
    case before(SanctuaryError.Code)
    /// The call is made, its answer thrown away, and that error thrown.
    case after(SanctuaryError.Code)
    /// The call is made, its answer thrown away, and an error thrown that is none of the port's.
    case garbage
    /// The call is made when ``TroubledSide/release()`` says so.
    case hang
}

/// Makes trouble on one side, and counts what it is asked.
public final class TroubledSide: PortInterceptor {
    private struct State {
        var trouble: Trouble?
        var operation: String?
        var calls: [String: Int] = [:]
        var isReleased = false
        var held: [AsyncStream<Never>.Continuation] = []
    }

    private let state = Mutex(State())

    public init() {}

    /// From now on, for every call of that operation, or of all; nil: none.
    public func make(_ trouble: Trouble?, of operation: String? = nil) {
        state.withLock { state in
            (state.trouble, state.operation) = (trouble, operation)
            state.isReleased = false
        }
    }

    /// How often that operation was asked for.
    public func calls(of operation: String) -> Int { state.withLock { $0.calls[operation, default: 0] } }

    /// Returns when that operation has been asked for so often.
    public func waitForCalls(of operation: String, atLeast count: Int) async throws {
        while calls(of: operation) < count {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    /// Lets go of the calls that hang.
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
        let trouble = state.withLock { state in
            state.calls[operation, default: 0] += 1
            return state.operation ?? operation == operation ? state.trouble : nil
        }
        switch trouble {
        case nil: return try await next(input)
        case .before(let code): throw SanctuaryError(code, "made trouble", subject: operation)
        case .after(let code):
            _ = try await next(input)
            throw SanctuaryError(code, "made trouble", subject: operation)
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
