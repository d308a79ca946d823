#if Curl
/// Options for a single request. A client's defaults are its ``CurlConfiguration/options``.
public struct CurlOptions: Sendable {
    /// The limits on the request's phases and on its whole duration.
    public var timeouts = CurlTimeouts()
    /// The largest body of a whole reply, in bytes, counted after decompression.
    public var maximumBodySize = 64 << 20
    /// The largest head of a reply, interim heads included, in bytes. libcurl's own limit of about 300 KB applies too.
    public var maximumHeadSize = 64 << 10
    /// Whether to request compressed bodies and decompress them: gzip and deflate, on Linux also br and zstd. The
    /// reply's `Content-Encoding` and `Content-Length` stay as the server sent them, and ``progress`` counts the
    /// compressed bytes.
    ///
    /// A body that ends before its coding does, goes on after it, or has an unknown coding throws `protocol`. A request
    /// with a `Range` asks for an uncompressed body.
    public var decompresses = true
    /// The HTTP version to use.
    public var httpVersion = CurlHTTPVersion.automatic
    /// Whether and how redirects are followed.
    public var redirects = RedirectPolicy.returned
    /// Which failures are retried.
    public var retry = RetryPolicy.never
    /// Receives the request's progress on the loop's thread, at most every 50 ms and at the end. It must not block.
    public var progress: (@Sendable (CurlProgress) -> Void)?

    /// Creates options with the default of each property.
    public init() {}

    /// A copy of these options with changes: `client.options.with { $0.timeouts.whole = .seconds(5) }`.
    public func with(_ change: (inout CurlOptions) -> Void) -> CurlOptions {
        var options = self
        change(&options)
        return options
    }
}

/// The HTTP version to use.
public enum CurlHTTPVersion: Sendable, Hashable {
    /// HTTP/2 over TLS where the server supports it, otherwise HTTP/1.1. Streams always use HTTP/1.1: a stalled stream
    /// would block the others on its connection.
    case automatic
    case http1
    /// HTTP/2 with prior knowledge, with or without TLS.
    case http2
}

/// A request's progress, in bytes; totals are `nil` until they are known.
public struct CurlProgress: Sendable, Hashable {
    /// The bytes of the request's body sent so far.
    public var sent: Int
    /// The size of the request's body in bytes; nil if unknown.
    public var totalToSend: Int?
    /// The bytes of the reply's body received so far.
    public var received: Int
    /// The size of the reply's body in bytes; nil if the server did not send it.
    public var totalToReceive: Int?
}
#endif
