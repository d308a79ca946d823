/// What an HTTP client does for ``HTTPDownloads``: an adapter is this much of its vendor, and nothing more.
public protocol HTTPTransport: Sendable {
    /// Sends a request, follows at most five redirections, and returns when the head of the answer has come.
    ///
    /// It and the body throw ``TransportError`` and `CancellationError`. Who drops the body gives the rest up.
    func get(_ url: String, headers: [String: String]) async throws -> HTTPReply

    /// Gives the client back. No request goes on any more, and none comes.
    func close() async
}

/// An answer, whose body may still be on its way.
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

/// How a request fails, as both clients say it.
public enum TransportError: Error, Sendable, Hashable {
    /// There is no answer.
    case unreachable
    /// There is one, and it breaks HTTP's rules or ends too early.
    case broken
    /// It leads elsewhere, too often.
    case redirects
}

/// What a client that is not told anything makes of an answer.
public enum PlainAnswer: Sendable, Hashable {
    case answer(status: Int, bytes: [UInt8])
    /// In the client's own words, without addresses.
    case error(String)
}
