#if Curl
/// Time limits for the parts of a request; `nil` for no limit.
public struct CurlTimeouts: Sendable, Hashable {
    /// From the start until a connection is ready: waiting for a free one, resolving, connecting and the TLS handshake.
    public var connect: Duration? = .seconds(10)
    /// From the last bytes of the request that were sent until the reply's head is complete. A body in memory of less than
    /// 64 KB is sent at once.
    public var firstByte: Duration? = .seconds(30)
    /// The longest pause within a body. It does not run while the consumer of a stream is behind. For a download, nil is
    /// 60 seconds.
    public var idle: Duration?
    /// From the start until the whole reply is complete, including all redirects and retries. It applies neither to
    /// streams nor to downloads, which may take as long as bytes arrive.
    public var whole: Duration? = .seconds(60)

    /// Creates limits with the default of each property.
    public init() {}

    /// Identifies the time-out in a ``CurlError``.
    public enum Kind: String, Sendable, Hashable { case connect, firstByte, idle, whole }
}
#endif
