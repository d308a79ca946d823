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
    public var sample: UnitSample?
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
        sample: UnitSample? = nil,
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
