import Cofferdam
import SanctuaryContracts
import SanctuaryDomain

extension FakeSession {
    /// Returns a stream that is requested at once, and ends with an error if it is refused.
    ///
    /// - Parameters:
    ///   - stream: the kind of stream. A stream of messages ends with its user's session, even before it is served.
    ///   - subscribe: makes the world fill the buffer from then on.
    func events<Event: Sendable>(
        of stream: SanctuaryStream,
        _ subscribe: @escaping @Sendable (FakeSession, EventBuffer<Event>) async throws -> Void
    ) -> EventStream<Event> {
        let buffer = EventBuffer<Event>()
        let events = buffer.events
        guard !Task.isCancelled else {
            buffer.finish(throwing: CancellationError())
            return events
        }
        let opening = world.update { state in
            let opening = state.nextNumber()
            state.openings[opening] = FakeOpening(stream: stream, instance: ObjectIdentifier(instance)) {
                buffer.finish(throwing: $0)
            }
            return opening
        }
        let start = FakeStart()
        // Effective until the world has the buffer and is notified itself.
        buffer.onTermination { start.cancel() }
        start.begin(
            Task(executorPreference: executor) {
                defer { world.update { $0.openings[opening] = nil } }
                do {
                    try await subscribe(self, buffer)
                } catch {
                    buffer.finish(throwing: error)
                }
            }
        )
        return events
    }

    /// Returns once the requested streams are served, so that their subscribers receive what is sent now; if the vendor
    /// does not serve them, it returns after at most five seconds.
    func settleStreams() async throws {
        do {
            try await withDeadline(.seconds(5), clock: time.clock) { [world] in
                try await world.wait { state, _ in state.openings.isEmpty }
            }
        } catch is DeadlineExceeded {}
    }
}

/// A subscription in progress, so that its stream can be ended before it is served.
struct FakeOpening: Sendable {
    let stream: SanctuaryStream
    let instance: ObjectIdentifier
    let end: @Sendable (any Error) -> Void
}

/// The task that makes a subscription, which may be cancelled before it has begun.
private final class FakeStart: Sendable {
    private let state = Mutex((isCancelled: false, task: Task<Void, Never>?.none))

    func begin(_ task: Task<Void, Never>) {
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }
}
