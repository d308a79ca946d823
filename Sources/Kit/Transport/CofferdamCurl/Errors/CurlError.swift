#if Curl
public import Cofferdam  // an error with a code

/// The reason a request got no complete reply. A reply with any status is a reply, not an error.
///
/// Holds no credentials: no header values, bodies, URL paths or queries.
public struct CurlError: CodedError, Hashable {
    /// The kind of failure. The set is open: more may be added.
    public struct Code: ErrorCode {
        /// The code as text, as in logs and JSON.
        public let rawValue: String

        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The host name could not be resolved.
        public static let dns = Code(rawValue: "dns")
        /// No connection could be made: refused or unreachable.
        public static let connect = Code(rawValue: "connect")
        /// The TLS handshake or the check of the certificate failed.
        public static let tls = Code(rawValue: "tls")
        /// A time-out expired; ``CurlError/timeout`` says which.
        public static let timeout = Code(rawValue: "timeout")
        /// The reply's head or body is larger than configured.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// The connection ended in the middle of the reply.
        public static let truncated = Code(rawValue: "truncated")
        /// The connection was lost before a reply began.
        public static let connectionLost = Code(rawValue: "connectionLost")
        /// The reply is not valid HTTP.
        public static let `protocol` = Code(rawValue: "protocol")
        /// A redirect was not allowed, or there were too many.
        public static let redirect = Code(rawValue: "redirect")
        /// The client was shut down.
        public static let closed = Code(rawValue: "closed")
        /// The request's own body could not be read to its end, or its length differs from the announced one.
        public static let requestBody = Code(rawValue: "requestBody")
        /// A downloaded body could not be written to its file.
        public static let file = Code(rawValue: "file")
        /// The request is invalid; nothing was sent.
        public static let invalidRequest = Code(rawValue: "invalidRequest")
        /// Any other failure; `curlCode` and the message say more.
        public static let unknown = Code(rawValue: "unknown")
    }

    /// The kind of failure.
    public var code: Code
    /// A description for humans, with host and port where known.
    public var message: String
    /// libcurl's error number, when the failure came from libcurl.
    public var curlCode: Int32?
    /// Whether any byte of the request may have been sent: `false` means the server has not seen it, `true` that the
    /// outcome is unknown, `nil` that it cannot be determined.
    public var wasSent: Bool?
    /// The status with which a proxy refused to open a tunnel, such as 407; nil if none did. ``RetryPolicy`` treats it as
    /// an answer: by default 407 and 403 are not repeated, because wrong passwords tried again lock accounts.
    public var proxyStatus: Int?
    /// The time-out that expired, if any.
    public var timeout: CurlTimeouts.Kind?

    package init(_ code: Code, _ message: String, curlCode: Int32? = nil, wasSent: Bool? = nil) {
        self.code = code
        self.message = message
        self.curlCode = curlCode
        self.wasSent = wasSent
    }

    /// Whether the same request may succeed later. When `wasSent` is not `false`, repeating it is safe only if it is
    /// idempotent.
    public var isRetryable: Bool {
        proxyStatus == nil && [.dns, .connect, .timeout, .truncated, .connectionLost].contains(code)
    }

    static var shutDown: CurlError { CurlError(.closed, "the client was shut down", wasSent: false) }

    /// The code and the message, with libcurl's own code if there is one.
    public var description: String {
        var text = "\(code): \(message)"
        if let curlCode { text += " (libcurl \(curlCode))" }
        return text
    }
}
#endif
