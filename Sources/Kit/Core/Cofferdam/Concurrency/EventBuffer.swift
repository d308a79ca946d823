import DequeModule

/// Carries events from a vendor's callback or stream to one subscriber, in order, within a bound.
///
/// The producer never waits. A subscriber that falls `limit` events behind loses the buffered events and gets the value of
/// `restart` instead, or the error of `overflow`: never a silent gap. Both closures run under a lock, so they must only make a
/// value. When the subscriber cancels, drops the stream or reaches its end, the body of ``onTermination(_:)`` is called once.
public final class EventBuffer<Element: Sendable>: Sendable {
    private struct State {
        var buffer: Deque<Element> = []
        var waiting: CheckedContinuation<Element?, any Error>?
        var end: Result<Void, any Error>?
        var onTermination: (@Sendable () -> Void)?
        /// How many events were dropped because the subscriber was too far behind.
        var dropped = 0
    }

    private enum Delivery {
        case done
        case resume(CheckedContinuation<Element?, any Error>, Result<Element?, any Error>)
        case wait

        func perform() {
            if case .resume(let continuation, let result) = self { continuation.resume(with: result) }
        }
    }

    private let state = Mutex(State())
    private let limit: Int
    private let onDrop: (@Sendable (Int) -> Void)?

    /// - Parameters:
    ///   - limit: how many events are kept for a subscriber that does not fetch them.
    ///   - onDrop: receives the number of dropped events, each time.
    public init(limit: Int = 1024, onDrop: (@Sendable (Int) -> Void)? = nil) {
        self.limit = max(1, limit)
        self.onDrop = onDrop
    }

    /// How many events were dropped so far because the subscriber was too far behind.
    public var droppedCount: Int { state.withLock { $0.dropped } }

    /// Whether the subscriber waits for an event now.
    package var isAwaited: Bool { state.withLock { $0.waiting != nil } }

    /// Called once when the subscriber has gone or the events have ended; at once if they have already.
    public func onTermination(_ body: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if state.end == nil { state.onTermination = body }
            return state.end != nil
        }
        if isOver { body() }
    }

    /// Appends an event. If the subscriber is too far behind, the event that `restart` makes replaces all buffered
    /// ones.
    public func send(_ element: Element, restart: () -> Element) {
        deliver(element) { state in
            state.dropped += state.buffer.count + 1
            state.buffer = [restart()]
        }
    }

    /// Appends an event. If the subscriber is too far behind, the events end with the error that `overflow` makes.
    public func send(_ element: Element, overflow: () -> any Error) {
        var isOver = false
        deliver(element) { state in
            state.dropped += state.buffer.count + 1
            state.buffer = []
            state.end = .failure(overflow())
            isOver = true
        }
        if isOver { terminate() }
    }

    /// Ends the events after those that are buffered, cleanly or with an error. The first end counts.
    public func finish(throwing error: (any Error)? = nil) {
        let delivery = state.withLock { state -> Delivery in
            guard state.end == nil else { return .done }
            let end: Result<Void, any Error> = error.map { .failure($0) } ?? .success(())
            // A waiting consumer gets the end now, and only once.
            state.end = state.waiting == nil ? end : .success(())
            guard let waiting = state.waiting.take() else { return .done }
            return .resume(waiting, end.map { nil })
        }
        delivery.perform()
        terminate()
    }

    /// The subscriber's side. Iterate it once.
    public var events: EventStream<Element> { EventStream(buffer: self) }

    private func deliver(_ element: Element, whenFull: (inout State) -> Void) {
        let (delivery, dropped) = state.withLock { state -> (Delivery, Int) in
            guard state.end == nil else { return (.done, 0) }
            if let waiting = state.waiting.take() { return (.resume(waiting, .success(element)), 0) }
            let before = state.dropped
            if state.buffer.count < limit { state.buffer.append(element) } else { whenFull(&state) }
            return (.done, state.dropped - before)
        }
        delivery.perform()
        if dropped > 0 { onDrop?(dropped) }
    }

    fileprivate func next() async throws -> Element? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let delivery = state.withLock { state -> Delivery in
                    if Task.isCancelled { return .resume(continuation, .failure(CancellationError())) }
                    if let element = state.buffer.popFirst() { return .resume(continuation, .success(element)) }
                    if let end = state.end {
                        state.end = .success(())
                        return .resume(continuation, end.map { nil })
                    }
                    guard state.waiting == nil else { return .resume(continuation, .failure(IteratedTwice())) }
                    state.waiting = continuation
                    return .wait
                }
                delivery.perform()
            }
        } onCancel: {
            abandon()
        }
    }

    /// The subscriber has gone.
    fileprivate func abandon() {
        let waiting = state.withLock { state in
            state.buffer = []
            if state.end == nil { state.end = .failure(CancellationError()) }
            return state.waiting.take()
        }
        waiting?.resume(throwing: CancellationError())
        terminate()
    }

    private func terminate() {
        let body = state.withLock { $0.onTermination.take() }
        body?()
    }
}

/// The events of an ``EventBuffer``, for a single consumer. Dropping the stream ends it for the producer too: see
/// ``EventBuffer/onTermination(_:)``.
public struct EventStream<Element: Sendable>: AsyncSequence, Sendable {
    /// The sequence throws the error that ended it.
    public typealias Failure = any Error
    private let lease: Lease

    fileprivate init(buffer: EventBuffer<Element>) { lease = Lease(buffer) }

    /// Starts an iteration. A stream that two consumers iterate at once throws an error that says so.
    public func makeAsyncIterator() -> Iterator { Iterator(lease: lease) }

    /// The buffer behind it, to check that it is released with the stream.
    package var buffer: EventBuffer<Element> { lease.buffer }

    /// An iteration of the stream.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let lease: Lease

        /// Waits for the next event; nil once the stream has ended.
        public mutating func next() async throws -> Element? { try await lease.buffer.next() }

        /// As ``next()``, for callers on an actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Element? {
            try await lease.buffer.next()
        }
    }

    fileprivate final class Lease: Sendable {
        let buffer: EventBuffer<Element>
        init(_ buffer: EventBuffer<Element>) { self.buffer = buffer }
        deinit { buffer.abandon() }
    }
}

/// A stream for one subscriber was iterated by two at once.
package struct IteratedTwice: Error, Sendable, Hashable, CustomStringConvertible {
    package init() {}

    package var description: String { "two consumers iterate the stream at once" }
}
