import CLibcurl

/// What a ``CurlClient`` does with each request, and how it connects.
///
/// No `.netrc`, cookie store, or proxy of the environment is read, and no `SSLKEYLOGFILE` written, unless
/// ``CurlTLS/logsKeys`` says so.
public struct CurlConfiguration: Sendable {
    /// For requests that bring none.
    public var options = CurlOptions()
    public var tls = CurlTLS()
    /// `nil` for none: the environment's are not used.
    public var proxy: CurlProxy?
    /// The path of a Unix socket to connect to in place of the URL's host and port.
    public var unixSocket: String?
    /// The `User-Agent` of requests that bring none; `nil` for none.
    public var userAgent: String? = "cofferdam"
    /// How many connections to one host may be open; further requests wait. `nil` for no bound.
    public var maximumConnectionsPerHost: Int?
    /// How far libcurl may run ahead of the consumer of a streamed body, in bytes; then the transfer pauses.
    public var streamBufferSize = 256 << 10
    /// How many connections that wait for a request are kept open. Those of HTTP/1.1 over TLS are kept only where libcurl has
    /// OpenSSL or a library with its interface, and not through a proxy with TLS of its own: else nothing tells what came
    /// on them unasked.
    public var maximumIdleConnections = 64
    /// How many idle handles are kept for reuse.
    public var maximumIdleHandles = 64
    /// How much memory for large bodies is kept for reuse, in bytes.
    public var maximumKeptMemory = 16 << 20
    /// What all retries of the clients that share it are paid from.
    public var retryBudget = RetryBudget()
    /// Where the sequences of streamed request bodies are consumed.
    public var executor: (any TaskExecutor)?

    public init() {}

    /// The defaults, changed in place: `.defaults { $0.options.timeouts.whole = .seconds(5) }`.
    public static func defaults(_ change: (inout CurlConfiguration) -> Void) -> CurlConfiguration {
        var configuration = CurlConfiguration()
        change(&configuration)
        return configuration
    }
}

extension CurlConfiguration {
    /// What makes it unusable: every request is refused with that.
    var mistake: CurlError? {
        if let userAgent, !userAgent.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) {
            return Self.refused("the user agent has a control character")
        }
        if let proxy, !(1...65_535).contains(proxy.port) || !proxy.host.utf8.allSatisfy(RequestTarget.isAuthorityByte) {
            return Self.refused("the proxy's host or port is none")
        }
        let longestPath = Int(cofferdam_longest_socket_path())
        if let unixSocket, !(1...longestPath).contains(unixSocket.utf8.count) {
            return Self.refused(
                "the path of the Unix socket has \(unixSocket.utf8.count) bytes, not 1 to \(longestPath)"
            )
        }
        if tls.pinnedKeys.contains(where: { $0.utf8.count != 44 }) {
            return Self.refused("a pinned key is no SHA-256 in base64")
        }
        return nil
    }

    private static func refused(_ message: String) -> CurlError {
        CurlError(.invalidRequest, message, wasSent: false)
    }
}
