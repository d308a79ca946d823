import Cofferdam

/// Reads a stream to its end, and keeps the events it receives.
final class StreamListener<Event: Sendable>: Sendable {
    private typealias Wake = @Sendable (Result<Void, any Error>) -> Void

    private struct State: Sendable {
        var events: [Event] = []
        var end: Result<Void, any Error>?
        var waiting: [(isMet: @Sendable (Event) -> Bool, wake: Wake)] = []

        /// - Returns: the waiters for that event, to be woken.
        mutating func receive(_ event: Event) -> [Wake] {
            events.append(event)
            let all = waiting
            waiting = []
            var met: [Wake] = []
            for one in all {
                if one.isMet(event) { met.append(one.wake) } else { waiting.append(one) }
            }
            return met
        }
    }

    private let state = Mutex(State())

    /// - Returns: the listener and the task that reads, which must be cancelled.
    static func start(
        _ events: any AsyncSequence<Event, any Error> & Sendable,
        _ context: RuleContext
    ) -> (listener: StreamListener, task: Task<Void, any Error>) {
        let listener = StreamListener()
        return (listener, context.task { await listener.read(events) })
    }

    var events: [Event] { state.withLock { $0.events } }

    /// The stream's end; nil while it is in progress.
    var end: Result<Void, any Error>? { state.withLock { $0.end } }

    /// Returns once such an event has been received, or the stream has ended.
    func wait(forEvent isMet: @escaping @Sendable (Event) -> Bool) async throws {
        try await vendorCall { (wake: @escaping Wake) in
            change { state in
                if state.end != nil || state.events.contains(where: isMet) { return [wake] }
                state.waiting.append((isMet, wake))
                return []
            }
            return .none
        }
    }

    /// Returns once this many events have been received, or the stream has ended.
    func wait(forCount count: Int) async throws {
        try await vendorCall { (wake: @escaping Wake) in
            change { state in
                let missing = count - state.events.count
                if state.end != nil || missing <= 0 { return [wake] }
                let received = Mutex(0)
                let isMet: @Sendable (Event) -> Bool = { _ in
                    received.withLock { received in
                        received += 1
                        return received == missing
                    }
                }
                state.waiting.append((isMet, wake))
                return []
            }
            return .none
        }
    }

    private func read(_ events: any AsyncSequence<Event, any Error> & Sendable) async {
        do {
            var iterator = events.makeAsyncIterator()
            while let event = try await iterator.next(isolation: nil) { change { $0.receive(event) } }
            end(.success(()))
        } catch {
            end(.failure(error))
        }
    }

    private func end(_ end: Result<Void, any Error>) {
        change { state in
            state.end = end
            defer { state.waiting = [] }
            return state.waiting.map(\.wake)
        }
    }

    /// - Parameter body: returns the waiters to wake.
    private func change(_ body: (inout State) -> [Wake]) {
        for wake in state.withLock({ body(&$0) }) { wake(.success(())) }
    }
}
