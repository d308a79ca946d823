import Cofferdam

/// What a ``StreamCarrier`` needs of its route.
struct StreamSides<Element: Sendable>: Sendable {
    typealias Events = any AsyncSequence<Element, any Error> & Sendable

    /// Subscribes at once, if the side is open.
    let subscribeNow: @Sendable (Side) -> Events?
    /// Opens the side if need be, and subscribes.
    ///
    /// - Throws: ``StreamNotOpened`` if the side cannot be opened.
    let subscribe: @Sendable (Side) async throws -> Events
    let list: (@Sendable (Side, _ last: Element) async throws -> [Element])?
    let wanted: @Sendable () -> StreamSide
    /// The side that stands in for one that cannot be opened.
    let fallback: @Sendable (Side) async -> Side?
    /// A side's stream has failed, or the side could not be opened.
    let failed: @Sendable (Side, any Error) -> Void
}

struct StreamNotOpened: Error { var underlying: any Error }
