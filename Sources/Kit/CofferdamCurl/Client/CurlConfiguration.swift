/// What a ``CurlClient`` does with each request.
///
/// What is not here is not configurable: certificates are verified, redirects are returned and not followed, and no
/// proxy, `.netrc` or cookie store is read.
public struct CurlConfiguration: Sendable {
    /// From the start of a request until it has a connection: resolving, connecting, TLS.
    public var connectTimeout: Duration = .seconds(10)
    /// From the start of a ``CurlClient/send(_:body:)`` until its reply is complete.
    public var requestTimeout: Duration = .seconds(60)
    /// From the start of a ``CurlClient/stream(_:body:)`` until the reply's head is complete, sending the body included.
    public var firstByteTimeout: Duration = .seconds(30)
    /// The longest silence within a streamed body; `nil` for none. Does not run while the consumer is behind.
    public var idleTimeout: Duration?
    /// The largest body of a reply of ``CurlClient/send(_:body:)``, in bytes.
    public var maximumBodySize = 64 << 20
    /// The largest head of a reply with all interim ones, in bytes.
    public var maximumHeadSize = 64 << 10
    /// How far libcurl may run ahead of the consumer of a streamed body, in bytes; then the transfer pauses.
    public var streamBufferSize = 256 << 10
    /// How many idle handles are kept for reuse.
    public var maximumIdleHandles = 64
    /// The `User-Agent` of requests that bring none; `nil` for none.
    public var userAgent: String? = "cofferdam"
    /// A PEM file of the certificate authorities to trust, in place of libcurl's own.
    public var certificateAuthorities: String?

    public init() {}

    /// The defaults, changed in place: `.defaults { $0.requestTimeout = .seconds(5) }`.
    public static func defaults(_ change: (inout CurlConfiguration) -> Void) -> CurlConfiguration {
        var configuration = CurlConfiguration()
        change(&configuration)
        return configuration
    }
}
