/// The one error of every port, beside `CancellationError`. Holds no vendor type and no secret.
public struct SanctuaryError: Error, Sendable, Hashable {
    public var code: Code
    /// What went wrong, for people.
    public var message: String
    /// Where: an id, a field's path, a cursor; nil where the code says all.
    public var subject: String?
    /// How long the vendor asks to wait before another try.
    public var retryAfter: Duration?
    /// What the vendor said, as text.
    public var cause: Cause?

    public init(
        _ code: Code,
        _ message: String,
        subject: String? = nil,
        retryAfter: Duration? = nil,
        cause: Cause? = nil
    ) {
        self.code = code
        self.message = message
        self.subject = subject
        self.retryAfter = retryAfter
        self.cause = cause
    }

    /// Whether the same call may succeed later without anything else being changed.
    public var isRetryable: Bool { Self.retryable.contains(code) }

    private static let retryable: Set<Code> = [.unreachable, .timeout, .rateLimited, .unavailable, .truncated]

    /// The vendor's own words, kept as text, because a vendor's error must not pass the port.
    public struct Cause: Sendable, Hashable {
        /// Whose code it is: an error domain, or "HTTP".
        public var domain: String
        public var code: String
        public var message: String

        public init(domain: String, code: String, message: String) {
            self.domain = domain
            self.code = code
            self.message = message
        }
    }

    /// What kind of error it is; open, so that a new one breaks nobody.
    public struct Code: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public var description: String { rawValue }

        /// The vendor was asked, and has no such thing (404).
        public static let notFound = Code(rawValue: "notFound")
        /// The vendor could not be asked: no network, no such host, refused, connection lost.
        public static let unreachable = Code(rawValue: "unreachable")
        /// No answer in time (408 and 504 too).
        public static let timeout = Code(rawValue: "timeout")
        /// The answer ended early.
        public static let truncated = Code(rawValue: "truncated")
        /// Nobody is signed in, or the vendor no longer accepts the session (401).
        public static let authenticationRequired = Code(rawValue: "authenticationRequired")
        /// Signed in, and still not allowed (403).
        public static let forbidden = Code(rawValue: "forbidden")
        /// The request itself is wrong (400, 422, and every 4xx not named here).
        public static let invalidRequest = Code(rawValue: "invalidRequest")
        /// The cursor is not this adapter's, has expired, or repeats itself.
        public static let invalidCursor = Code(rawValue: "invalidCursor")
        /// Somebody else was first (409, 412).
        public static let conflict = Code(rawValue: "conflict")
        /// Too many calls (429).
        public static let rateLimited = Code(rawValue: "rateLimited")
        /// The vendor has trouble of its own (5xx but 504).
        public static let unavailable = Code(rawValue: "unavailable")
        /// The answer is not what the vendor promises; `subject` is the path of what is wrong.
        public static let decoding = Code(rawValue: "decoding")
        /// It was sent, and nobody knows whether it was done.
        public static let outcomeUnknown = Code(rawValue: "outcomeUnknown")
        /// This SDK cannot do it; see ``Capability``.
        public static let unsupported = Code(rawValue: "unsupported")
        /// The services have been closed.
        public static let closed = Code(rawValue: "closed")
        /// None of the above; `cause` tells.
        public static let unknown = Code(rawValue: "unknown")
    }
}

extension SanctuaryError: CustomStringConvertible {
    public var description: String {
        var text = "\(code): \(message)"
        if let subject { text += " (\(subject))" }
        if let retryAfter { text += "; try again in \(retryAfter.components.seconds) s" }
        if let cause { text += " [\(cause.domain) \(cause.code): \(cause.message)]" }
        return text
    }
}
