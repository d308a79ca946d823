public import Cofferdam  // operations, sides and differences

/// The outcome of asking one side for one call.
public struct RoutedCall: Sendable, Hashable {
    /// That of the ``CallInFlight``; 0 if there was none.
    package var number: UInt64
    /// The name of the capability.
    public var capability: String
    /// The name of the operation.
    public var operation: String
    /// The effect of the operation.
    package var effect: Effect
    /// Whether the call is a stream; of streams, only errors are reported.
    var isStream: Bool
    /// The stage.
    public var stage: Stage
    /// The epoch.
    package var epoch: Int
    /// The hour since 1970 in which the call counts for the alarm; 0 for none.
    package var hour: Int64
    /// The unit; nil if there is none.
    public var unit: String?
    /// Identifies the unit in the evidence, or its session if there is none; nil if the call is not counted.
    package var key: UInt64?
    /// Whether the unit's session chose its side in this epoch.
    package var hasEntered: Bool
    /// Whether the fallback to the other side failed too, for the same call.
    package var hasFailedOnBoth = false
    /// Whether the unit is named, and so counted separately: see <doc:OperatingAnUpgrade#Named-units>.
    package var isNamed: Bool
    /// Whether the unit's calls are compared; nil if the stage compares none, or the unit is named.
    package var sample: UnitSample?
    /// The side.
    public var side: Side
    /// Why the side was asked.
    public var role: Role
    /// The outcome.
    public var outcome: Outcome
    /// The kind of the error if it is an answer, such as not found; nil otherwise.
    package var answer: String?
    /// The time that the call took, without opening the side; nil if it was not timed. Only the first calls of a
    /// session and the first call of each operation are timed, so that both arms of a canary are timed alike. Streams
    /// are not timed.
    public var duration: Duration?
    /// How long the caller waited for the side to open.
    public var opening: Duration

    /// Whether the side failed and gave no answer.
    var hasFailed: Bool {
        switch outcome {
        case .failed, .notOpened: true
        case .answered, .cancelled, .refused: false
        }
    }

    /// Creates a value as a route does, to test an observer.
    package init(
        capability: String,
        operation: String,
        effect: Effect = .read,
        isStream: Bool = false,
        stage: Stage,
        epoch: Int,
        hour: Int64 = 0,
        unit: String?,
        key: UInt64? = nil,
        hasEntered: Bool = true,
        isNamed: Bool = false,
        sample: UnitSample? = nil,
        side: Side,
        role: Role,
        outcome: Outcome,
        answer: String? = nil,
        duration: Duration?,
        opening: Duration = .zero,
        number: UInt64 = 0
    ) {
        self.number = number
        self.capability = capability
        self.operation = operation
        self.effect = effect
        self.isStream = isStream
        self.stage = stage
        self.epoch = epoch
        self.hour = hour
        self.unit = unit
        self.key = key ?? unit.map(UnitKey.key(of:))
        self.hasEntered = hasEntered
        self.isNamed = isNamed
        self.sample = sample
        self.side = side
        self.role = role
        self.outcome = outcome
        self.answer = answer
        (self.duration, self.opening) = (duration, opening)
    }

    /// Why a side was asked.
    public enum Role: String, Sendable, Hashable, Codable {
        /// The unit's own side, or the side that issued the call's cursor.
        case first
        /// The other side, after the first one failed; for a stream, also a side that the unit has left.
        case fallback
    }

    /// The possible outcomes.
    public enum Outcome: Sendable, Hashable {
        /// A value, or an error that is an answer.
        case answered
        /// The side failed with that kind of error.
        case failed(FailureMeaning, kind: String)
        /// The side could not be opened; nothing was sent.
        case notOpened(kind: String)
        /// The breaker of the side refused the call, and the other side answers.
        case refused
        case cancelled
    }
}
