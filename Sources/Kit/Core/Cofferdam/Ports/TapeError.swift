/// An error of a tape or of its use. It contains no secret that the tape's redaction knows.
public struct TapeError: CodedError, Hashable {
    /// What kind of error it is.
    public var code: Code
    /// What went wrong, for people.
    package var message: String
    /// Where it occurred: a file, a field's path or an operation.
    package var subject: String?

    /// Creates an error.
    public init(_ code: Code, _ message: String, subject: String? = nil) {
        self.code = code
        self.message = message
        self.subject = subject
    }

    /// The code, the message and the subject.
    public var description: String { "\(code): \(message)" + (subject.map { " (\($0))" } ?? "") }

    /// What kind of error it is; open, so that a new one does not break callers.
    public struct Code: ErrorCode {
        /// The code as text, as in logs and JSON.
        public let rawValue: String

        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The tape does not have the call.
        public static let unmatched = Code(rawValue: "unmatched")
        /// The call was made more often than it was recorded.
        public static let exhausted = Code(rawValue: "exhausted")
        /// A recorded call was not made.
        public static let unused = Code(rawValue: "unused")
        /// The entry was recorded as values of another type.
        public static let unreadable = Code(rawValue: "unreadable")
        /// Something could not be recorded.
        public static let unrecordable = Code(rawValue: "unrecordable")
        /// The tape would contain a known secret.
        public static let secret = Code(rawValue: "secret")
        /// This environment does not record: it is CI.
        public static let forbidden = Code(rawValue: "forbidden")
        /// The file is not a tape, or is damaged.
        public static let damaged = Code(rawValue: "damaged")
        /// The file was made by a newer version.
        public static let newer = Code(rawValue: "newer")
        /// The file cannot be read or written.
        public static let file = Code(rawValue: "file")
    }
}
