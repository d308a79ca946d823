public import HTTPTypes  // heads are HTTPResponse

/// A whole reply.
public struct CurlReply: Sendable {
    public var head: HTTPResponse
    public var body: CurlBytes

    public init(head: HTTPResponse, body: CurlBytes) {
        self.head = head
        self.body = body
    }
}

/// A reply whose body is still arriving.
public struct CurlStream: Sendable {
    public let head: HTTPResponse
    public let body: CurlBody
}
