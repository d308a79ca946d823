#if Curl
package import HTTPTypes

/// Whether a client follows a redirect or returns it to the caller.
///
/// Only `http` and `https` are followed, and never from `https` to `http`. A different host, port or scheme receives no
/// credentials: no `Authorization`, no `Cookie` and no field that is not known to be harmless. Harmless fields are
/// `Accept` and its variants, `User-Agent`, `Range` and the conditions, those that describe the body, `traceparent` and
/// `tracestate`. A client with a ``CurlTLS/clientCertificate`` follows no redirect to another origin, because TLS would
/// present the certificate there. A refused redirect throws ``CurlError`` with `redirect`.
public struct RedirectPolicy: Sendable, Hashable {
    /// The maximum number of hops; `nil` when redirects are not followed.
    private let maximumHops: Int?
    /// Whether redirects to another origin are refused.
    private var staysAtOrigin = false

    /// Returns redirects to the caller like other replies.
    public static let returned = RedirectPolicy(maximumHops: nil)

    /// Follows redirects, also to another origin, and sends the body again where the status requires it (307, 308).
    ///
    /// - Parameter hops: the maximum number of redirects; one more throws `redirect`.
    public static func followed(upTo hops: Int = 10) -> RedirectPolicy { RedirectPolicy(maximumHops: max(0, hops)) }

    /// The policy of a client with these settings.
    func using(_ tls: CurlTLS) -> RedirectPolicy {
        var policy = self
        policy.staysAtOrigin = maximumHops != nil && tls.clientCertificate != nil
        return policy
    }

    /// Decides what follows a reply (RFC 9110, section 15.4).
    ///
    /// - Parameters:
    ///   - request: the request that was answered: the last hop's, not the caller's.
    ///   - isBodyReplayable: whether its body can be sent again from the start; true for an empty one.
    ///   - earlier: the requests before it, the caller's first.
    /// - Throws: `redirect`; its message names hosts, but no path or query.
    package func step(
        after request: HTTPRequest,
        isBodyReplayable: Bool,
        response: HTTPResponse,
        earlier: [HTTPRequest]
    ) throws(CurlError) -> RedirectStep {
        guard let maximumHops, let change = MethodChange(response.status.code, request.method),
            let location = try Self.location(of: response, from: request)
        else { return .deliver }
        guard earlier.count < maximumHops else {
            throw Self.refused(request, "more than \(maximumHops) redirects")
        }
        let destination = try RedirectTarget.resolve(location, against: request)
        var next = destination
        next.method = change.method
        next.headerFields = RedirectHeaders.fields(of: request, to: next, change)

        guard request.scheme != "https" || next.scheme == "https" else {
            throw Self.refused(request, to: next, "leaves TLS")
        }
        guard !staysAtOrigin || RequestOrigin.isShared(by: request, next) else {
            throw Self.refused(request, to: next, "would show the client's certificate to another origin")
        }
        let key = HopKey(next)
        guard HopKey(request) != key, !earlier.contains(where: { HopKey($0) == key }) else {
            throw Self.refused(request, to: next, "leads into a loop")
        }
        guard !change.keepsBody || isBodyReplayable else {
            // Follows the Fetch standard, HTTP-redirect fetch.
            throw Self.refused(request, to: next, "requires the body again, but its stream has been consumed")
        }
        return .follow(next, keepsBody: change.keepsBody)
    }

    /// - Throws: `redirect` when several fields differ, since the intended one is unknown.
    private static func location(of response: HTTPResponse, from request: HTTPRequest) throws(CurlError) -> [UInt8]? {
        // As bytes: a value that is not UTF-8 would become another address as text.
        let all = response.headerFields[fields: .location].map { field in field.withUnsafeBytesOfValue { Array($0) } }
        guard let first = all.first else { return nil }
        guard all.allSatisfy({ $0 == first }) else { throw refused(request, "a redirect to several locations") }
        return first
    }

    static func refused(_ request: HTTPRequest, to next: HTTPRequest? = nil, _ reason: String) -> CurlError {
        let host = RequestOrigin(request)?.host ?? "the server"
        let what = next.flatMap { RequestOrigin($0) }.map { "the redirect to \($0.host) \(reason)" } ?? reason
        return CurlError(.redirect, "\(host): \(what)", wasSent: true)
    }
}

/// The step that follows a reply.
package enum RedirectStep: Sendable, Hashable {
    /// Deliver the reply to the caller.
    case deliver
    /// Send the next request, with the body of the previous one or without any.
    case follow(HTTPRequest, keepsBody: Bool)
}

/// The change of method that a status requires (RFC 9110, sections 15.4.2 to 15.4.9).
struct MethodChange {
    let method: HTTPRequest.Method
    let keepsBody: Bool
    let isOther: Bool

    /// Returns `nil` for a status that is not followed: 300 leaves the choice to the caller, 304 is not a redirect.
    init?(_ status: Int, _ method: HTTPRequest.Method) {
        switch status {
        case 303: self.method = method == .head ? .head : .get
        case 301, 302: self.method = method == .post ? .get : method
        case 307, 308: self.method = method
        default: return nil
        }
        isOther = self.method != method
        keepsBody = status != 303 && !isOther
    }
}

/// Identifies requests that get the same answer: to repeat one means a loop.
private struct HopKey: Equatable {
    let method: HTTPRequest.Method
    let origin: RequestOrigin?
    let path: String?

    init(_ request: HTTPRequest) {
        method = request.method
        origin = RequestOrigin(request)
        path = request.path
    }
}
#endif
