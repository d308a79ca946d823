import Cofferdam

/// Opens once; whoever waits for it goes on then.
final class Latch: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [@Sendable (Result<Void, any Error>) -> Void] = []
    }

    private let state = Mutex(State())

    /// Again, it changes nothing.
    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for resume in waiting { resume(.success(())) }
    }

    /// - Throws: `CancellationError` only.
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
