/// A stream that one side gives when somebody listens, and that stays that side's for its whole life.
struct StreamOfOneSide<Element: Sendable>: AsyncSequence, Sendable {
    typealias Stream = any AsyncSequence<Element, any Error> & Sendable

    let open: @Sendable () async throws -> Stream

    func makeAsyncIterator() -> Iterator { Iterator(open: open) }

    struct Iterator: AsyncIteratorProtocol {
        let open: @Sendable () async throws -> Stream
        var opened: (any AsyncIteratorProtocol<Element, any Error>)?

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
            if opened == nil { opened = try await open().makeAsyncIterator() }
            return try await opened?.next(isolation: actor)
        }
    }
}
