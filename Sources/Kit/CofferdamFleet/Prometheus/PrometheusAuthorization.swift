import CofferdamCurl

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How one proves to a Prometheus, or to what stands before it, that one may ask. Its text does not hold the secret.
///
/// Over plain HTTP everybody on the way reads it: give it to `https` alone.
public struct PrometheusAuthorization: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    private enum Kind: Sendable, Hashable {
        case bearer(String)
        case basic(user: String, password: String)
    }

    private let kind: Kind

    /// A token, without the line end that a file of it may have (RFC 6750, section 2.1).
    public static func bearer(_ token: String) -> PrometheusAuthorization { .init(kind: .bearer(token)) }

    /// A user's name, which holds no colon, and a password (RFC 7617).
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

    /// The value of the header.
    ///
    /// - Throws: `CurlError` with `invalidRequest` for what no header can say.
    func value() throws(CurlError) -> String {
        switch kind {
        case .bearer(let token):
            guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw CurlError(
                    .invalidRequest,
                    "the bearer token is empty, or holds a space, a line end or a letter beyond ASCII",
                    wasSent: false
                )
            }
            return "Bearer \(token)"
        case .basic(let user, let password):
            guard !user.contains(":") else {
                throw CurlError(.invalidRequest, "the user's name holds a colon", wasSent: false)
            }
            return "Basic \(Self.encoded(user, password))"
        }
    }

    /// A text without the secret, which a server may have repeated.
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
