/// What a router must know of a stream's elements so that the stream can go on from the other side: nothing is lost without
/// notice, and nothing is delivered twice.
public struct StreamHandover<Element: Sendable>: Sendable {
    package let nature: Nature
    package let gap: @Sendable (StreamGap<Element>) -> GapNotice<Element>
    private let beginnings: [Side: Beginning]
    /// How long things take, and how much is remembered.
    public var limits: StreamLimits

    /// For a state it is what stands for everything, and so nothing else.
    package func beginning(of side: Side) -> Beginning {
        if case .state(let isCurrent) = nature { return Beginning(acknowledges: isCurrent) }
        return beginnings[side] ?? Beginning()
    }

    package enum Nature: Sendable {
        case items(@Sendable (Element) -> StreamItem?)
        case state(isCurrent: @Sendable (Element) -> Bool)
    }

    /// What a side tells again, to one who subscribes, of what was before.
    public enum Replay: Sendable {
        /// Nothing, or the adapter leaves it out.
        case none
        /// All before the element that this recognises.
        case until(@Sendable (Element) -> Bool)
        /// Events of unknown extent: all counts that comes until the side is believed to be in step.
        case unmarked
    }

    /// What a side tells where a subscription of it begins.
    public struct Beginning: Sendable {
        package let acknowledges: (@Sendable (Element) -> Bool)?
        package let replay: Replay

        /// - Parameter acknowledges: recognises the element by which the side says that it is subscribed. Nil where it says no
        ///   such thing: then it is by its first element, and without one after ``StreamLimits/acknowledgement``.
        public init(acknowledges: (@Sendable (Element) -> Bool)? = nil, replay: Replay = .none) {
            (self.acknowledges, self.replay) = (acknowledges, replay)
        }
    }

    /// A stream of things that happen, each once and in one order on both sides.
    ///
    /// - Parameters:
    ///   - gap: how the subscriber is told that something is missing, or comes late.
    ///   - item: what the element is about; nil for what happens to a side alone, a connection's state say. Such an element is
    ///     passed on from the side that is listened to.
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

    /// A stream of what is so now: a new side is listened to from where it tells everything, and that is told again.
    ///
    /// - Parameter isCurrent: recognises an element that stands for everything before it.
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

/// What an element of a stream is about. Two elements of one ``id`` and ``kind`` are the same event, whichever side tells it:
/// what may happen to a thing more than once has its version in the kind.
public struct StreamItem: Sendable, Hashable {
    /// The id by which an item is recognised.
    public var id: String
    /// What kind of item it is.
    public var kind: Kind
    /// What the sender has called it before it had an id: an echo of one's own bears it.
    public var clientID: String?

    /// Creates a mark of an item.
    public init(_ id: String, _ kind: Kind = .item, clientID: String? = nil) {
        self.id = id
        self.kind = kind
        self.clientID = clientID
    }

    /// What has happened to the thing.
    public struct Kind: Sendable, Hashable, RawRepresentable, ExpressibleByStringLiteral {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public init(stringLiteral rawValue: String) { self.init(rawValue: rawValue) }

        /// An ordinary item.
        public static var item: Kind { "item" }
        /// It is no more: nothing of that id is told after it.
        public static var deletion: Kind { "deletion" }
    }
}

/// What a subscriber did not hear where it belonged.
public enum StreamGap<Element: Sendable>: Sendable {
    /// Something may be missing between these two; nil where nothing was told yet, or nothing has followed yet.
    case missing(after: Element?, before: Element?)
    /// This one, which the side that was listened to had not told, and which has its place somewhere before.
    case recovered(Element)
}

/// How a port notifies its subscriber of a ``StreamGap``.
public enum GapNotice<Element: Sendable>: Sendable {
    case element(Element)
    /// The port has no element for it: the stream ends by that error, and its subscriber begins anew.
    case end(any Error)
    /// It is nothing to the subscriber.
    case nothing
}

/// How long a move of a stream may take, and how much is remembered for it.
public struct StreamLimits: Sendable, Hashable {
    /// After a move has begun, the next one waits for so long; the kill switch does not.
    public var betweenMoves: Duration
    /// A side that tells neither that it is subscribed nor that it failed is taken to be subscribed so long after its adapter has
    /// given its stream; what opening the side took before does not count. That is a guess: where the vendor needs longer, what
    /// happens meanwhile may be lost without a gap. A ``StreamHandover/Beginning`` that says what acknowledges leaves none.
    public var acknowledgement: Duration
    /// What an event takes to reach both sides, at most: so long the old side is listened to after the new one is in step.
    public var roundTrip: Duration
    /// How long the new side may take to be in step; after that the move is given up.
    public var opening: Duration
    /// How many elements are remembered, to be told once. At least 50, and what comes while both sides are open.
    public var memory: Int

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
