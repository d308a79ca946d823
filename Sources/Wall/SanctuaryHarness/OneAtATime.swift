import Cofferdam

/// A gate through which one passes at a time, in the order in which they came.
final class OneAtATime: Sendable {
    private struct State {
        var isTaken = false
        var waiting: [(id: Int, pass: @Sendable (Result<Void, any Error>) -> Void)] = []
        var nextID = 0
    }

    private let state = Mutex(State())

    /// Waits for its turn; ``release()`` ends it.
    ///
    /// - Throws: `CancellationError`; the turn is not taken then.
    func acquire() async throws {
        try await vendorCall { pass in
            let (id, isFree) = state.withLock { state in
                state.nextID += 1
                let isFree = !state.isTaken
                if isFree { state.isTaken = true } else { state.waiting.append((state.nextID, pass)) }
                return (state.nextID, isFree)
            }
            if isFree { pass(.success(())) }
            return VendorCancellation { self.abandon(id) }
        }
    }

    func release() {
        let next = state.withLock { state in
            if state.waiting.isEmpty { state.isTaken = false }
            return state.waiting.isEmpty ? nil : state.waiting.removeFirst().pass
        }
        next?(.success(()))
    }

    /// Who waits no more is let past by others; who got the turn as it was cancelled gives it back.
    private func abandon(_ id: Int) {
        let wasWaiting = state.withLock { state in
            let count = state.waiting.count
            state.waiting.removeAll { $0.id == id }
            return state.waiting.count < count
        }
        if !wasWaiting { release() }
    }
}
