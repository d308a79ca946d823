/// Why a change of an upgrade is not made.
public struct UpgradeRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    public var code: Code
    /// For people.
    public var message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public struct Code: Sendable, Hashable, RawRepresentable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// There is no name, or no reason.
        public static let incomplete = Code(rawValue: "incomplete")
        /// There is nothing to do.
        public static let alreadyThere = Code(rawValue: "alreadyThere")
        /// The kill switch forbids it.
        public static let frozen = Code(rawValue: "frozen")
        /// The plan has no such stage.
        public static let unplanned = Code(rawValue: "unplanned")
        /// Only a person takes this step.
        public static let needsPerson = Code(rawValue: "needsPerson")
        /// Only the gate takes this step, unless a person says that it should not matter.
        public static let gateDecides = Code(rawValue: "gateDecides")
        /// What was given names no unit, or too many are named: see ``NamedUnits``.
        public static let invalidUnits = Code(rawValue: "invalidUnits")
        /// The decision says something else.
        public static let otherVerdict = Code(rawValue: "otherVerdict")
        /// It was decided of another stage, epoch, plan or attempt.
        public static let outdated = Code(rawValue: "outdated")
        /// A decision that its own numbers do not give.
        public static let contradiction = Code(rawValue: "contradiction")
        /// Whoever asks has not heard from the fleet's store for too long to raise anything.
        public static let outOfTouch = Code(rawValue: "outOfTouch")
    }

    public var description: String { message }
}
