package import Cofferdam  // operations, sides and differences

/// A command of a ``StreamMerge``.
enum StreamCommand<Element: Sendable>: Sendable {
    /// Deliver the element to the subscriber.
    case emit(Element)
    /// End the stream of the subscriber, with an error or without.
    case finish((any Error)?)
    /// Subscribe to that side, or unsubscribe from it.
    case open(Side)
    case close(Side)
    /// Call `StreamMerge.elapsed(_:isOldSideIdle:)` after that time.
    case wait(Duration, StreamTimer)
    /// Ask the list of that side for the elements after the last one, and pass them to `StreamMerge.listed(_:)`.
    case list(Side, after: Element)
}

/// A timer of a handover.
struct StreamTimer: Sendable, Hashable {
    enum Purpose: Sendable { case rest, acknowledgement, roundTrip, hold, deadline }
    var purpose: Purpose
    /// The number of the handover, rest or round trip: an earlier one has no effect.
    var number: Int
}

/// The new side did not take over a stream in time.
package struct StreamHandoverTimedOut: Error, Sendable, Hashable, CustomStringConvertible {
    /// The side.
    var side: Side

    package init(side: Side) { self.side = side }

    /// The side that did not take over.
    package var description: String { "the \(side) side did not take over the stream in time" }
}
