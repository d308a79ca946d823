/// Describes a stream's elements to the router, so that the stream can continue from the other side: nothing is lost without
/// notice, and nothing is delivered twice.
public struct StreamHandover<Element: Sendable>: Sendable {
    package let nature: Nature
    package let gap: @Sendable (StreamGap<Element>) -> GapNotice<Element>
    private let beginnings: [Side: Beginning]
    /// How long a handover may take, and how many elements the router remembers.
    package var limits: StreamLimits

    /// A stream of states begins with an element that replaces everything before it.
    package func beginning(of side: Side) -> Beginning {
        if case .state(let isCurrent) = nature { return Beginning(acknowledges: isCurrent) }
        return beginnings[side] ?? Beginning()
    }

    package enum Nature: Sendable {
        case items(@Sendable (Element) -> StreamItem?)
        case state(isCurrent: @Sendable (Element) -> Bool)
    }

    /// Which earlier elements a side repeats to a new subscriber.
    public enum Replay: Sendable {
        /// Nothing, or the adapter leaves it out.
        case none
        /// All elements before the one for which the closure returns true.
        case until(@Sendable (Element) -> Bool)
        /// An unknown number: every element counts as a repeated one until the side is taken to be in step.
        case unmarked
    }

    /// The elements with which a side begins a subscription.
    public struct Beginning: Sendable {
        package let acknowledges: (@Sendable (Element) -> Bool)?
        package let replay: Replay

        /// - Parameter acknowledges: whether an element confirms the subscription. Nil if the side sends no such element: then
        ///   its first element confirms it, or the time of `acknowledgement` if none comes.
        public init(acknowledges: (@Sendable (Element) -> Bool)? = nil, replay: Replay = .none) {
            (self.acknowledges, self.replay) = (acknowledges, replay)
        }
    }

    /// A stream of events. Both sides send each event once, in the same order.
    ///
    /// - Parameters:
    ///   - gap: returns the notice for a subscriber that missed an element or gets one late.
    ///   - item: identifies the event; nil for an element that concerns one side alone, such as a connection's state. The
    ///     subscriber gets such elements from the side in use.
    public static func items(
        legacy: Beginning = Beginning(),
        candidate: Beginning = Beginning(),
        limits: StreamLimits = StreamLimits(),
        gap: @escaping @Sendable (StreamGap<Element>) -> GapNotice<Element>,
        item: @escaping @Sendable (Element) -> StreamItem?
    ) -> StreamHandover {
        StreamHandover(
            nature: .items(item),
            gap: gap,
            beginnings: [.legacy: legacy, .candidate: candidate],
            limits: limits
        )
    }

    /// A stream of states. The new side takes over with an element that carries the whole state, which the subscriber gets
    /// again.
    ///
    /// - Parameter isCurrent: whether an element replaces everything before it.
    public static func state(
        limits: StreamLimits = StreamLimits(),
        isCurrent: @escaping @Sendable (Element) -> Bool
    ) -> StreamHandover {
        StreamHandover(
            nature: .state(isCurrent: isCurrent),
            gap: { _ in .nothing },
            beginnings: [:],
            limits: limits
        )
    }
}

extension StreamHandover {
    /// The same for code that does not know the type of the elements.
    package var erased: StreamHandover<any Sendable> {
        let nature: StreamHandover<any Sendable>.Nature =
            switch nature {
            case .items(let item): .items { item(typed($0)) }
            case .state(let isCurrent): .state { isCurrent(typed($0)) }
            }
        return StreamHandover<any Sendable>(
            nature: nature,
            gap: { [gap] erased in
                let notice =
                    switch erased {
                    case .missing(let last, let next):
                        gap(.missing(after: last.map { typed($0) }, before: next.map { typed($0) }))
                    case .recovered(let element): gap(.recovered(typed(element)))
                    }
                return switch notice {
                case .element(let element): .element(element)
                case .end(let error): .end(error)
                case .nothing: .nothing
                }
            },
            beginnings: beginnings.mapValues { beginning in
                let replay: StreamHandover<any Sendable>.Replay =
                    switch beginning.replay {
                    case .none: .none
                    case .until(let isEnd): .until { isEnd(typed($0)) }
                    case .unmarked: .unmarked
                    }
                guard let acknowledges = beginning.acknowledges else { return .init(replay: replay) }
                return .init(acknowledges: { acknowledges(typed($0)) }, replay: replay)
            },
            limits: limits
        )
    }
}

