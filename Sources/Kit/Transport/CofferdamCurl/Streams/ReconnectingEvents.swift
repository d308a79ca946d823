#if Curl
import Cofferdam
package import CofferdamSupport  // waits that tests replace
public import HTTPTypes  // requests are HTTPRequest

extension CurlClient {
    /// The events of a server, reconnecting whenever a connection ends, as a browser's `EventSource` does (WHATWG HTML,
    /// section 9.2).
    ///
    /// Sends `Accept: text/event-stream`, `Cache-Control: no-store` and the `Last-Event-ID` of the last event, which
    /// the request may set at first. Reconnects after a wait when a connection ends, fails transiently, or is answered
    /// with 429, 500, 502, 503 or 504. A reply with the status 204 ends the sequence.
    ///
    /// Connections are only made while the consumer waits for an event. Each iterator has its own connection.
    /// Cancelling the consumer ends the connection or the wait before it.
    ///
    /// - Parameter request: a GET.
    /// - Returns: a sequence that throws ``CurlError`` with `protocol` for any other status and for a reply that is not
    ///   an event stream, with `invalidRequest` for another method, with `tooLarge` for an event over 1 MiB, and with
    ///   the failure of a connection that is permanent or was the last allowed; `CancellationError`.
    public func serverSentEvents(
        _ request: HTTPRequest,
        reconnect: ReconnectPolicy = .init()
    ) -> ReconnectingEvents {
        serverSentEvents(request, reconnect: reconnect, pacing: Pacing())
    }

    package func serverSentEvents(
        _ request: HTTPRequest,
        reconnect: ReconnectPolicy,
        pacing: Pacing
    ) -> ReconnectingEvents {
        ReconnectingEvents(client: self, request: request, policy: reconnect, pacing: pacing)
    }
}

/// The events of a server, over one or more connections.
public struct ReconnectingEvents: AsyncSequence, Sendable {
    /// An event of the server.
    public typealias Element = ServerSentEvent
    /// Failures are ``CurlError`` or `CancellationError`.
    public typealias Failure = any Error

    fileprivate let client: CurlClient
    fileprivate let request: HTTPRequest
    fileprivate let policy: ReconnectPolicy
    fileprivate let pacing: Pacing

    /// Starts an iteration with its own connection.
    public func makeAsyncIterator() -> Iterator {
        Iterator(
            connection: EventConnection(client: client, request: request),
            reconnection: Reconnection(policy, pacing)
        )
    }

    /// An iteration over its own connections.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var connection: EventConnection
        fileprivate var reconnection: Reconnection
        private var isOver = false

        fileprivate init(connection: EventConnection, reconnection: Reconnection) {
            self.connection = connection
            self.reconnection = reconnection
        }

        /// Waits for the next event; nil at the end.
        public mutating func next() async throws -> ServerSentEvent? { try await next(isolation: #isolation) }

        /// Like ``next()``, for callers on an actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> ServerSentEvent? {
            while !isOver {
                do {
                    switch try await connection.next(isolation: actor) {
                    case .event(let event):
                        reconnection.hasArrived()
                        return event
                    case .noContent:
                        isOver = true
                    case .interrupted(let cause):
                        reconnection.serverWait = connection.serverWait
                        isOver = try await !reconnection.wait(after: cause)
                    }
                } catch {
                    isOver = true
                    throw error
                }
            }
            return nil
        }
    }
}

/// The current connection, and the state kept from earlier ones.
private struct EventConnection {
    enum Outcome {
        case event(ServerSentEvent)
        /// The server does not want the client to reconnect.
        case noContent
        case interrupted(Reconnection.Cause)
    }

    /// The server's last `retry`, on any connection.
    private(set) var serverWait: Duration?
    private let client: CurlClient
    private let request: HTTPRequest
    private var lastEventID: String?
    private var events: ParsedBlocks<ServerSentEventParser>?

    private static let lastEventIDName = HTTPField.Name("Last-Event-ID")
    private static let maximumEventSize = 1 << 20

    init(client: CurlClient, request: HTTPRequest) {
        self.client = client
        self.request = request
        lastEventID = Self.lastEventIDName.flatMap { request.headerFields[$0] }
    }

    mutating func next(isolation actor: isolated (any Actor)?) async throws -> Outcome {
        do throws(any Error) {
            if events == nil, let other = try await connect() { return other }
            if let event = try await events?.next(isolation: actor) { return .event(event) }
            disconnect()
            return .interrupted(.end)
        } catch let error as CurlError {
            disconnect()
            return .interrupted(.failure(error))
        }
    }

    /// - Returns: the outcome if there are no events.
    private mutating func connect() async throws -> Outcome? {
        let stream = try await client.stream(nextRequest())
        if stream.head.status.code == 204 { return .noContent }
        if Reconnection.isRefusal(stream.head) { return .interrupted(.refusal(stream.head)) }
        guard stream.head.status.code == 200 else { throw CurlError(unexpected: stream.head) }
        guard Self.isEventStream(stream.head) else {
            throw CurlError(.protocol, "the reply is not of the type text/event-stream", wasSent: true)
        }
        let parser = ServerSentEventParser(maximumEventSize: Self.maximumEventSize, lastEventID: lastEventID)
        events = ParsedBlocks(stream.body, parser: parser)
        return nil
    }

    private mutating func disconnect() {
        guard let parser = events?.parser else { return }
        lastEventID = parser.lastEventID
        serverWait = parser.reconnectionTime ?? serverWait
        events = nil
    }

    private func nextRequest() throws(CurlError) -> HTTPRequest {
        guard request.method == .get else {
            throw CurlError(.invalidRequest, "events must be requested with GET", wasSent: false)
        }
        var request = request
        request.headerFields[.accept] = "text/event-stream"
        request.headerFields[.cacheControl] = "no-store"
        guard let name = Self.lastEventIDName else { return request }
        request.headerFields[name] = lastEventID
        // HTTPFields would silently change the id, and the server would see a different one.
        guard lastEventID?.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") }) ?? true else {
            throw CurlError(.protocol, "the last event's id has a character that headers do not allow", wasSent: false)
        }
        return request
    }

    private static func isEventStream(_ head: HTTPResponse) -> Bool {
        guard let type = head.headerFields[.contentType] else { return false }
        let essence = type.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }
        return essence.lowercased() == "text/event-stream"
    }
}
#endif
