import Cofferdam

/// Keeps a listener of a ``Store`` registered: released or cancelled, the listener hears nothing more.
public final class StoreListening: Sendable {
    let listener: AnyListener
    private let store: Store

    init(_ listener: AnyListener, _ store: Store) {
        self.listener = listener
        self.store = store
    }

    deinit { cancel() }

    /// Removes the listener, from anywhere, its own callback too. Idempotent. A callback that runs on another thread at
    /// this moment runs to its end.
    public func cancel() {
        store.locked { graph in
            listener.leave(graph)
            graph.sweep()
        }
        listener.empty()
    }

    public var isPaused: Bool { listener.isPaused }

    /// From now on the listener is told nothing. Idempotent.
    public func pause() { store.locked { _ in listener.pause() } }

    /// The listener is told once what has changed since ``pause()``, with the last update's context; not at all if what is
    /// there now is what was there then. Idempotent.
    public func resume() { store.lockedThenDelivered { listener.resume(in: $0) } }
}
