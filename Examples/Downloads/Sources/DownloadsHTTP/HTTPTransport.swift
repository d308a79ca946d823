/// The functions of an HTTP client that ``HTTPDownloads`` needs: an adapter uses no more of its vendor than these.
public protocol HTTPTransport: Sendable {
    /// Sends a request, follows at most five redirects, and returns when the head of the answer has arrived.
    ///
    /// The call and the body throw ``TransportError`` and `CancellationError`. Dropping the body gives up the rest of
    /// it.
    func get(_ url: String, headers: [String: String]) async throws -> HTTPReply

    /// Closes the client. It is called when no request is in progress, and none follows.
    func close() async
}

/// An answer, whose body may still be arriving.
public struct HTTPReply: Sendable {
    public var status: Int
    /// Returns a header's value by its name.
    public var header: @Sendable (String) -> String?
    /// Ends without an error only if the body is complete.
    public var body: any AsyncSequence<[UInt8], any Error> & Sendable

    public init(
        status: Int,
        header: @escaping @Sendable (String) -> String?,
        body: any AsyncSequence<[UInt8], any Error> & Sendable
    ) {
        (self.status, self.header, self.body) = (status, header, body)
    }
}

/// A failed request, in terms that fit both clients.
public enum TransportError: Error, Sendable, Hashable {
    /// There is no answer.
    case unreachable
    /// The answer violates HTTP, or ends too early.
    case broken
    /// There are too many redirects.
    case redirects
}

/// What a client with its default configuration makes of an answer.
public enum PlainAnswer: Sendable, Hashable {
    case answer(status: Int, bytes: [UInt8])
    /// In the client's own words, without addresses.
    case error(String)
}
