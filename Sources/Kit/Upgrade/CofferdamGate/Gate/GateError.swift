public import Cofferdam  // an error with a code

/// An error in the configuration of a gate or a plan, found before anything is counted.
public struct GateError: CodedError, Hashable {
    /// The kind of the error.
    public var code: Code
    /// What is wrong and what would be right, for people.
    package var message: String
    /// The setting, stage or metric in question.
    package var subject: String

    package init(_ code: Code, _ message: String, subject: String) {
        self.code = code
        self.message = message
        self.subject = subject
    }

    /// The kind of an error.
    public struct Code: ErrorCode {
        /// The code as text, as in logs and JSON.
        public let rawValue: String

        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A number is not in its range.
        public static let invalidSetting = Code(rawValue: "invalidSetting")
        /// The stages do not lead from the legacy side to the candidate.
        public static let invalidPlan = Code(rawValue: "invalidPlan")
        /// The gate reads a metric that is never recorded.
        public static let unwrittenMetric = Code(rawValue: "unwrittenMetric")
    }

    /// The subject and the message.
    public var description: String { "\(subject): \(message)" }
}
