public import Cofferdam  // an error with a code

/// The reason why a store could not be read or changed.
public struct UpgradeStoreError: CodedError {
    /// The kind of the error.
    public var code: Code
    /// The reason, for people; contains no secrets.
    public var message: String
    /// The file or the key.
    public var subject: String
    /// The underlying error.
    public var cause: (any Error)?

    /// Creates a value from its parts.
    public init(_ code: Code, _ message: String, subject: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.subject = subject
        self.cause = cause
    }

    /// The kind of an error.
    public struct Code: ErrorCode {
        /// The code as text, as in logs and JSON.
        public let rawValue: String

        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The store is unavailable. Nothing was changed.
        public static let unavailable = Code(rawValue: "unavailable")
        /// The change may have been made, or not.
        public static let outcomeUnknown = Code(rawValue: "outcomeUnknown")
        /// The stored data is not in the expected format.
        public static let unreadable = Code(rawValue: "unreadable")
        /// The stored state is older than one read before: the store was restored from a backup, and must not be
        /// followed.
        public static let setBack = Code(rawValue: "setBack")
    }

    /// The subject and the message.
    public var description: String { "\(subject): \(message)" }
}
