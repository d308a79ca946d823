public import Cofferdam  // an error with a code

/// The reason why the rules refuse a change to an upgrade.
public struct UpgradeRefusal: CodedError, Hashable {
    /// The kind of the error.
    public var code: Code
    /// The reason, for people.
    package var message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The kind of an error.
    public struct Code: ErrorCode {
        /// The code as text, as in logs and JSON.
        public let rawValue: String

        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The name or the reason is missing.
        public static let incomplete = Code(rawValue: "incomplete")
        /// The change would have no effect.
        public static let alreadyThere = Code(rawValue: "alreadyThere")
        /// The kill switch forbids it.
        public static let frozen = Code(rawValue: "frozen")
        /// The plan has no such stage.
        public static let unplanned = Code(rawValue: "unplanned")
        /// Only a person may take this step.
        public static let needsPerson = Code(rawValue: "needsPerson")
        /// Only the gate may take this step, unless a person overrides it.
        public static let gateDecides = Code(rawValue: "gateDecides")
        /// The list of units is invalid or too long: see <doc:OperatingAnUpgrade#Named-units>.
        public static let invalidUnits = Code(rawValue: "invalidUnits")
        /// The decision has another verdict.
        public static let otherVerdict = Code(rawValue: "otherVerdict")
        /// The decision is for another stage, epoch, plan or attempt.
        public static let outdated = Code(rawValue: "outdated")
        /// The upgrade has changed since the maker of the request looked at it.
        public static let movedOn = Code(rawValue: "movedOn")
        /// The id belongs to another request.
        public static let keyUsed = Code(rawValue: "keyUsed")
        /// Too few calls of the legacy side were counted at `legacyOnly` to compare with.
        public static let noBaseline = Code(rawValue: "noBaseline")
        /// The legacy side failed for more units than the plan's limit while its baseline was recorded.
        public static let failingBaseline = Code(rawValue: "failingBaseline")
        /// The candidate has not answered any user in this upgrade.
        public static let neverAnswered = Code(rawValue: "neverAnswered")
        /// No user has called the operation.
        package static let unknownOperation = Code(rawValue: "unknownOperation")
        /// The numbers of the decision contradict its verdict.
        public static let contradiction = Code(rawValue: "contradiction")
        /// This instance must not promote: it has been without contact to the store for too long, or the store was set
        /// back.
        public static let outOfTouch = Code(rawValue: "outOfTouch")
    }

    /// The message.
    public var description: String { message }
}
