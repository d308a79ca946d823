import Cofferdam

/// Keeps a listener of a ``Store`` registered until it is cancelled or released.
///
/// Proof of `@unchecked Sendable`: `held` is touched only under `lock`.
public final class StoreListenerToken: @unchecked Sendable {
    private var held: AnyListener?
    private let lock = Lock()
    private let store: Store

    init(_ listener: AnyListener, _ store: Store) {
        held = listener
        self.store = store
    }

    deinit { cancel() }

    /// The listener; nil once it has been cancelled.
    var listener: AnyListener? { lock.withLock { held } }

    /// Removes the listener; callable from anywhere, including its own callback. Idempotent. A callback that is running
    /// on another thread ends normally.
    public func cancel() {
        // What the listener holds is freed with it, outside of the lock.
        guard let listener = lock.withLock({ held.take() }) else { return }
        store.withLock { graph in
            listener.leave(graph)
            graph.sweep()
        }
        withExtendedLifetime(listener) {}
    }

    /// Whether the listener is paused.
    public var isPaused: Bool { listener?.isPaused ?? false }

    /// Stops notifying the listener. Idempotent.
    public func pause() {
        guard let listener else { return }
        store.withLock { _ in listener.pause() }
    }

    /// Notifies the listener once of the changes since ``pause()``, with the context of the last update; not at all if the
    /// value is the same as then or was set with the listener as origin. Idempotent.
    public func resume() {
        guard let listener else { return }
        store.withLockThenDeliver { listener.resume(in: $0) }
    }
}
