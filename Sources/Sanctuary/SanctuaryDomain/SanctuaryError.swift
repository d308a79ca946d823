/// The error of every port, besides `CancellationError`. It holds no vendor type and no secret.
public struct SanctuaryError: Error, Sendable, Hashable {
    public var code: Code
    /// A description for humans.
    public var message: String
    /// The subject of the error: an id, a field's path or a cursor; nil if the code says enough.
    public var subject: String?
    /// The wait that the vendor requests before another attempt; never negative.
    public var retryAfter: Duration? {
        didSet { retryAfter = retryAfter.map { max(.zero, $0) } }
    }
    /// The vendor's error, as text.
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
        // A time that has passed is now.
        self.retryAfter = retryAfter.map { max(.zero, $0) }
        self.cause = cause
    }

    /// Whether the same call may succeed later without any other change.
    public var isRetryable: Bool { Self.retryable.contains(code) }

    private static let retryable: Set<Code> = [.unreachable, .timeout, .rateLimited, .unavailable, .truncated]

    /// The vendor's error as text, because a vendor's error must not pass the port.
    public struct Cause: Sendable, Hashable {
        /// The origin of the code: an error domain, or "HTTP".
        public var domain: String
        public var code: String
        public var message: String

        public init(domain: String, code: String, message: String) {
            self.domain = domain
            self.code = code
            self.message = message
        }
    }

    /// The kind of error. The set is open, so that adding one breaks no code.
    public struct Code: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public var description: String { rawValue }

        /// The vendor answered that it does not exist (404).
        public static let notFound = Code(rawValue: "notFound")
        /// The vendor could not be reached: no network, unknown host, connection refused or lost.
        public static let unreachable = Code(rawValue: "unreachable")
        /// No answer in time (also 408 and 504).
        public static let timeout = Code(rawValue: "timeout")
        /// The answer ended early.
        public static let truncated = Code(rawValue: "truncated")
        /// No user is signed in, or the vendor no longer accepts the session (401).
        public static let authenticationRequired = Code(rawValue: "authenticationRequired")
        /// The signed-in user is not allowed to do it (403).
        public static let forbidden = Code(rawValue: "forbidden")
        /// The request is invalid (400, 422, and every 4xx not named here).
        public static let invalidRequest = Code(rawValue: "invalidRequest")
        /// The cursor belongs to another adapter, has expired, or repeats itself.
        public static let invalidCursor = Code(rawValue: "invalidCursor")
        /// The call conflicts with another change (409, 412).
        public static let conflict = Code(rawValue: "conflict")
        /// Too many calls (429).
        public static let rateLimited = Code(rawValue: "rateLimited")
        /// The vendor failed internally (5xx except 504).
        public static let unavailable = Code(rawValue: "unavailable")
        /// The answer is malformed; `subject` is the path of the malformed part.
        public static let decoding = Code(rawValue: "decoding")
        /// The request was sent, and it is unknown whether it was carried out.
        public static let outcomeUnknown = Code(rawValue: "outcomeUnknown")
        /// The SDK does not support it; see ``Capability``.
        public static let unsupported = Code(rawValue: "unsupported")
        /// The services have been closed.
        public static let closed = Code(rawValue: "closed")
        /// None of the above; see `cause`.
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
