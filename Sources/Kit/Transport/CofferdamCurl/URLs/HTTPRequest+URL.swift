#if Curl
public import HTTPTypes  // HTTPRequest is extended

extension HTTPRequest {
    /// Creates a request from an absolute `http` or `https` URL. A fragment is removed, since it is never sent.
    ///
    /// - Throws: ``CurlError`` with `invalidRequest` for another scheme, credentials in the URL, and characters that
    ///   are not allowed in a URL.
    public init(_ method: HTTPRequest.Method, url: String, headerFields: HTTPFields = [:]) throws(CurlError) {
        guard let separator = url.firstRange(of: "://") else {
            throw CurlError(.invalidRequest, "the URL is not absolute", wasSent: false)
        }
        let scheme = url[..<separator.lowerBound].lowercased()
        let rest = url[separator.upperBound...].prefix { $0 != "#" }
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let authority = String(rest[..<end])
        let target = String(rest[end...])
        let path = target.hasPrefix("/") ? target : "/" + target
        _ = try RequestTarget(scheme: scheme, authority: authority, path: path)
        self.init(method: method, scheme: scheme, authority: authority, path: path, headerFields: headerFields)
    }
}
#endif
