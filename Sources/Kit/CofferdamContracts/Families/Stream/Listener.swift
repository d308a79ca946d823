import Cofferdam

/// Reads a stream to its end, and remembers what it has heard.
final class Listener<Event: Sendable>: Sendable {
    private typealias Wake = @Sendable (Result<Void, any Error>) -> Void

    private struct State: Sendable {
        var events: [Event] = []
        var end: Result<Void, any Error>?
        var waiting: [(isMet: @Sendable ([Event]) -> Bool, wake: Wake)] = []

        mutating func takeMet() -> [Wake] {
            let (events, isOver) = (self.events, end != nil)
            let met = waiting.filter { isOver || $0.isMet(events) }
            waiting.removeAll { isOver || $0.isMet(events) }
            return met.map(\.wake)
        }
    }

    private let state = Mutex(State())

    /// - Returns: with the task that reads, to be cancelled.
    static func start(
        _ events: any AsyncSequence<Event, any Error> & Sendable,
        _ context: RuleContext
    ) -> (listener: Listener, task: Task<Void, any Error>) {
        let listener = Listener()
        return (listener, context.task { await listener.read(events) })
    }

    var events: [Event] { state.withLock { $0.events } }

    /// Nil while it goes on.
    var end: Result<Void, any Error>? { state.withLock { $0.end } }

    /// Returns once what was heard fulfils the condition, or the stream has ended.
    func wait(until isMet: @escaping @Sendable ([Event]) -> Bool) async throws {
        try await vendorCall { (wake: @escaping Wake) in
            change { $0.waiting.append((isMet, wake)) }
            return .none
        }
    }

    private func read(_ events: any AsyncSequence<Event, any Error> & Sendable) async {
        do {
            var iterator = events.makeAsyncIterator()
            while let event = try await iterator.next(isolation: nil) { change { $0.events.append(event) } }
            change { $0.end = .success(()) }
        } catch {
            change { $0.end = .failure(error) }
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let met = state.withLock { state in
            body(&state)
            return state.takeMet()
        }
        for wake in met { wake(.success(())) }
    }
}
