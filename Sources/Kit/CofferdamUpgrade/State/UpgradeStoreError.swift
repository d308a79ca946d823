/// Why a store could not be read or changed.
public struct UpgradeStoreError: Error, Sendable, CustomStringConvertible {
    public var code: Code
    /// For people; holds no secret.
    public var message: String
    /// What it was about: a file, a key.
    public var subject: String
    public var cause: (any Error)?

    public init(_ code: Code, _ message: String, subject: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.subject = subject
        self.cause = cause
    }

    public struct Code: Sendable, Hashable, RawRepresentable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The store cannot be asked now. What was to be changed is not changed.
        public static let unavailable = Code(rawValue: "unavailable")
        /// The change may have been made, or not.
        public static let outcomeUnknown = Code(rawValue: "outcomeUnknown")
        /// What is stored is not what this version writes.
        public static let unreadable = Code(rawValue: "unreadable")
        /// What is stored is older than what was there before: it was set back, and must not be followed.
        public static let setBack = Code(rawValue: "setBack")
    }

    public var description: String { "\(subject): \(message)" }
}
