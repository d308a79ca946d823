#if Sandbox
import CofferdamCurl

/// Events from the server, for a single consumer: iterate it once. It does not begin with the current state. A consumer
/// that falls more than 16 events behind loses the oldest. It disconnects when it is no longer iterated.
public struct EventStream<Event: Sendable>: AsyncSequence, Sendable {
    /// The sequence of the last event before the connection, if the server sends it.
    public let sequence: Int?
    private let events: AsyncThrowingStream<Event, any Error>

    public func makeAsyncIterator() -> Iterator { Iterator(iterator: events.makeAsyncIterator()) }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var iterator: AsyncThrowingStream<Event, any Error>.Iterator

        public mutating func next() async throws(MenagerieError) -> Event? { try await next(isolation: #isolation) }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(MenagerieError) -> Event? {
            do {
                return try await iterator.next(isolation: actor)
            } catch {
                throw MenagerieError(transport: error)
            }
        }
    }

    /// Connects, and returns once the server is ready to send subsequent events.
    ///
    /// - Parameter attach: attaches another source of events; returns a closure that detaches it.
    init(
        _ wire: Wire,
        _ request: WireRequest,
        attach: (_ tell: @escaping @Sendable (Event) -> Void) -> @Sendable () -> Void = { _ in {} },
        _ read: @escaping @Sendable (ServerSentEvent, _ isReplay: Bool) async throws(MenagerieError) -> Event?
    ) async throws(MenagerieError) {
        let (events, event) = AsyncThrowingStream.makeStream(
            of: Event.self,
            throwing: (any Error).self,
            bufferingPolicy: .bufferingNewest(16)
        )
        let (readiness, ready) = AsyncThrowingStream.makeStream(of: Ready.self)
        let connection = Task {
            do {
                var isReplay = true
                for try await received in try await wire.stream(request).body.serverSentEvents {
                    switch received.event {
                    case "ready": ready.yield(await Ready(received))
                    case "live": isReplay = false
                    default:
                        if let value = try await read(received, isReplay) { event.yield(value) }
                    }
                }
                event.finish()
                ready.finish()
            } catch {
                event.finish(throwing: error)
                ready.finish(throwing: error)
            }
        }
        let detach = attach { event.yield($0) }
        event.onTermination = { _ in
            connection.cancel()
            detach()
        }
        do {
            for try await first in readiness {
                sequence = first.sequence
                self.events = events
                return
            }
        } catch {
            throw MenagerieError(transport: error)
        }
        connection.cancel()
        if Task.isCancelled { throw .cancelled }
        throw .transport(TransportFailure(.truncated, message: "the stream ended before it was ready", wasSent: true))
    }
}

/// The server's message that it is ready.
private struct Ready: Sendable, Decodable {
    var sequence: Int?

    init(_ event: ServerSentEvent) async {
        let payload = try? await decode(Payload.self, from: Array(event.data.utf8))  // not every stream has one
        sequence = payload?.sequence ?? event.id.flatMap { Int($0) }
    }

    private struct Payload: Decodable { var sequence: Int? }
}
#endif
