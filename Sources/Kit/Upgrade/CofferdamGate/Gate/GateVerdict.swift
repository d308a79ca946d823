/// The verdict of a gate.
public enum GateVerdict: String, Sendable, Hashable, Codable, CaseIterable {
    /// The next stage may begin.
    case promote
    /// Stay and keep counting.
    case hold
    /// Go back.
    case rollBack
    /// The limits of the gate were reached without a decision: ask a person.
    case undecided
}

/// A reason for a verdict.
public struct GateReason: Sendable, Hashable, Codable {
    /// The kind of the reason.
    public var code: Code
    /// The metric, if it concerns one.
    public var metric: Metric?
    /// For people.
    public var message: String

    /// Creates a value from its parts.
    init(_ code: Code, _ metric: Metric? = nil, _ message: String) {
        self.code = code
        self.metric = metric
        self.message = message
    }

    /// The kind of a reason.
    public struct Code: Sendable, Hashable, RawRepresentable, Codable {
        /// The code as text, as in logs and JSON.
        public let rawValue: String
        /// The code with that text, whether this version knows it or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Every test for a promotion is reached.
        package static let allReached = Code(rawValue: "allReached")
        /// A test for a rollback is reached.
        package static let testReached = Code(rawValue: "testReached")
        /// The breaker opened too often, or for too long.
        package static let breakerTripped = Code(rawValue: "breakerTripped")
        /// The breaker is open now: nothing is counted.
        package static let breakerOpen = Code(rawValue: "breakerOpen")
        /// A metric or the breaker's history is missing.
        package static let missing = Code(rawValue: "missing")
        /// Some of what was counted is missing.
        package static let incomplete = Code(rawValue: "incomplete")
        /// The metric is there, but nothing was counted.
        package static let nothingCounted = Code(rawValue: "nothingCounted")
        /// The counts are impossible: more failures than units.
        package static let impossibleCounts = Code(rawValue: "impossibleCounts")
        /// The legacy side was measured too little, or is itself no better than the limit.
        package static let uselessBaseline = Code(rawValue: "uselessBaseline")
        /// A share is above its ceiling.
        package static let aboveCeiling = Code(rawValue: "aboveCeiling")
        /// Units newly fail on the candidate: see `GateAlarm`.
        package static let alarm = Code(rawValue: "alarm")
        /// A test forbids the promotion.
        package static let vetoed = Code(rawValue: "vetoed")
        /// An operation that units called on the legacy side is not called on the candidate.
        package static let uncalledOperation = Code(rawValue: "uncalledOperation")
        /// Units are missing on one side of a canary.
        package static let unexpectedShare = Code(rawValue: "unexpectedShare")
        /// A test for a promotion is not reached yet.
        package static let notYet = Code(rawValue: "notYet")
        /// Every test for a promotion is reached, and the plan's least time at a stage has not passed.
        package static let tooEarly = Code(rawValue: "tooEarly")
        /// The units are not remembered beyond the end of a process, and so may count twice.
        package static let unitsNotKept = Code(rawValue: "unitsNotKept")
        /// Enough units were counted without a decision.
        package static let horizonPassed = Code(rawValue: "horizonPassed")
        /// The epoch has lasted long enough without a decision.
        package static let tooOld = Code(rawValue: "tooOld")
        /// The gate has no promotion tests, so it leads no further.
        package static let noPromotion = Code(rawValue: "noPromotion")
        /// The builds that count are not those that the stage compares.
        package static let otherBuilds = Code(rawValue: "otherBuilds")
        /// The reading is of another stage.
        package static let otherStage = Code(rawValue: "otherStage")
    }
}

extension GateReason: CustomStringConvertible {
    /// The metric, if the reason concerns one, and the message.
    public var description: String { metric.map { "\($0): \(message)" } ?? message }
}