/// An element of a stream, whose code did not know its type.
package func typed<Element: Sendable>(_ element: any Sendable) -> Element {
    // Proof: a stream's elements come from its own operation, and so have the type that it declares. A conditional cast
    // would take a tenth of an element's time.
    // swift-format-ignore: NeverForceUnwrap
    element as! Element
}

/// Identifies the event that an element reports. Two elements with the same `id` and `kind` report the same event, on
/// either side. If an event can happen to an item more than once, put its version into the kind.
public struct StreamItem: Sendable, Hashable {
    /// The id by which an item is recognised.
    package var id: String
    /// What happened to the item.
    package var kind: Kind
    /// The sender's own id, from before the server gave one; the echo of a sent item carries it.
    package var clientID: String?

    /// Identifies an event of an item.
    public init(_ id: String, _ kind: Kind = .item, clientID: String? = nil) {
        self.id = id
        self.kind = kind
        self.clientID = clientID
    }

    /// A kind of event.
    public struct Kind: Sendable, Hashable, RawRepresentable, ExpressibleByStringLiteral {
        /// The kind as text, as in logs and JSON.
        public let rawValue: String
        /// The kind with that text.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// A kind of the app's own.
        public init(stringLiteral rawValue: String) { self.init(rawValue: rawValue) }

        /// An ordinary item.
        public static var item: Kind { "item" }
        /// The item was deleted: no event of that id follows.
        public static var deletion: Kind { "deletion" }
    }
}

/// An irregularity in a stream that the subscriber should know of.
public enum StreamGap<Element: Sendable>: Sendable {
    /// Elements may be missing between these two; nil if none was delivered before, or none has followed yet.
    case missing(after: Element?, before: Element?)
    /// The element comes late: the side in use did not send it in its place.
    case recovered(Element)
}

/// How a port notifies its subscriber of a ``StreamGap``.
public enum GapNotice<Element: Sendable>: Sendable {
    /// Delivers that element.
    case element(Element)
    /// Ends the stream with the error, for ports without such an element; the subscriber starts again.
    case end(any Error)
    /// Does not notify the subscriber.
    case nothing
}

/// Limits on a stream's handover from one side to the other.
public struct StreamLimits: Sendable, Hashable {
    /// The minimum time between the starts of two handovers. The kill switch does not wait for it.
    package var betweenMoves: Duration
    /// How long after its adapter returned the stream a side counts as subscribed, if it neither confirmed nor failed. The
    /// time to open the side before that does not count. This is a guess: if the vendor needs longer, events in between may be
    /// lost without a gap. A ``StreamHandover/Beginning`` with `acknowledges` avoids the guess.
    package var acknowledgement: Duration
    /// The longest time that an event takes to reach both sides. The old side stays subscribed that long after the new one is
    /// in step.
    package var roundTrip: Duration
    /// How long the new side may take to be in step before the handover is abandoned.
    package var opening: Duration
    /// How many elements are remembered, so that none is delivered twice. At least 50, and all that arrive while both sides
    /// are open.
    package var memory: Int

    /// Sets the limits. A `memory` below 50 counts as 50.
    public init(
        betweenMoves: Duration = .seconds(30),
        acknowledgement: Duration = .seconds(5),
        roundTrip: Duration = .seconds(2),
        opening: Duration = .seconds(30),
        memory: Int = 512
    ) {
        self.betweenMoves = betweenMoves
        self.acknowledgement = acknowledgement
        self.roundTrip = roundTrip
        self.opening = opening
        self.memory = max(50, memory)
    }
}
