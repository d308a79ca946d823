#if Sandbox
import Cofferdam
import SanctuaryDomain

/// The open event streams, each with the task that fills it.
final class Subscriptions: Sendable {
    private struct State {
        var isClosed = false
        var count = 0
        var all: [Int: Subscription] = [:]
    }

    /// The event, besides closing, that ends a stream.
    enum Scope: Sendable {
        case services
        /// Ended by signing out, too.
        case session
    }

    private struct Subscription {
        var scope: Scope
        /// Opened when the vendor delivers events, or has failed to.
        var isOpen: Latch
        /// Ends the subscriber's stream at once: its task may receive another event before it notices its cancellation.
        var end: @Sendable (SanctuaryError) -> Void
        /// Nil until the task is created.
        var task: Task<Void, Never>?
        var hasSignedOut = false
    }

    private let state = Mutex(State())
    private let executor: (any TaskExecutor)?

    init(executor: (any TaskExecutor)?) { self.executor = executor }

    /// Opens a stream that `fill` fills until it returns or throws, or the subscriber stops.
    ///
    /// - Parameters:
    ///   - scope: the stream's lifetime.
    ///   - dropped: called with the number of events dropped for a subscriber that is too far behind.
    ///   - end: returns the error that ends the stream for the error of `fill`; nil means that it returned.
    ///   - fill: opens the latch once the vendor delivers events.
    func open<Event: Sendable>(
        _ scope: Scope,
        dropped: @escaping @Sendable (Int) -> Void,
        end: @escaping @Sendable ((any Error)?) -> any Error,
        _ fill: @escaping @Sendable (EventBuffer<Event>, _ isOpen: Latch) async throws -> Void
    ) -> EventStream<Event> {
        let buffer = EventBuffer<Event>(onDrop: dropped)
        let events = buffer.events
        guard !Task.isCancelled else {
            buffer.finish(throwing: CancellationError())
            return events
        }
        let isOpen = Latch()
        let key = state.withLock { state in
            state.count += 1
            state.all[state.count] = Subscription(scope: scope, isOpen: isOpen, end: { buffer.finish(throwing: $0) })
            return state.count
        }
        let task = Task(executorPreference: executor) {
            var failure: (any Error)?
            do { try await fill(buffer, isOpen) } catch { failure = error }
            isOpen.open()
            buffer.finish(throwing: self.remove(key) ?? end(failure))
        }
        let isOver = state.withLock { state in
            state.all[key]?.task = task
            return state.isClosed || state.all[key]?.hasSignedOut ?? false
        }
        if isOver { task.cancel() }
        buffer.onTermination { task.cancel() }
        return events
    }

    /// Waits until every stream that is being opened receives events from the vendor, or was refused.
    func settled() async throws {
        for latch in state.withLock({ $0.all.values.map(\.isOpen) }) { try await latch.wait() }
    }

    /// Ends every stream with `closed`, including those opened later.
    func close() {
        let ended = state.withLock { state in
            state.isClosed = true
            return Array(state.all.values)
        }
        for subscription in ended {
            subscription.end(.servicesClosed)
            subscription.task?.cancel()
        }
    }

    /// Ends the streams that belong to the session.
    func endSession() {
        let ended = state.withLock { state in
            let ended = state.all.filter { $0.value.scope == .session }
            for key in ended.keys { state.all[key]?.hasSignedOut = true }
            return Array(ended.values)
        }
        for subscription in ended {
            subscription.end(Self.signedOut)
            subscription.task?.cancel()
        }
    }

    /// Removes a stream; returns the error with which the adapter ended it.
    private func remove(_ key: Int) -> SanctuaryError? {
        state.withLock { state in
            let removed = state.all.removeValue(forKey: key)
            if state.isClosed { return .servicesClosed }
            guard removed?.hasSignedOut ?? false else { return nil }
            return Self.signedOut
        }
    }

    private static var signedOut: SanctuaryError {
        SanctuaryError(.authenticationRequired, "the user has signed out")
    }
}
#endif
