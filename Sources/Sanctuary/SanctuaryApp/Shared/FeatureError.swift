/// The error of a request that the app itself refuses, before or after asking the vendor. It holds no secret.
public struct FeatureError: Error, Sendable, Hashable, CustomStringConvertible {
    public var code: Code
    /// A description for humans.
    public var message: String
    /// The input, such as "price" or "quantity", or the list.
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

        /// The user's input is invalid.
        public static let invalidInput = Code(rawValue: "invalidInput")
        /// A list is longer than the app's limits allow.
        public static let tooLong = Code(rawValue: "tooLong")
        /// The previous user's lists cannot be deleted from this device. They are never shown to another user.
        public static let notForgotten = Code(rawValue: "notForgotten")
        /// A command needs an accessory, but none is in use.
        public static let noAccessory = Code(rawValue: "noAccessory")
    }

    public var description: String { "\(code): \(message)" + (subject.map { " (\($0))" } ?? "") }
}
