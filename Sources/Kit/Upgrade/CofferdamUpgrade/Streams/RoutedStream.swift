import Cofferdam

/// The sequence that a subscriber of a ``StreamCarrier`` iterates. Dropping it unsubscribes from both sides.
struct RoutedStream<Element: Sendable>: AsyncSequence, Sendable {
    typealias Failure = any Error

    private let lease: Lease

    init(_ carrier: StreamCarrier) { lease = Lease(carrier) }

    func makeAsyncIterator() -> Iterator { Iterator(lease: lease) }

    struct Iterator: AsyncIteratorProtocol {
        let lease: Lease

        mutating func next() async throws -> Element? { try await lease.carrier.next().map { typed($0) } }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Element? {
            try await lease.carrier.next().map { typed($0) }
        }
    }

    final class Lease: Sendable {
        let carrier: StreamCarrier
        init(_ carrier: StreamCarrier) { self.carrier = carrier }
        deinit { carrier.abandon() }
    }
}

/// The events of a side, for a ``StreamCarrier``.
struct ErasedEvents<Event: Sendable>: AsyncSequence, Sendable {
    typealias Failure = any Error

    private let events: PortEvents<Event>

    init(_ events: PortEvents<Event>) { self.events = events }

    func makeAsyncIterator() -> Iterator { Iterator(events: events.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        var events: any AsyncIteratorProtocol<Event, any Error>

        mutating func next() async throws -> (any Sendable)? { try await next(isolation: nil) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> (any Sendable)? {
            try await events.next(isolation: actor)
        }
    }
}
