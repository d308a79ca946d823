#if Curl
import HTTPTypes

/// Selects the header fields that a redirected request keeps (RFC 9110, section 15.4).
///
/// The same origin receives all fields except `Host`. Another origin receives only those on a list: content
/// negotiation, the description of the body, and the trace context. Conditions are kept too: without `If-Match` a
/// guarded write would become an unguarded one, without `If-Range` a resumed download would mix two versions.
/// `Authorization`, `Cookie`, `Proxy-Authorization`, `Referer`, `Origin`, `Idempotency-Key`, `baggage` and all unknown
/// fields are removed.
enum RedirectHeaders {
    private static let travelling: Set<String> = [
        "accept", "accept-encoding", "accept-language", "user-agent",
        "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "range",
        "content-encoding", "content-language", "content-length", "content-type",
        "traceparent", "tracestate",
    ]

    static func fields(of request: HTTPRequest, to next: HTTPRequest, _ change: MethodChange) -> HTTPFields {
        let isSameOrigin = RequestOrigin.isShared(by: request, next)
        var fields = HTTPFields()
        for field in request.headerFields {
            let name = field.name.canonicalName
            guard name != "host", isSameOrigin || travelling.contains(name) else { continue }
            if !change.keepsBody, describesBody(name) { continue }
            // These were conditions on the resource that the write was to change.
            if change.isOther, name.hasPrefix("if-") { continue }
            fields.append(field)
        }
        return fields
    }

    private static func describesBody(_ name: String) -> Bool {
        name.hasPrefix("content-") || ["digest", "repr-digest", "last-modified", "trailer"].contains(name)
    }
}
#endif
