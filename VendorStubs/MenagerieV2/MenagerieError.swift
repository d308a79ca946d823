public import Foundation  // when the server allows another try

/// Everything that the SDK throws; cancellation too.
public enum MenagerieError: Error, Sendable, Hashable {
    case notConfigured
    /// Nobody is who could be signed out.
    case notSignedIn
    case notFound(ServerReply)
    case unauthenticated(AuthenticationFailure, ServerReply)
    case forbidden(ServerReply)
    /// An image's address is older than its signature.
    case signatureExpired(ServerReply)
    /// Not this list's cursor, or too old.
    case invalidCursor(ServerReply)
    case validation(field: String?, ServerReply)
    case conflict(ServerReply)
    case alreadyLinked(ServerReply)
    case anotherActive(ServerReply)
    case rateLimited(retryAt: Date?, ServerReply)
    /// Any other status that is no success.
    case server(retryAt: Date?, ServerReply)
    case transport(TransportFailure)
    /// The answer is not what was expected, at this path: "items[3].name"; "" is the whole.
    case decoding(path: String, message: String)
    /// The session on this device cannot be read or written.
    case storage(path: String, message: String)
    case cancelled
}

/// What the server said when it refused.
public struct ServerReply: Sendable, Hashable {
    public var status: Int
    /// The platform's code; nil if something else answered.
    public var code: String?
    /// In the language of the options.
    public var message: String

    public init(status: Int, code: String? = nil, message: String = "") {
        self.status = status
        self.code = code
        self.message = message
    }
}

/// Why the server does not know who is calling.
public enum AuthenticationFailure: Sendable, Hashable {
    /// No token, or one that is worth nothing; or a wrong password.
    case required
    /// The access token has expired: refresh it.
    case tokenExpired
    /// A refresh token was used twice; everything that came from it is revoked.
    case tokenReused
}

/// Why no whole answer came.
public struct TransportFailure: Sendable, Hashable {
    public var kind: Kind
    public var message: String
    /// Whether the request had left; nil if that cannot be told.
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
