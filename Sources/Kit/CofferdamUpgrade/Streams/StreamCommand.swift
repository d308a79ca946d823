public import Cofferdam  // operations, sides and differences

/// What a ``StreamMerge`` wants done.
enum StreamCommand<Element: Sendable>: Sendable {
    /// The subscriber gets it.
    case tell(Element)
    /// The subscriber's stream is over: by an error, or in order.
    case finish((any Error)?)
    /// That side is to be subscribed, or to be left.
    case open(Side)
    case close(Side)
    /// ``StreamMerge/elapsed(_:isOldSideIdle:)`` is to be called after that time.
    case wait(Duration, StreamTimer)
    /// That side's list is asked for what came after the element; ``StreamMerge/listed(_:)`` takes it.
    case list(Side, after: Element)
}

/// What is waited for in a stream's move.
struct StreamTimer: Sendable, Hashable {
    enum Purpose: Sendable { case rest, acknowledgement, roundTrip, hold, deadline }
    var purpose: Purpose
    /// Which of its kind: one of an earlier move, rest or round trip means nothing.
    var number: Int
}

/// A side could not take over a stream in time.
public struct StreamMoveTimedOut: Error, Sendable, Hashable, CustomStringConvertible {
    public var side: Side

    public init(side: Side) { self.side = side }

    public var description: String { "the \(side) side did not take over the stream in time" }
}
