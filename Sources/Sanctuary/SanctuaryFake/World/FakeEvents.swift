import Cofferdam

/// A stream that subscribes when it is first asked for an event, and ends by the error if it is refused.
struct FakeEvents<Element: Sendable>: AsyncSequence, Sendable {
    typealias Failure = any Error

    let subscribe: @Sendable () async throws -> EventStream<Element>

    func makeAsyncIterator() -> Iterator { Iterator(subscribe: subscribe) }

    struct Iterator: AsyncIteratorProtocol {
        private enum Phase {
            case before(@Sendable () async throws -> EventStream<Element>)
            case during(EventStream<Element>.Iterator)
            case after
        }

        private var phase: Phase

        init(subscribe: @escaping @Sendable () async throws -> EventStream<Element>) { phase = .before(subscribe) }

        mutating func next() async throws -> Element? {
            let current = phase
            phase = .after
            var events: EventStream<Element>.Iterator
            switch current {
            case .before(let subscribe): events = try await subscribe().makeAsyncIterator()
            case .during(let subscribed): events = subscribed
            case .after: return nil
            }
            guard let event = try await events.next() else { return nil }
            phase = .during(events)
            return event
        }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Element? {
            try await next()
        }
    }
}
