import Cofferdam

/// Holds the newest state for one consumer until it is taken. States are references, so that neither holding nor waking needs
/// a type to be looked up: a change may have ten thousand consumers.
final class StateCell: Sendable {
    typealias Content = any AnyObject & Sendable

    private struct State {
        var content: Content?
        // It is resumed once by whoever takes it out, and always taken out: by the next state or by cancellation.
        var waiter: UnsafeContinuation<Content?, Never>?
    }

    private let state = Mutex(State())

    func put(_ content: Content) {
        let waiter = state.withLock { state in
            let waiter = state.waiter.take()
            if waiter == nil { state.content = content }
            return waiter
        }
        waiter?.resume(returning: content)
    }

    /// Nil when the task is cancelled.
    func next() async -> Content? {
        if let content = state.withLock({ $0.content.take() }) { return Task.isCancelled ? nil : content }
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let (content, isParked) = state.withLock { state -> (Content?, Bool) in
                    if let content = state.content.take() { return (content, false) }
                    guard !Task.isCancelled else { return (nil, false) }
                    state.waiter = continuation
                    return (nil, true)
                }
                if !isParked { continuation.resume(returning: content) }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiter.take() }
            waiter?.resume(returning: nil)
        }
    }
}
