#if Curl
package import HTTPTypes

/// A request's origin: scheme, host and port (RFC 9110, section 4.3).
package struct RequestOrigin: Sendable, Hashable {
    /// `http` or `https`.
    package let scheme: String
    /// The host in lower case; an IPv6 address without brackets.
    package let host: String
    /// The port, by default the scheme's.
    package let port: Int

    /// Host and port, for the log.
    package var authority: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Returns `nil` for a request that the client would refuse to send.
    package init?(_ request: HTTPRequest) {
        guard let scheme = request.scheme, let authority = request.authority,
            (try? RequestTarget(scheme: scheme, authority: authority, path: request.path)) != nil,
            let (host, port) = Self.split(authority.lowercased())
        else { return nil }
        self.scheme = scheme
        self.host = host
        self.port = port ?? (scheme == "https" ? 443 : 80)
    }

    static func isShared(by request: HTTPRequest, _ other: HTTPRequest) -> Bool {
        let origin = RequestOrigin(request)
        return origin != nil && origin == RequestOrigin(other)
    }

    private static func split(_ authority: String) -> (host: String, port: Int?)? {
        let end: String.Index
        let host: Substring
        if authority.hasPrefix("[") {
            guard let bracket = authority.firstIndex(of: "]") else { return nil }
            host = authority[..<bracket].dropFirst()
            end = authority.index(after: bracket)
        } else {
            end = authority.firstIndex(of: ":") ?? authority.endIndex
            host = authority[..<end]
        }
        guard !host.isEmpty else { return nil }
        let rest = authority[end...]
        // An empty port means the default (RFC 3986, section 3.2.3).
        if rest.isEmpty || rest == ":" { return (String(host), nil) }
        guard rest.first == ":", rest.dropFirst().utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = UInt16(rest.dropFirst())
        else { return nil }
        return (String(host), Int(port))
    }
}
#endif
