/// What is wrong with a tape, or with how it is used. Holds no secret that the tape's redaction knows.
public struct TapeError: Error, Sendable, Hashable, CustomStringConvertible {
    public var code: Code
    /// What went wrong, for people.
    public var message: String
    /// Where: a file, a field's path, an operation; nil where the message says all.
    public var subject: String?

    public init(_ code: Code, _ message: String, subject: String? = nil) {
        self.code = code
        self.message = message
        self.subject = subject
    }

    public var description: String { "\(code): \(message)" + (subject.map { " (\($0))" } ?? "") }

    /// What kind of error it is; open, so that a new one breaks nobody.
    public struct Code: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public var description: String { rawValue }

        /// A call that the tape does not have.
        public static let unmatched = Code(rawValue: "unmatched")
        /// A call that the tape has, once more than it was recorded.
        public static let exhausted = Code(rawValue: "exhausted")
        /// What was recorded was not called.
        public static let unused = Code(rawValue: "unused")
        /// The entry was recorded as values of another type.
        public static let unreadable = Code(rawValue: "unreadable")
        /// Something could not be recorded.
        public static let unrecordable = Code(rawValue: "unrecordable")
        /// A known secret would stand on the tape.
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
