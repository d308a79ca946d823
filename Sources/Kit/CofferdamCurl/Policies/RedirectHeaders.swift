import HTTPTypes

/// Which header fields go along with a redirect (RFC 9110, section 15.4).
///
/// To the same origin all but `Host`. To another origin only those of a list: what says which form of the answer is wanted,
/// what describes the body, and the trace. Conditions go along too: without `If-Match` a guarded write would become an
/// unguarded one, without `If-Range` a resumed download a mixture. `Authorization`, `Cookie`, `Proxy-Authorization`,
/// `Referer`, `Origin`, `Idempotency-Key`, `baggage` and all unknown fields stay behind.
enum RedirectHeaders {
    private static let travelling: Set<String> = [
        "accept", "accept-encoding", "accept-language", "user-agent",
        "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "range",
        "content-encoding", "content-language", "content-length", "content-type",
        "traceparent", "tracestate",
    ]

    static func fields(of request: HTTPRequest, to next: HTTPRequest, _ change: MethodChange) -> HTTPFields {
        let origin = RequestOrigin(request)
        let isSameOrigin = origin != nil && origin == RequestOrigin(next)
        var fields = HTTPFields()
        for field in request.headerFields {
            let name = field.name.canonicalName
            guard name != "host", isSameOrigin || travelling.contains(name) else { continue }
            if !change.keepsBody, describesBody(name) { continue }
            // They were conditions of the write, on what it was to change.
            if change.isOther, name.hasPrefix("if-") { continue }
            fields.append(field)
        }
        return fields
    }

    private static func describesBody(_ name: String) -> Bool {
        name.hasPrefix("content-") || ["digest", "repr-digest", "last-modified", "trailer"].contains(name)
    }
}
