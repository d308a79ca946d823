import DequeModule

/// What a provider, its source, its listeners and its sequences share: the value, and who waits for the next one.
///
/// Values change under the lock, and their order is the order of deliveries. Listeners are called outside of it, by one
/// thread at a time: a value set inside a callback is queued, not nested.
package final class ProviderCore<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        var version = 0
        var isFinished = false
        var listeners: [Listener<Value>] = []
        var emptied = 0
        var outbox: Deque<Delivery> = []
        var isDelivering = false
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var waiterCount = 0

        mutating func publish() {
            version += 1
            if listeners.count > emptied { outbox.append(.change(value, version: version)) }
        }
    }

    private enum Delivery {
        case first(Value, to: Listener<Value>)
        case change(Value, version: Int)
        case end
    }

    private let state: Mutex<State>

    package init(_ value: Value) { state = Mutex(State(value: value)) }

    package var current: Value { state.withLock { $0.value } }

    /// Changes the value and queues its deliveries, calling nobody: the caller may hold a lock of its own. Follow it by
    /// ``deliver()``, without that lock.
    package func post<Result: Sendable>(_ change: (inout Value) -> Result) -> Result {
        state.withLock { state in
            let result = change(&state.value)
            state.publish()
            return result
        }
    }

    /// Queues the value's deliveries unless there is an equal one already.
    func post(unlessEqualTo value: Value) where Value: Equatable {
        state.withLock { state in
            guard state.value != value else { return }
            state.value = value
            state.publish()
        }
    }

    /// Wakes who waits, and calls the listeners, unless another thread is doing that already.
    package func deliver() {
        let waiters = state.withLock { state in
            let waiters = Array(state.waiters.values)
            state.waiters = [:]
            return waiters
        }
        for waiter in waiters { waiter.resume() }
        guard
            state.withLock({ state in
                defer { state.isDelivering = true }
                return !state.isDelivering
            })
        else { return }
        while let (delivery, listeners) = nextDelivery() {
            switch delivery {
            case .first(let value, let listener):
                listener.call(value)
            case .change(let value, let version):
                for listener in listeners where listener.joinedAt < version { listener.call(value) }
            case .end:
                for listener in listeners { listener.end() }
            }
        }
    }

    private func nextDelivery() -> (Delivery, [Listener<Value>])? {
        state.withLock { state in
            guard let delivery = state.outbox.popFirst() else {
                state.isDelivering = false
                return nil
            }
            return (delivery, state.listeners)
        }
    }

    /// - Parameter end: called when the source has gone, after the last value; may be called again.
    package func listen(
        _ body: @escaping @Sendable (Value) -> Void,
        end: @escaping @Sendable () -> Void = {}
    ) -> ListenerToken {
        let listener = state.withLock { state in
            let listener = Listener(joinedAt: state.version, Listener.Body(call: body, end: end))
            state.listeners.append(listener)
            state.outbox.append(.first(state.value, to: listener))
            if state.isFinished { state.outbox.append(.end) }
            return listener
        }
        let token = ListenerToken { [weak self] in
            if listener.empty() { self?.forgetEmptied() }
        }
        deliver()
        return token
    }

    private func forgetEmptied() {
        state.withLock { state in
            state.emptied += 1
            guard state.emptied * 2 > state.listeners.count else { return }
            state.listeners.removeAll { $0.isEmpty }
            state.emptied = 0
        }
    }

    /// Ends the sequences and listeners after the last value.
    package func finish() {
        state.withLock { state in
            state.isFinished = true
            state.outbox.append(.end)
        }
        deliver()
    }

    /// The newest value that is newer than `seen`, as soon as there is one; nil at the end, and on cancellation.
    func next(after seen: inout Int) async -> Value? {
        while !Task.isCancelled {
            let after = seen
            let (found, isFinished) = state.withLock { state in
                (state.version > after ? (state.value, state.version) : nil, state.isFinished)
            }
            if let (value, version) = found {
                seen = version
                return value
            }
            if isFinished { return nil }
            await change(after: after)
        }
        return nil
    }

    /// Returns when the version is no longer `seen`, at the end, or when the task is cancelled.
    private func change(after seen: Int) async {
        let id = state.withLock { state in
            state.waiterCount += 1
            return state.waiterCount
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isParked = state.withLock { state in
                    guard state.version == seen, !state.isFinished, !Task.isCancelled else { return false }
                    state.waiters[id] = continuation
                    return true
                }
                if !isParked { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
            waiter?.resume()
        }
    }

    /// How many sequences are waiting for a value now.
    package var waitingCount: Int { state.withLock { $0.waiters.count } }

    /// How many listeners are registered now.
    package var listenerCount: Int { state.withLock { $0.listeners.count - $0.emptied } }
}
