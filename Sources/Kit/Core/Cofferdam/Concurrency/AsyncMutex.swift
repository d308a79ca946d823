/// Lets one task through at a time, in the order of arrival.
package final class AsyncMutex: Sendable {
    private struct State {
        var isTaken = false
        var arrivals = 0
        var queue: [(key: Int, pass: @Sendable (Result<Void, any Error>) -> Void)] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Runs `body` alone. A task that is cancelled while it waits leaves the queue with `CancellationError`.
    package func run<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        try await enter()
        defer { leave() }
        return try await body()
    }

    /// Waits for its turn; ``leave()`` ends it.
    ///
    /// - Throws: `CancellationError`; the turn is not taken then.
    package func enter() async throws {
        try await vendorCall { (pass: @escaping @Sendable (Result<Void, any Error>) -> Void) in
            let (key, mayPass) = state.withLock { state in
                state.arrivals += 1
                let mayPass = !state.isTaken
                state.isTaken = true
                if !mayPass { state.queue.append((state.arrivals, pass)) }
                return (state.arrivals, mayPass)
            }
            if mayPass { pass(.success(())) }
            return VendorCancellation { self.giveUp(key) }
        }
    }

    /// A task that gives up just after its turn has come passes the turn on.
    private func giveUp(_ key: Int) {
        let wasWaiting = state.withLock { state in
            guard let index = state.queue.firstIndex(where: { $0.key == key }) else { return false }
            state.queue.remove(at: index)
            return true
        }
        if !wasWaiting { leave() }
    }

    package func leave() {
        let next = state.withLock { state in
            let next = state.queue.isEmpty ? nil : state.queue.removeFirst()
            if next == nil { state.isTaken = false }
            return next
        }
        next?.pass(.success(()))
    }
}
