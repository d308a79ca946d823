/// A provider's values, for `for await`: the latest that this consumer has not seen yet.
public struct ProviderStates<Element: Sendable>: AsyncSequence, Sendable {
    public typealias Failure = Never
    fileprivate let hub: any ProviderHub<Element>

    init(hub: any ProviderHub<Element>) { self.hub = hub }

    public func makeAsyncIterator() -> Iterator { Iterator(hub: hub) }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let hub: any ProviderHub<Element>
        private var seen = -1

        fileprivate init(hub: any ProviderHub<Element>) { self.hub = hub }

        public mutating func next() async -> Element? { await hub.next(after: &seen) }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(Never) -> Element? {
            await hub.next(after: &seen)
        }
    }
}
