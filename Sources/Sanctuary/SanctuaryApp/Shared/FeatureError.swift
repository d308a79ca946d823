/// What the app itself refuses, before or after it has asked the vendor. Holds no secret.
public struct FeatureError: Error, Sendable, Hashable, CustomStringConvertible {
    public var code: Code
    /// What is wrong, for people.
    public var message: String
    /// Which input: "price", "quantity"; or which list.
    public var subject: String?

    public init(_ code: Code, _ message: String, subject: String? = nil) {
        self.code = code
        self.message = message
        self.subject = subject
    }

    public struct Code: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public var description: String { rawValue }

        /// The user has to write something else.
        public static let invalidInput = Code(rawValue: "invalidInput")
        /// A list is longer than the app is willing to hold.
        public static let tooLong = Code(rawValue: "tooLong")
        /// What was kept on this device of the user who was signed in cannot be removed from it. No other user is shown it.
        public static let notForgotten = Code(rawValue: "notForgotten")
        /// A command needs an accessory, and none is in use.
        public static let noAccessory = Code(rawValue: "noAccessory")
    }

    public var description: String { "\(code): \(message)" + (subject.map { " (\($0))" } ?? "") }
}
