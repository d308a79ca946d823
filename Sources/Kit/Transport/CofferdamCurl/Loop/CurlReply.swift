#if Curl
public import HTTPTypes  // heads are HTTPResponse

/// A complete reply.
public struct CurlReply: Sendable {
    /// The status and the header fields.
    public var head: HTTPResponse
    /// The whole body, decompressed as ``CurlOptions/decompresses`` says.
    public var body: CurlBytes
    /// The HTTP version: `1.1`, `2`.
    public var httpVersion: String

    package init(head: HTTPResponse, body: CurlBytes, httpVersion: String = "1.1") {
        self.head = head
        self.body = body
        self.httpVersion = httpVersion
    }
}

/// A reply whose body is still arriving.
public struct CurlStream: Sendable {
    /// The status and the header fields.
    public let head: HTTPResponse
    /// The body, block by block, for a single consumer.
    public let body: CurlBody
    /// The HTTP version: `1.1`, `2`.
    public let httpVersion: String
}
#endif
