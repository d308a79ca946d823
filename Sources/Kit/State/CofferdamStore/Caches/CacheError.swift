public import Cofferdam  // an error with a code

/// Why a cache cannot be opened, read or written. It contains no cached data.
public struct CacheError: CodedError, Hashable {
    /// What kind of error it is.
    public let code: Code
    /// The file that it concerns.
    package let subject: String
    /// What went wrong, for people.
    let message: String

    package init(_ code: Code, subject: String, _ message: String) {
        self.code = code
        self.subject = subject
        self.message = message
    }

    /// The code, the message and the subject.
    public var description: String { "\(code): \(message) (\(subject))" }

    /// What kind of error it is; open, so that a new one does not break callers.
    public struct Code: ErrorCode {
        /// The code as text, as in logs and JSON.
        public let rawValue: String

        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The file was not a database, or is malformed. It has been moved aside, and the cache is empty.
        public static let damaged = Code(rawValue: "damaged")
        /// The file, or SQLite's log beside it, was removed or replaced while it was open. The cache continues with the file at
        /// its path; entries that only the old one had are lost.
        public static let replaced = Code(rawValue: "replaced")
        /// A newer version has written the file, which stays as it is.
        public static let newer = Code(rawValue: "newer")
        /// The file is a database of something else, which stays as it is.
        public static let foreign = Code(rawValue: "foreign")
        /// The file is another user's, and stays as it is.
        public static let otherUser = Code(rawValue: "otherUser")
        /// Another process has locked the file for too long. Trying again can help.
        public static let busy = Code(rawValue: "busy")
        /// There is no space on the disk. Trying again can help once there is.
        public static let full = Code(rawValue: "full")
        /// The entry has more bytes than the file accepts for one key.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// The entries to remove are still on the disk, which permits no change. The process reads none of them: every call
        /// throws this error until removing has succeeded.
        public static let notRemoved = Code(rawValue: "notRemoved")
        /// The file cannot be opened, read or written.
        public static let file = Code(rawValue: "file")
        /// The cache was closed before.
        public static let closed = Code(rawValue: "closed")
        /// The configuration is invalid.
        public static let invalid = Code(rawValue: "invalid")
    }
}
