#if Curl
/// An event of a `text/event-stream`, as defined by the WHATWG standard.
public struct ServerSentEvent: Sendable, Hashable {
    /// The event's type; `message` if the server gave none.
    public var event: String
    /// The data lines, joined by line feeds.
    public var data: String
    /// The last id from the server, in this event or an earlier one: the value for `Last-Event-ID`.
    public var id: String?
    /// The wait before reconnecting, if the server sent one since the previous event.
    public var retry: Duration?

    package init(event: String = "message", data: String, id: String? = nil, retry: Duration? = nil) {
        self.event = event
        self.data = data
        self.id = id
        self.retry = retry
    }
}

extension CurlBody {
    /// The body as server-sent events of up to 1 MiB each. For a single consumer.
    public var serverSentEvents: ServerSentEvents { serverSentEvents(maximumEventSize: 1 << 20) }

    /// The body as server-sent events; an event over `maximumEventSize` bytes ends the transfer with `tooLarge`.
    public func serverSentEvents(maximumEventSize: Int) -> ServerSentEvents {
        ServerSentEvents(body: self, maximumEventSize: maximumEventSize)
    }
}

/// The events of a body, as they arrive. An event cut off by the body's end is discarded.
public struct ServerSentEvents: AsyncSequence, Sendable {
    /// An event of the server.
    public typealias Element = ServerSentEvent
    /// Failures are ``CurlError`` or `CancellationError`.
    public typealias Failure = any Error

    fileprivate let body: CurlBody
    fileprivate let maximumEventSize: Int

    /// Starts an iteration; a body has a single consumer.
    public func makeAsyncIterator() -> Iterator {
        Iterator(events: ParsedBlocks(body, parser: .init(maximumEventSize: maximumEventSize)))
    }

    /// The iteration of the body's single consumer.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var events: ParsedBlocks<ServerSentEventParser>

        /// Waits for the next event; nil at the end.
        public mutating func next() async throws -> ServerSentEvent? { try await next(isolation: #isolation) }

        /// Like ``next()``, for callers on an actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> ServerSentEvent? {
            try await events.next(isolation: actor)
        }
    }
}
#endif
