/// A provider's values, for `for await`: the latest that this consumer has not seen yet.
public struct ProviderStates<Element: Sendable>: AsyncSequence, Sendable {
    public typealias Failure = Never
    fileprivate let core: ProviderCore<Element>

    init(core: ProviderCore<Element>) { self.core = core }

    public func makeAsyncIterator() -> Iterator { Iterator(core: core) }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let core: ProviderCore<Element>
        private var seen = -1

        fileprivate init(core: ProviderCore<Element>) { self.core = core }

        public mutating func next() async -> Element? { await core.next(after: &seen) }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(Never) -> Element? {
            await core.next(after: &seen)
        }
    }
}
