#if Sandbox
public import Foundation  // the date of the next allowed attempt

/// All errors of the SDK, including cancellation.
public enum MenagerieError: Error, Sendable, Hashable {
    case notConfigured
    /// No user is signed in.
    case notSignedIn
    case notFound(ServerReply)
    case unauthenticated(AuthenticationFailure, ServerReply)
    case forbidden(ServerReply)
    /// The signature of an image's URL has expired.
    case signatureExpired(ServerReply)
    /// The cursor belongs to another list or has expired.
    case invalidCursor(ServerReply)
    case validation(field: String?, ServerReply)
    case conflict(ServerReply)
    case alreadyLinked(ServerReply)
    case anotherActive(ServerReply)
    case rateLimited(retryAt: Date?, ServerReply)
    /// Any other status that is not a success.
    case server(retryAt: Date?, ServerReply)
    case transport(TransportFailure)
    /// The answer is malformed at this path: "items[3].name"; "" is the whole.
    case decoding(path: String, message: String)
    /// The session on this device cannot be read or written.
    case storage(path: String, message: String)
    case cancelled
}

/// The server's refusal.
public struct ServerReply: Sendable, Hashable {
    public var status: Int
    /// The platform's code; nil if another server answered.
    public var code: String?
    /// The message, in the language of the options.
    public var message: String

    public init(status: Int, code: String? = nil, message: String = "") {
        self.status = status
        self.code = code
        self.message = message
    }
}

/// The reason the server does not accept the caller.
public enum AuthenticationFailure: Sendable, Hashable {
    /// No token, an invalid one, or a wrong password.
    case required
    /// The access token has expired: refresh it.
    case tokenExpired
    /// A refresh token was used twice; everything that originated from it is revoked.
    case tokenReused
}

/// The reason no complete answer arrived.
public struct TransportFailure: Sendable, Hashable {
    public var kind: Kind
    public var message: String
    /// Whether the request was sent; nil if that is unknown.
    public var wasSent: Bool?

    public init(_ kind: Kind, message: String, wasSent: Bool? = nil) {
        self.kind = kind
        self.message = message
        self.wasSent = wasSent
    }

    public enum Kind: String, Sendable, Hashable {
        case offline, timeout, tls, tooLarge, truncated, connectionLost, invalidRequest, closed, other
    }
}
#endif
