public import HTTPTypes  // a transport's requests and responses

/// How a device reaches a `cofferdam-server`: sends one request, and returns the response.
///
/// ``urlSession(_:maximumBody:)`` is one over Foundation's `URLSession`. `CofferdamFleet` has one over libcurl, for servers
/// and command lines.
public struct DeviceTransport: Sendable {
    /// Sends a request with its body, within a time.
    ///
    /// It returns a response with any status, a redirect too: following it would send the token to another place. It
    /// keeps no response and no cookie, and limits the length of a body. A cancelled task ends the request.
    ///
    /// - Throws: ``DeviceTransportError`` without a response; `CancellationError`.
    public typealias Exchange =
        @Sendable (_ request: HTTPRequest, _ body: [UInt8], _ time: Duration) async throws -> (
            head: HTTPResponse, body: [UInt8]
        )

    package let exchange: Exchange

    /// Creates a transport over any HTTP client.
    public init(_ exchange: @escaping Exchange) { self.exchange = exchange }
}

/// Why a request got no response. It holds no header fields.
public struct DeviceTransportError: Error, Sendable, CustomStringConvertible {
    /// The reason, for people.
    public var message: String
    /// Whether any byte of the request may have been sent: `false` means that the server has not seen it, `nil` that it is
    /// not known.
    public var wasSent: Bool?
    /// The client's own error, if there is one.
    public var cause: (any Error)?

    /// Creates a value from its parts.
    public init(_ message: String, wasSent: Bool? = nil, cause: (any Error)? = nil) {
        (self.message, self.wasSent, self.cause) = (message, wasSent, cause)
    }

    /// The reason.
    public var description: String { message }
}
