#if Curl
import CLibcurl

/// Configures how a ``CurlClient`` connects and how it sends requests.
///
/// The client reads no `.netrc`, cookie store or proxy from the environment, and writes no `SSLKEYLOGFILE` unless
/// ``CurlTLS/logsKeys`` is set.
public struct CurlConfiguration: Sendable {
    /// The options of requests that pass none.
    public var options = CurlOptions()
    /// The TLS certificates and versions to use and to accept.
    public var tls = CurlTLS()
    /// The proxy; `nil` for none. Proxies from the environment are not used.
    public var proxy: CurlProxy?
    /// The path of a Unix socket to connect to instead of the URL's host and port.
    public var unixSocket: String?
    /// The `User-Agent` of requests that set none; `nil` to send none.
    public var userAgent: String? = "cofferdam"
    /// The maximum number of open connections to one host; further requests wait. `nil` for no limit.
    public var maximumConnectionsPerHost: Int?
    /// How far libcurl may read ahead of the consumer of a streamed body, in bytes, before the transfer pauses.
    public var streamBufferSize = 512 << 10
    /// The maximum number of idle connections; 0 keeps none. While there are more, each request that ends closes the one
    /// that has been idle for the longest. Requests that wait for a connection, or share one, let as many more stay.
    ///
    /// HTTP/1.1 connections over TLS are kept only where libcurl is built on OpenSSL or a library with its interface, and
    /// not through a proxy that itself uses TLS: otherwise unsolicited bytes on them could not be detected.
    public var maximumIdleConnections = 64
    /// The maximum number of idle handles kept for reuse.
    public var maximumIdleHandles = 64
    /// The maximum amount of memory kept for reuse by large bodies, in bytes.
    public var maximumKeptMemory = 16 << 20
    /// The budget for retries, which several clients can share.
    public var retryBudget = RetryBudget()
    /// The executor that consumes the sequences of streamed request bodies.
    public var executor: (any TaskExecutor)?

    /// Creates a configuration with the default of each property.
    public init() {}

    /// The default configuration with changes: `.defaults { $0.options.timeouts.whole = .seconds(5) }`.
    public static func defaults(_ change: (inout CurlConfiguration) -> Void) -> CurlConfiguration {
        var configuration = CurlConfiguration()
        change(&configuration)
        return configuration
    }
}

extension CurlConfiguration {
    /// The error that makes the configuration unusable, with which every request is refused.
    var mistake: CurlError? {
        if let userAgent, !userAgent.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) {
            return Self.refused("the user agent has a control character")
        }
        if let proxy, !(1...65_535).contains(proxy.port) || !proxy.host.utf8.allSatisfy(RequestTarget.isAuthorityByte) {
            return Self.refused("the proxy's host or port is invalid")
        }
        let longestPath = Int(cofferdam_longest_socket_path())
        if let unixSocket, !(1...longestPath).contains(unixSocket.utf8.count) {
            return Self.refused(
                "the path of the Unix socket has \(unixSocket.utf8.count) bytes, not 1 to \(longestPath)"
            )
        }
        if tls.pinnedKeys.contains(where: { $0.utf8.count != 44 }) {
            return Self.refused("a pinned key is not a SHA-256 digest in base64")
        }
        return nil
    }

    private static func refused(_ message: String) -> CurlError {
        CurlError(.invalidRequest, message, wasSent: false)
    }
}
#endif
