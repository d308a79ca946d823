/// Awaits a vendor's callback.
///
/// The first outcome counts. The vendor may call back twice, synchronously or after cancellation; if it releases its callback
/// without a call, this throws ``VendorDroppedCallback``. When the task is cancelled, the caller leaves at once with
/// `CancellationError`, and the ``VendorCancellation`` that `start` returned is called once to stop the vendor's work. A
/// cancelled task starts nothing.
///
/// Mark the closure `@Sendable`: otherwise an actor-isolated closure compiles, but traps when the vendor calls it from
/// its own thread.
public func vendorCall<Value: Sendable>(
    _ start: (_ complete: @escaping @Sendable (Result<Value, any Error>) -> Void) -> VendorCancellation
) async throws -> Value {
    try Task.checkCancellation()
    let call = VendorCallState<Value>()
    return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
            guard call.await(continuation) else { return }
            let callback = VendorCallback(call)
            call.attach(start { callback.call.complete($0) })
        }
    } onCancel: {
        call.cancel()
    }
}

/// Stops an operation that a vendor has started.
public struct VendorCancellation: Sendable {
    let body: @Sendable () -> Void

    /// Creates a cancellation that calls `body`.
    public init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    /// A cancellation for work that cannot be stopped.
    public static let none = VendorCancellation {}
}

/// A vendor released its callback without calling it.
public struct VendorDroppedCallback: Error, Sendable, Hashable {
    package init() {}
}

/// Lives as long as the closure that the vendor holds.
private final class VendorCallback<Value: Sendable>: Sendable {
    let call: VendorCallState<Value>
    init(_ call: VendorCallState<Value>) { self.call = call }
    deinit { call.complete(.failure(VendorDroppedCallback())) }
}

private final class VendorCallState<Value: Sendable>: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Value, any Error>?
        var cancellation: VendorCancellation?
        var isOver = false
        var isCancelled = false
    }

    private let state = Mutex(State())

    /// False if the task is cancelled already: then nothing must be started.
    func await(_ continuation: CheckedContinuation<Value, any Error>) -> Bool {
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.continuation = continuation }
            return state.isCancelled
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
        return !isCancelled
    }

    func attach(_ cancellation: VendorCancellation) {
        let isCancelled = state.withLock { state in
            if !state.isOver { state.cancellation = cancellation }
            return state.isCancelled
        }
        if isCancelled { cancellation.body() }
    }

    func complete(_ result: Result<Value, any Error>) {
        let continuation = state.withLock { state in
            state.isOver = true
            state.cancellation = nil
            return state.continuation.take()
        }
        continuation?.resume(with: result)
    }

    func cancel() {
        let (continuation, cancellation) = state.withLock { state in
            guard !state.isOver else {
                return (nil as CheckedContinuation<Value, any Error>?, nil as VendorCancellation?)
            }
            state.isOver = true
            state.isCancelled = true
            return (state.continuation.take(), state.cancellation.take())
        }
        cancellation?.body()
        continuation?.resume(throwing: CancellationError())
    }
}
