import Cofferdam

/// A listener, whatever it listens to.
///
/// Proof of `@unchecked Sendable`: `index` is touched only while the store's lock is held; the rest is constants and mutexes.
class AnyListener: @unchecked Sendable {
    /// Where it stands in its ``ListenerHub``.
    final var index = 0

    var isPaused: Bool { false }
    /// To be called with the store's lock held.
    func leave(_ graph: Graph) {}
    /// To be called with the store's lock held.
    func pause() {}
    /// To be called with the store's lock held.
    func resume(in graph: Graph) {}
    /// Lets go of the closure, outside of every lock.
    func empty() {}
}

/// One listener; emptied when it is removed, so that it can be skipped wherever it still stands.
final class Listener<Value: Sendable>: AnyListener, @unchecked Sendable {
    private struct State {
        var body: (@Sendable (StoreEvent<Value>) -> Void)?
        /// The version that it was told last.
        var seen: Int
        var pause: Pause?
    }

    private final class Pause: Sendable {
        let value: Value
        let context = Mutex<(any Sendable)?>(nil)

        init(_ value: Value) { self.value = value }
    }

    private let hub: ListenerHub<Value>
    private let state: Mutex<State>

    init(_ hub: ListenerHub<Value>, _ body: @escaping @Sendable (StoreEvent<Value>) -> Void) {
        self.hub = hub
        state = Mutex(State(body: body, seen: -1))
    }

    /// Tells it, in the order of the versions; one that it has seen already, or that comes while it is paused, is left out.
    func deliver(_ event: StoreEvent<Value>, version: Int) {
        let body = state.withLock { state -> (@Sendable (StoreEvent<Value>) -> Void)? in
            guard version > state.seen else { return nil }
            if let pause = state.pause {
                pause.context.withLock { $0 = event.context }
                return nil
            }
            state.seen = version
            return state.body
        }
        body?(event)
    }

    override func leave(_ graph: Graph) { hub.remove(self, in: graph) }

    override func empty() {
        let body = state.withLock { $0.body.take() }
        _ = body
    }

    // MARK: Pausing

    override var isPaused: Bool { state.withLock { $0.pause != nil } }

    override func pause() {
        let value = hub.value
        state.withLock { state in
            if state.pause == nil { state.pause = Pause(value) }
        }
    }

    override func resume(in graph: Graph) {
        guard let pause = state.withLock({ $0.pause }) else { return }
        let (net, version) = (hub.netChange(pause.value, hub.value, graph), hub.version)
        // Queued behind what was caused before: until then it is as good as paused.
        graph.outbox.append {
            self.state.withLock { state in
                if state.pause === pause { state.pause = nil }
                if net == nil { state.seen = max(state.seen, version) }
            }
            guard let net else { return }
            let context = pause.context.withLock { $0 }
            self.deliver(StoreEvent(value: net.value, changes: net.changes, context: context), version: version)
        }
    }
}
