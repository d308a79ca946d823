import Cofferdam

/// The sequence that a subscriber of a ``StreamCarrier`` iterates. Dropping it unsubscribes from both sides.
struct RoutedStream<Element: Sendable>: AsyncSequence, Sendable {
    typealias Failure = any Error

    private let lease: Lease

    init(_ carrier: StreamCarrier<Element>) { lease = Lease(carrier) }

    func makeAsyncIterator() -> Iterator { Iterator(lease: lease) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let lease: Lease

        mutating func next() async throws -> Element? { try await lease.carrier.next() }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Element? {
            try await lease.carrier.next()
        }
    }

    fileprivate final class Lease: Sendable {
        let carrier: StreamCarrier<Element>
        init(_ carrier: StreamCarrier<Element>) { self.carrier = carrier }
        deinit { carrier.abandon() }
    }
}
