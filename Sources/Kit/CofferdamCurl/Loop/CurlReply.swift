public import HTTPTypes  // heads are HTTPResponse

/// A complete reply.
public struct CurlReply: Sendable {
    public var head: HTTPResponse
    public var body: CurlBytes
    /// The HTTP version: `1.1`, `2`.
    public var httpVersion: String

    public init(head: HTTPResponse, body: CurlBytes, httpVersion: String = "1.1") {
        self.head = head
        self.body = body
        self.httpVersion = httpVersion
    }
}

/// A reply whose body is still arriving.
public struct CurlStream: Sendable {
    public let head: HTTPResponse
    public let body: CurlBody
    /// The HTTP version: `1.1`, `2`.
    public let httpVersion: String
}
