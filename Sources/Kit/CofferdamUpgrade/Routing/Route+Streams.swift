import Cofferdam

extension Route {
    /// A stream of the unit's, from the side that the stage says; when the unit crosses over, the stream does too, without its
    /// subscriber's doing, and says what it may have missed.
    ///
    /// ```swift
    /// func events() -> any AsyncSequence<KeeperEvent, any Error> & Sendable {
    ///     route.stream("events", moving: .keepers) { $0.events() }
    /// }
    /// ```
    ///
    /// It is subscribed at once where its side is open, and fetches an element when one is asked for: a subscriber who is slow
    /// is dealt with as the side deals with it. It ends as its side's stream ends; released when the consuming task is cancelled
    /// or the stream is dropped. Iterate it once.
    ///
    /// - Parameters:
    ///   - moving: what the elements are, so that a side can take over where the other ended.
    ///   - catchingUp: where the port has a list: what came after that element, in its order. Asked after a gap.
    ///   - body: the port's stream.
    public func stream<Element: Sendable>(
        _ operation: String,
        moving: Moving<Element>,
        catchingUp: (@Sendable (Port, _ last: Element) async throws -> [Element])? = nil,
        _ body: @escaping @Sendable (Port) -> any AsyncSequence<Element, any Error> & Sendable
    ) -> any AsyncSequence<Element, any Error> & Sendable {
        let side = core.session.decision(for: operation).side
        if let port = core.ports.opened(side) { return body(port) }
        let buffer = EventBuffer<Element>(limit: 1)
        buffer.finish(throwing: CancellationError())
        return buffer.events
    }
}
