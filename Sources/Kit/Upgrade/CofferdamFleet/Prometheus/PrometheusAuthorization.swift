#if Fleet
import CofferdamCurl

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The credentials for a Prometheus server, or for the proxy in front of it. Their description does not contain the
/// secret.
///
/// Send them over `https` only: plain HTTP exposes them on the way.
public struct PrometheusAuthorization: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    private enum Kind: Sendable, Hashable {
        case bearer(String)
        case basic(user: String, password: String)
    }

    private let kind: Kind

    /// A bearer token (RFC 6750, section 2.1). Remove the newline with which its file may end.
    public static func bearer(_ token: String) -> PrometheusAuthorization { .init(kind: .bearer(token)) }

    /// A user name, which must not contain a colon, and a password (RFC 7617).
    public static func basic(user: String, password: String) -> PrometheusAuthorization {
        .init(kind: .basic(user: user, password: password))
    }

    /// The kind of authorization or the user, without the secret.
    public var description: String {
        switch kind {
        case .bearer: "a bearer token"
        case .basic(let user, _): user
        }
    }

    /// The kind of authorization or the user, without the secret.
    public var customMirror: Mirror { Mirror(self, children: ["of": description]) }

    /// The value of the `Authorization` header.
    ///
    /// - Throws: `CurlError` with `invalidRequest` for credentials that no header can hold.
    func value() throws(CurlError) -> String {
        switch kind {
        case .bearer(let token):
            guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw CurlError(
                    .invalidRequest,
                    "the bearer token is empty, or has a space, a line end or a non-ASCII character",
                    wasSent: false
                )
            }
            return "Bearer \(token)"
        case .basic(let user, let password):
            guard !user.contains(":") else {
                throw CurlError(.invalidRequest, "the user's name has a colon", wasSent: false)
            }
            return "Basic \(Self.encoded(user, password))"
        }
    }

    /// The text without the secret, which a server may have echoed.
    func redacting(_ text: String) -> String {
        let secrets =
            switch kind {
            case .bearer(let token): [token]
            case .basic(let user, let password): [Self.encoded(user, password), password]
            }
        return secrets.reduce(text) { $1.isEmpty ? $0 : $0.replacing($1, with: "…") }
    }

    private static func encoded(_ user: String, _ password: String) -> String {
        Data("\(user):\(password)".utf8).base64EncodedString()
    }
}
#endif
