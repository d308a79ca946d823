/// One event of a `text/event-stream`, as the WHATWG standard reads it.
public struct ServerSentEvent: Sendable, Hashable {
    /// The event's type; `message` when the server named none.
    public var event: String
    /// The data lines, joined by line feeds.
    public var data: String
    /// The last id the server gave, with this event or an earlier one: what `Last-Event-ID` wants.
    public var id: String?
    /// How long the server asks to wait before reconnecting, when it said so since the event before.
    public var retry: Duration?

    public init(event: String = "message", data: String, id: String? = nil, retry: Duration? = nil) {
        self.event = event
        self.data = data
        self.id = id
        self.retry = retry
    }
}

extension CurlBody {
    /// The body read as server-sent events of up to 1 MiB each. For one consumer.
    public var serverSentEvents: ServerSentEvents { serverSentEvents(maximumEventSize: 1 << 20) }

    /// The body read as server-sent events; a larger one ends the transfer with `tooLarge`.
    public func serverSentEvents(maximumEventSize: Int) -> ServerSentEvents {
        ServerSentEvents(body: self, maximumEventSize: maximumEventSize)
    }
}

/// The events of a body while they arrive. An event that the body's end cuts off is none.
public struct ServerSentEvents: AsyncSequence, Sendable {
    public typealias Element = ServerSentEvent
    public typealias Failure = any Error

    fileprivate let body: CurlBody
    fileprivate let maximumEventSize: Int

    public func makeAsyncIterator() -> Iterator {
        Iterator(events: ParsedBlocks(body, parser: .init(maximumEventSize: maximumEventSize)))
    }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var events: ParsedBlocks<ServerSentEventParser>

        public mutating func next() async throws -> ServerSentEvent? { try await next(isolation: #isolation) }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> ServerSentEvent? {
            try await events.next(isolation: actor)
        }
    }
}
