import Cofferdam

/// Holds the newest state for one consumer until it is taken. States are references, so that storing and waking look up
/// no types: a change may have ten thousand consumers.
///
/// Proof of `@unchecked Sendable`: its variables are touched only under `lock`.
final class StateCell: @unchecked Sendable {
    typealias Content = any AnyObject & Sendable

    private let lock = Lock()
    private var content: Content?
    // The code that removes it resumes it once; the next state or a cancellation always removes it.
    private var waiter: UnsafeContinuation<Content?, Never>?

    func put(_ new: Content) {
        var old: Content?
        let woken = lock.withLock {
            let woken = waiter.take()
            // An untaken state is freed outside the lock.
            if woken == nil { (old, content) = (content, new) }
            return woken
        }
        woken?.resume(returning: new)
        _ = old
    }

    /// Nil when the task is cancelled.
    func next() async -> Content? {
        if let taken = lock.withLock({ content.take() }) { return Task.isCancelled ? nil : taken }
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let (taken, isParked) = lock.withLock { () -> (Content?, Bool) in
                    if let taken = content.take() { return (taken, false) }
                    guard !Task.isCancelled else { return (nil, false) }
                    waiter = continuation
                    return (nil, true)
                }
                if !isParked { continuation.resume(returning: taken) }
            }
        } onCancel: {
            let woken = lock.withLock { waiter.take() }
            woken?.resume(returning: nil)
        }
    }
}
