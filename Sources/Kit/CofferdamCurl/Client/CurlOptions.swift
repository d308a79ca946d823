/// What may differ from one request to the next. A client's defaults are its ``CurlConfiguration/options``.
public struct CurlOptions: Sendable {
    public var timeouts = CurlTimeouts()
    /// The largest body of a whole reply, in bytes, counted after decompression.
    public var maximumBodySize = 64 << 20
    /// The largest head of a reply with all interim ones, in bytes. libcurl's own bound, about 300 KB, applies too.
    public var maximumHeadSize = 64 << 10
    /// Whether compressed bodies are asked for and decompressed: gzip and deflate, on Linux br and zstd too. The reply's
    /// `Content-Encoding` and `Content-Length` stay as the server sent them, and ``progress`` counts the bytes that came.
    ///
    /// A body that is cut short within its coding, or goes on after it, throws `protocol`, as one with a coding that is
    /// unknown. A request with a `Range` asks for a body that is not compressed.
    public var decompresses = true
    public var httpVersion = CurlHTTPVersion.automatic
    /// Whether redirects are followed.
    public var redirects = RedirectPolicy.returned
    /// Which failures are tried again.
    public var retry = RetryPolicy.never
    /// Told on the loop's thread how far the request is, at most every 50 ms and at the end. It must not block.
    public var progress: (@Sendable (CurlProgress) -> Void)?

    public init() {}

    /// These options, changed: `client.options.with { $0.timeouts.whole = .seconds(5) }`.
    public func with(_ change: (inout CurlOptions) -> Void) -> CurlOptions {
        var options = self
        change(&options)
        return options
    }
}

/// How long each part of a request may take; `nil` for as long as it likes.
public struct CurlTimeouts: Sendable, Hashable {
    /// From the start until there is a connection: resolving, connecting, TLS, and waiting for one that is free.
    public var connect: Duration? = .seconds(10)
    /// From the last byte of the request, as far as that is known, until the reply's head is complete.
    public var firstByte: Duration? = .seconds(30)
    /// The longest silence within a body. Does not run while the consumer of a stream is behind.
    public var idle: Duration?
    /// From the start until a whole reply is complete, with all redirects and retries. A stream has none.
    public var whole: Duration? = .seconds(60)

    public init() {}

    /// Which of them a ``CurlError`` is about.
    public enum Kind: String, Sendable, Hashable { case connect, firstByte, idle, whole }
}

/// Which HTTP is spoken.
public enum CurlHTTPVersion: Sendable, Hashable {
    /// HTTP/2 over TLS where the server agrees, else HTTP/1.1. Streams always use HTTP/1.1: one that stalls would hold up
    /// the others on its connection.
    case automatic
    case http1
    /// HTTP/2 without asking, over TLS or not.
    case http2
}

/// How far a request is, in bytes; totals are `nil` until they are known.
public struct CurlProgress: Sendable, Hashable {
    public var sent: Int
    public var totalToSend: Int?
    public var received: Int
    public var totalToReceive: Int?
}
