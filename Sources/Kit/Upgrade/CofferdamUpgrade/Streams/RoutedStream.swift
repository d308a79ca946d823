import Cofferdam

/// The sequence that a subscriber of a ``StreamCarrier`` iterates. Dropping it unsubscribes from both sides.
struct RoutedStream<Element: Sendable>: AsyncSequence, Sendable {
    typealias Failure = any Error

    private let lease: Lease

    init(_ carrier: StreamCarrier) { lease = Lease(carrier) }

    func makeAsyncIterator() -> Iterator { Iterator(lease: lease) }

    struct Iterator: AsyncIteratorProtocol {
        let lease: Lease

        mutating func next() async throws -> Element? { try await next(isolation: nil) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Element? {
            guard let element = try await lease.carrier.next() else { return nil }
            return typed(element)
        }
    }

    final class Lease: Sendable {
        let carrier: StreamCarrier
        init(_ carrier: StreamCarrier) { self.carrier = carrier }
        deinit { carrier.abandon() }
    }
}

/// The elements of a side, for a ``StreamCarrier``, which does not know their type.
protocol ElementSource: AnyObject {
    /// Passes elements to the carrier: as many as the subscriber asks for, until the stream ends or the side is left, or
    /// a single one.
    nonisolated(nonsending) func pass(to carrier: StreamCarrier, from feed: StreamFeed, once: Bool) async
}

final class SideElements<Element: Sendable>: ElementSource {
    // Proof of `nonisolated(unsafe)`: only `pass` uses it, and the carrier, whose lock orders them, lets one run at a time
    // (see `StreamFeed`).
    private nonisolated(unsafe) var iterator: any AsyncIteratorProtocol<Element, any Error>

    init(_ events: PortEvents<Element>) { iterator = events.makeAsyncIterator() }

    nonisolated(nonsending) func pass(to carrier: StreamCarrier, from feed: StreamFeed, once: Bool) async {
        do {
            var turn = StreamFeed.Turn.due
            while turn != .over {
                if turn == .due { carrier.asks(feed) }
                // Without an isolation, which most iterators would only hand on, by two more changes of executors.
                guard let element = try await iterator.next() else { return carrier.ended(feed, by: nil) }
                guard !once else { return carrier.received(element, from: feed, nil) }
                // Proof: the carrier keeps it in the feed, or resumes it at once; it takes it from the feed, under its
                // lock, and then resumes it once.
                turn = await withUnsafeContinuation { carrier.received(element, from: feed, $0) }
            }
        } catch {
            carrier.ended(feed, by: error)
        }
    }
}
