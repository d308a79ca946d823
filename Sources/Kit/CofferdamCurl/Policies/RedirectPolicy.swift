package import HTTPTypes

/// What a client does with a reply that names another place: hands it to the caller, or goes there.
///
/// Only `http` and `https` are gone to, and never from `https` to `http`. To another host, port or scheme no credential
/// travels: neither `Authorization`, `Cookie` nor any field that is not known to be harmless. Those that are: `Accept` with
/// its kin, `User-Agent`, `Range` and the conditions, what describes the body, `traceparent` and `tracestate`. What is
/// refused throws ``CurlError`` with `redirect`.
public struct RedirectPolicy: Sendable, Hashable {
    /// `nil` when none is followed.
    private let maximumHops: Int?

    /// Redirects are replies like others.
    public static let returned = RedirectPolicy(maximumHops: nil)

    /// Redirects are followed, the body sent again where the status asks for it (307, 308), to another origin too.
    ///
    /// - Parameter hops: with one more, the request throws `redirect`.
    public static func followed(upTo hops: Int = 10) -> RedirectPolicy { RedirectPolicy(maximumHops: max(0, hops)) }

    /// What comes after this reply (RFC 9110, section 15.4).
    ///
    /// - Parameters:
    ///   - request: the one that was answered: of the last hop, not of the caller.
    ///   - isBodyReplayable: whether its body can be given again from its beginning; true for an empty one.
    ///   - earlier: the requests that led to it, the caller's own first.
    /// - Throws: `redirect`, with hosts in its message, but neither path nor query.
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
        let key = HopKey(next)
        guard HopKey(request) != key, !earlier.contains(where: { HopKey($0) == key }) else {
            throw Self.refused(request, to: next, "goes round in a loop")
        }
        guard !change.keepsBody || isBodyReplayable else {
            // As in the Fetch standard, HTTP-redirect fetch.
            throw Self.refused(request, to: next, "asks for the body again, which is a stream that is spent")
        }
        return .follow(next, keepsBody: change.keepsBody)
    }

    /// - Throws: `redirect` when there are several that differ: which one is meant cannot be told.
    private static func location(of response: HTTPResponse, from request: HTTPRequest) throws(CurlError) -> String? {
        let all = response.headerFields[values: .location]
        guard let first = all.first else { return nil }
        guard all.allSatisfy({ $0 == first }) else { throw refused(request, "a redirect to several places") }
        return first
    }

    static func refused(_ request: HTTPRequest, to next: HTTPRequest? = nil, _ reason: String) -> CurlError {
        let host = RequestOrigin(request)?.host ?? "the server"
        let what = next.flatMap { RequestOrigin($0) }.map { "the redirect to \($0.host) \(reason)" } ?? reason
        return CurlError(.redirect, "\(host): \(what)", wasSent: true)
    }
}

/// What comes after a reply.
package enum RedirectStep: Sendable, Hashable {
    /// The reply is the caller's.
    case deliver
    /// The next request; with the body of the one before, or without any.
    case follow(HTTPRequest, keepsBody: Bool)
}

/// How a status changes the request (RFC 9110, sections 15.4.2 to 15.4.9).
struct MethodChange {
    let method: HTTPRequest.Method
    let keepsBody: Bool
    let isOther: Bool

    /// `nil` for a status that is not followed: 300 leaves the choice to the caller, 304 is no redirect.
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

/// Two requests of the same key get the same answer: to follow one after the other is a loop.
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
