/// A provider's values, for `for await`: every one of them, since the iteration began.
public struct ProviderValues<Element: Sendable>: AsyncSequence, Sendable {
    public typealias Failure = Never
    private let hub: any ProviderHub<Element>
    private let limit: Int

    init(hub: any ProviderHub<Element>, limit: Int) {
        self.hub = hub
        self.limit = limit
    }

    /// Subscribes: what changes from now on is kept until it is asked for, or the iterator is dropped.
    public func makeAsyncIterator() -> Iterator {
        let buffer = EventBuffer<Element>(limit: limit)
        let token = hub.listen { value in
            buffer.send(value, restart: { value })
        } end: {
            buffer.finish()
        }
        buffer.onTermination { token.cancel() }
        return Iterator(events: buffer.events.makeAsyncIterator())
    }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var events: EventStream<Element>.Iterator

        public mutating func next() async -> Element? { await next(isolation: #isolation) }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(Never) -> Element? {
            // The buffer throws nothing but cancellation, which ends the iteration.
            do { return try await events.next(isolation: actor) } catch { return nil }
        }
    }
}
