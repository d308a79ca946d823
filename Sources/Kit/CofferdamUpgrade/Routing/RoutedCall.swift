public import Cofferdam  // operations, sides and differences

/// One try of a call on one side, as it went.
public struct RoutedCall: Sendable, Hashable {
    public var capability: String
    public var operation: String
    /// What the operation does.
    public var effect: Effect
    /// Whether it is a stream, of which only failures are told.
    public var isStream: Bool
    public var stage: Stage
    public var epoch: Int
    public var unit: String?
    /// Whether the unit is a named one, whose calls count apart: see ``NamedUnits``.
    public var isNamed: Bool
    /// Whether the unit's calls are compared; nil where none are compared, and for a named unit.
    public var sample: Sample?
    public var side: Side
    /// Why that side was asked.
    public var role: Role
    public var outcome: Outcome
    /// The kind of the error, where it is an answer: not found, not allowed.
    public var answer: String?
    /// How long it took, without the opening of the side. Nil of what was not timed: a stream, and what comes after a session's first
    /// calls and after the first one of each operation, so that both arms of a canary are timed alike.
    public var duration: Duration?

    /// As a route tells it; for those who test an observer of their own.
    public init(
        capability: String,
        operation: String,
        effect: Effect = .read,
        isStream: Bool = false,
        stage: Stage,
        epoch: Int,
        unit: String?,
        isNamed: Bool = false,
        sample: Sample? = nil,
        side: Side,
        role: Role,
        outcome: Outcome,
        answer: String? = nil,
        duration: Duration?
    ) {
        self.capability = capability
        self.operation = operation
        self.effect = effect
        self.isStream = isStream
        self.stage = stage
        self.epoch = epoch
        self.unit = unit
        self.isNamed = isNamed
        self.sample = sample
        self.side = side
        self.role = role
        self.outcome = outcome
        self.answer = answer
        self.duration = duration
    }

    public struct Sample: Sendable, Hashable {
        /// The share of the units whose calls are compared.
        public var share: Share
        /// Whether this unit is one of them.
        public var isIn: Bool
    }

    public enum Role: String, Sendable, Hashable, Codable {
        /// It is the unit's own side.
        case first
        /// The first had failed, or the unit had left it, as it may a stream.
        case fallback
    }

    public enum Outcome: Sendable, Hashable {
        /// A value, or an error that is an answer.
        case answered
        /// The side failed, by that kind of error.
        case failed(FailureMeaning, kind: String)
        /// The side could not be opened, so that nothing was sent.
        case notOpened(kind: String)
        /// The side's breaker is open, so that it was not asked: the other side is. It says nothing new of either.
        case refused
        case cancelled
    }
}

/// What a call said on both sides, or why it was not compared.
public struct ShadowComparison: Sendable, Hashable {
    public var capability: String
    public var operation: String
    public var stage: Stage
    public var epoch: Int
    public var unit: String?
    public var outcome: ComparisonOutcome
    /// Where the two differ: of a mismatch, of what was expected, and of noise.
    public var differences: [Difference]
    /// The id of the expected difference, if all that differs was expected: of the one that may come least often.
    public var expectation: String?
    /// How long each side took; nil for one that did not end.
    public var durations: [Side: Duration]

    /// As a route tells it; for those who test an observer of their own.
    public init(
        capability: String,
        operation: String,
        stage: Stage,
        epoch: Int,
        unit: String?,
        outcome: ComparisonOutcome,
        differences: [Difference] = [],
        expectation: String? = nil,
        durations: [Side: Duration] = [:]
    ) {
        self.capability = capability
        self.operation = operation
        self.stage = stage
        self.epoch = epoch
        self.unit = unit
        self.outcome = outcome
        self.differences = differences
        self.expectation = expectation
        self.durations = durations
    }
}

/// A side was opened, or could not be.
public struct SideOpening: Sendable, Hashable {
    public var side: Side
    /// Whether it was opened to be compared, on a copy.
    public var isShadow: Bool
    public var isFailed: Bool
    public var duration: Duration
}

/// Hears how routed calls went. Called where the call is made, so it must be quick, and holds up nobody.
public protocol RouteObserver: Sendable {
    /// Each try of a call. Of calls that just went to the one side that answers all it is told of each session's first ones, of the
    /// first one of each operation, and of all that failed or got an answer that is an error; one that is compared is told as
    /// that. A call whose caller gives up is told at once, however long the side still takes.
    func called(_ call: RoutedCall)
    /// Each call that was sampled to be compared.
    func compared(_ comparison: ShadowComparison)
    /// From the next call on fewer are compared. Not told unless a ``SampleGuard`` watches.
    func sampleHalved(_ halving: SampleHalving)
    /// A side was opened, which is no part of any call's time: see ``Router``.
    func opened(_ opening: SideOpening)
}

extension RouteObserver {
    public func sampleHalved(_ halving: SampleHalving) {}
    public func opened(_ opening: SideOpening) {}
}
