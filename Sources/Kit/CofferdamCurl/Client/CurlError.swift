/// Why a request had no complete reply. A reply of any status is a reply, not an error.
///
/// Holds no credential: neither header values, nor bodies, nor the URL's path and query.
public struct CurlError: Error, Sendable, Hashable {
    /// What kind of failure it was. The set is open: more may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private let name: String

        private init(_ name: String) { self.name = name }

        /// The host's name has no address.
        public static let dns = Code("dns")
        /// No connection: refused, unreachable.
        public static let connect = Code("connect")
        /// The TLS handshake or the check of the certificate failed.
        public static let tls = Code("tls")
        /// A time-out passed; ``CurlError/timeout`` says which.
        public static let timeout = Code("timeout")
        /// The reply's head or body is larger than configured.
        public static let tooLarge = Code("tooLarge")
        /// The connection ended in the middle of the reply.
        public static let truncated = Code("truncated")
        /// The connection was lost before a reply began.
        public static let connectionLost = Code("connectionLost")
        /// What came is not HTTP.
        public static let `protocol` = Code("protocol")
        /// A redirect that may not be followed, or too many.
        public static let redirect = Code("redirect")
        /// The client was shut down.
        public static let closed = Code("closed")
        /// The request's own body could not be read to its end, or is not as long as announced.
        public static let requestBody = Code("requestBody")
        /// A downloaded body could not be written to its file.
        public static let file = Code("file")
        /// The request cannot be sent as it is; nothing was.
        public static let invalidRequest = Code("invalidRequest")
        /// Anything else; `curlCode` and the message say more.
        public static let unknown = Code("unknown")

        public var description: String { name }
    }

    public var code: Code
    /// For people: what happened, where known with host and port.
    public var message: String
    /// libcurl's own number, when the failure came from libcurl.
    public var curlCode: Int32?
    /// Whether any byte of the request may have left: `false` means the server has not seen it, `true` that the outcome
    /// is unknown, `nil` that it cannot be told.
    public var wasSent: Bool?
    /// Which time-out passed, when one did.
    public var timeout: CurlTimeouts.Kind?

    public init(_ code: Code, _ message: String, curlCode: Int32? = nil, wasSent: Bool? = nil) {
        self.code = code
        self.message = message
        self.curlCode = curlCode
        self.wasSent = wasSent
    }

    /// Whether the same request may succeed later. When `wasSent` is not `false`, repeating it is safe only if it is
    /// idempotent.
    public var isRetryable: Bool {
        [.dns, .connect, .timeout, .truncated, .connectionLost].contains(code)
    }
}

extension CurlError: CustomStringConvertible {
    public var description: String {
        var text = "\(code): \(message)"
        if let curlCode { text += " (libcurl \(curlCode))" }
        return text
    }
}
