import Cofferdam

/// Callbacks to call after a change.
final class ChangeObservers: Sendable {
    private struct State {
        var count = 0
        var bodies: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    func add(_ body: @escaping @Sendable () -> Void) -> ListenerToken {
        let number = state.withLock { state in
            state.count += 1
            state.bodies[state.count] = body
            return state.count
        }
        return ListenerToken { [weak self] in
            // Free the callback after the lock.
            _ = self?.state.withLock { $0.bodies.removeValue(forKey: number) }
        }
    }

    /// Calls every callback, without holding the lock.
    func notify() {
        for body in state.withLock({ Array($0.bodies.values) }) { body() }
    }
}
