import Cofferdam

/// Who wants to hear of changes, without their content.
final class Watchers: Sendable {
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
            // What it holds is freed after the lock.
            _ = self?.state.withLock { $0.bodies.removeValue(forKey: number) }
        }
    }

    /// Called without any lock.
    func tell() {
        for body in state.withLock({ Array($0.bodies.values) }) { body() }
    }
}
