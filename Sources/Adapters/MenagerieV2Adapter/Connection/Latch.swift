#if Sandbox
import Cofferdam

/// A latch that opens once and then resumes all waiters.
final class Latch: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [@Sendable (Result<Void, any Error>) -> Void] = []
    }

    private let state = Mutex(State())

    /// Opens the latch; opening it again has no effect.
    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for resume in waiting { resume(.success(())) }
    }

    /// - Throws: only `CancellationError`.
    func wait() async throws {
        try await vendorCall { (resume: @escaping @Sendable (Result<Void, any Error>) -> Void) in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(resume) }
                return state.isOpen
            }
            if isOpen { resume(.success(())) }
            return .none
        }
    }
}
#endif
