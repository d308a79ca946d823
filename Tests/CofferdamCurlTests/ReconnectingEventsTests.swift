#if Curl
import Cofferdam
import CofferdamCurl
import CofferdamSupport
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ReconnectingEventsTests {
    private static func stream(_ events: String, type: String = "text/event-stream") -> String {
        "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\n\r\n\(events)"
    }

    private static let busy = "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"

    /// The events until the sequence ended, and how it ended.
    private static func read(
        _ server: ScriptedServer,
        _ record: PacingRecord,
        policy: ReconnectPolicy = .init(),
        change: (inout HTTPRequest) -> Void = { _ in }
    ) async throws -> (events: [ServerSentEvent], error: CurlError?) {
        var request = try HTTPRequest(.get, url: server.url)
        change(&request)
        return try await withClient { [request] client in
            var events: [ServerSentEvent] = []
            do {
                let sequence = client.serverSentEvents(request, reconnect: policy, pacing: record.pacing)
                for try await event in sequence { events.append(event) }
                return (events, nil)
            } catch let error as CurlError {
                return (events, error)
            }
        }
    }

    @Test func `Asks as an EventSource does`() async throws {
        let server = try ScriptedServer.replying([])
        let (events, error) = try await Self.read(server, PacingRecord()) { request in
            request.headerFields[.accept] = "*/*"
            request.headerFields[.authorization] = "Bearer token"
        }
        #expect(events.isEmpty && error == nil)
        let request = try #require(server.log.requests.first)
        #expect(request.header("Accept") == "text/event-stream")
        #expect(request.header("Cache-Control") == "no-store")
        #expect(request.header("Authorization") == "Bearer token")
        #expect(request.header("Last-Event-ID") == nil)
    }

    @Test func `A compressed stream that ends with its connection is reopened`() async throws {
        let connections = Count()
        let server = try ScriptedServer { connection, _ in
            let isFirst = connections.add() == 1
            let type = "Content-Type: text/event-stream\r\nContent-Encoding: gzip"
            connection.send(isFirst ? "HTTP/1.1 200 OK\r\n\(type)\r\n\r\n" : "HTTP/1.1 204 No\r\n\r\n")
            if isFirst { connection.send(Array(CodedSample.gzip.dropLast(8))) }
            connection.end()
        }
        let record = PacingRecord()
        let (events, error) = try await Self.read(server, record)
        #expect(events.count == 40 && error == nil)
        #expect(record.waits == [.seconds(1)])
    }

    struct IDs: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let connections: [String]
        let given: [String?]
        let asked: [String?]
    }

    @Test(arguments: [
        IDs(
            testDescription: "the last id is kept by events without one",
            connections: ["id: 7\ndata: a\n\ndata: b\n\n", "data: c\n\n"],
            given: ["7", "7", "7"],
            asked: [nil, "7", "7"]
        ),
        IDs(
            testDescription: "an event that is cut off has no say",
            connections: ["id: 7\ndata: a\n\nid: 8\ndata: b\n", "id: 9"],
            given: ["7"],
            asked: [nil, "7", "7"]
        ),
        IDs(
            testDescription: "an id alone counts once its block has ended",
            connections: ["id: 7\n\n", "data: a\n\n"],
            given: ["7"],
            asked: [nil, "7", "7"]
        ),
        IDs(
            testDescription: "an empty id resets it",
            connections: ["id: 7\ndata: a\n\n", "id\ndata: b\n\n"],
            given: ["7", nil],
            asked: [nil, "7", nil]
        ),
        IDs(
            testDescription: "an id with a NUL is none",
            connections: ["id: 7\ndata: a\n\nid: 8\u{0}\ndata: b\n\n"],
            given: ["7", "7"],
            asked: [nil, "7"]
        ),
        IDs(
            testDescription: "a byte order mark begins each connection",
            connections: ["\u{FEFF}id: 7\ndata: a\n\n", "\u{FEFF}id: 8\ndata: b\n\n"],
            given: ["7", "8"],
            asked: [nil, "7", "8"]
        ),
        IDs(
            testDescription: "text beyond ASCII",
            connections: ["id: é🦒\ndata: a\n\n"],
            given: ["é🦒"],
            asked: [nil, "é🦒"]
        ),
    ])
    func `Reconnects with the last id`(_ ids: IDs) async throws {
        let server = try ScriptedServer.replying(ids.connections.map { Self.stream($0) })
        let (events, error) = try await Self.read(server, PacingRecord())
        #expect(error == nil)
        #expect(events.map(\.id) == ids.given)
        #expect(server.log.requests.map { $0.header("Last-Event-ID") } == ids.asked)
    }

    @Test func `The request sets the first id`() async throws {
        let server = try ScriptedServer.replying([Self.stream("data: a\n\n")])
        let name = try #require(HTTPField.Name("Last-Event-ID"))
        let (events, _) = try await Self.read(server, PacingRecord()) { $0.headerFields[name] = "5" }
        #expect(events == [ServerSentEvent(data: "a", id: "5")])
        #expect(server.log.requests.map { $0.header("Last-Event-ID") } == ["5", "5"])
    }

    @Test func `An id that is not allowed in a header is an error, and is not replaced by another`() async throws {
        let server = try ScriptedServer.replying([Self.stream("id: a\u{1}b\ndata: a\n\n")])
        let (events, error) = try await Self.read(server, PacingRecord())
        #expect(events.count == 1)
        #expect(error?.code == .protocol)
        #expect(server.log.requests.count == 1)
    }

    struct Waits: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let replies: [String]
        let waits: [Duration]
    }

    @Test(arguments: [
        Waits(
            testDescription: "longer with each in a row that brings nothing, and from the start after an event",
            replies: [busy, stream(""), busy, stream("data: a\n\n"), busy],
            waits: [.seconds(1), .seconds(2), .seconds(4), .seconds(1), .seconds(2)]
        ),
        Waits(
            testDescription: "never longer than the maximum",
            replies: Array(repeating: busy, count: 7),
            waits: [.seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(16), .seconds(30), .seconds(30)]
        ),
        Waits(
            testDescription: "the server's retry replaces the initial wait, on later connections too",
            replies: [stream("retry: 250\n"), stream("data: a\n\n"), busy, busy],
            waits: [.milliseconds(250), .milliseconds(250), .milliseconds(500), .seconds(1)]
        ),
        Waits(
            testDescription: "a server's retry above the maximum is kept to",
            replies: [stream("retry: 60000\n\n"), busy],
            waits: [.seconds(60), .seconds(60)]
        ),
        Waits(
            testDescription: "a server's retry without measure is cut",
            replies: [stream("retry: 999999999999\n\n")],
            waits: [.seconds(600)]
        ),
        Waits(
            testDescription: "Retry-After, within the same measure",
            replies: ["7", "0", "999999999", "x"].map { "HTTP/1.1 429 Slow\r\nRetry-After: \($0)\r\n\r\n" },
            waits: [.seconds(7), .seconds(2), .seconds(600), .seconds(8)]
        ),
        Waits(
            testDescription: "each status that may pass",
            replies: [429, 500, 502, 503, 504].map { "HTTP/1.1 \($0) Later\r\nContent-Length: 0\r\n\r\n" },
            waits: [.seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(16)]
        ),
        Waits(
            testDescription: "a connection cut short",
            replies: [
                "",
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 99\r\n\r\ndata: a\n\nid: 1\n",
            ],
            waits: [.seconds(1), .seconds(1)]
        ),
    ])
    func `Waits before it reconnects`(_ waits: Waits) async throws {
        let server = try ScriptedServer.replying(waits.replies)
        let record = PacingRecord()
        let (_, error) = try await Self.read(server, record)
        #expect(error == nil)
        #expect(record.waits == waits.waits)
        #expect(server.log.requests.count == waits.replies.count + 1)
    }

    @Test(arguments: [
        ("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "the server answered with the status 404"),
        ("HTTP/1.1 301 Moved\r\nLocation: /\r\nContent-Length: 0\r\n\r\n", "the server answered with the status 301"),
        ("HTTP/1.1 501 No\r\nContent-Length: 0\r\n\r\n", "the server answered with the status 501"),
        ("HTTP/1.1 200 OK\r\n\r\ndata: a\n\n", "the reply is not of the type text/event-stream"),
        (stream("data: a\n\n", type: "text/html"), "the reply is not of the type text/event-stream"),
        (stream("data: a\n\n", type: "text/event-streams"), "the reply is not of the type text/event-stream"),
    ])
    func `A permanent failure is not retried`(reply: String, message: String) async throws {
        let server = try ScriptedServer.replying([reply])
        let (events, error) = try await Self.read(server, PacingRecord())
        #expect(events.isEmpty)
        #expect(error?.code == .protocol)
        #expect(error?.message == message)
        #expect(server.log.requests.count == 1)
    }

    @Test(arguments: ["text/event-stream;charset=utf-8", "Text/Event-Stream ; charset=utf-8"])
    func `The type may have parameters, and any case`(type: String) async throws {
        let server = try ScriptedServer.replying([Self.stream("data: a\n\n", type: type)])
        #expect(try await Self.read(server, PacingRecord()).events == [ServerSentEvent(data: "a")])
    }

    @Test func `An endless event is not requested again`() async throws {
        let large = "data: a\n\ndata: " + String(repeating: "x", count: 1 << 20 + 1)
        let server = try ScriptedServer.replying([Self.stream(large)])
        let (events, error) = try await Self.read(server, PacingRecord())
        #expect(events == [ServerSentEvent(data: "a")])
        #expect(error?.code == .tooLarge)
        #expect(server.log.requests.count == 1)
    }

    @Test func `A method other than GET is not sent`() async throws {
        let server = try ScriptedServer.replying([])
        let (_, error) = try await Self.read(server, PacingRecord()) { $0.method = .post }
        #expect(error?.code == .invalidRequest)
        #expect(server.log.accepted == 0)
    }

    struct Bound: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let replies: [String]
        let code: CurlError.Code?
    }

    @Test(arguments: [
        Bound(testDescription: "a connection that ends", replies: ["", "", stream("")], code: nil),
        Bound(testDescription: "a refusal", replies: ["", stream(""), busy], code: .protocol),
        Bound(testDescription: "a failure", replies: [busy, stream(""), ""], code: .connectionLost),
    ])
    func `The last allowed attempt decides the error`(_ bound: Bound) async throws {
        // An event in between resets the count.
        let server = try ScriptedServer.replying([Self.busy, Self.stream("data: a\n\n")] + bound.replies)
        let record = PacingRecord()
        let policy = ReconnectPolicy(maximumAttempts: 3)
        let (events, error) = try await Self.read(server, record, policy: policy)
        #expect(events == [ServerSentEvent(data: "a")])
        #expect(error?.code == bound.code)
        #expect(record.waits == [.seconds(1), .seconds(1), .seconds(2), .seconds(4)])
        #expect(server.log.requests.count == 5)
    }

    @Test func `Nothing happens without a pull, and nothing after the end`() async throws {
        let server = try ScriptedServer.replying([Self.stream("data: a\n\ndata: b\n\n")])
        try await withClient { client in
            let record = PacingRecord()
            let sequence = try client.serverSentEvents(
                HTTPRequest(.get, url: server.url),
                reconnect: .init(),
                pacing: record.pacing
            )
            var events = sequence.makeAsyncIterator()
            #expect(server.log.accepted == 0)
            #expect(try await events.next()?.data == "a")
            #expect(try await events.next()?.data == "b")
            #expect(record.waits.isEmpty && server.log.requests.count == 1)
            #expect(try await events.next() == nil)
            #expect(try await events.next() == nil)
            #expect(record.waits.count == 1 && server.log.requests.count == 2)
        }
    }

    @Test func `Cancelling the consumer in the middle of a stream closes the connection`() async throws {
        let server = try ScriptedServer { connection, _ in
            connection.send(Self.stream("data: a\n\n"))
            connection.waitForClientToClose()
        }
        try await withClient { client in
            let sequence = try client.serverSentEvents(HTTPRequest(.get, url: server.url))
            let (firsts, gotFirst) = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                for try await _ in sequence { gotFirst.yield() }
            }
            for await _ in firsts { break }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            await server.until { $0.closedByClient == 1 }
            #expect(server.log.requests.count == 1)
        }
    }

    @Test func `Cancelling the consumer during the wait ends it`() async throws {
        let server = try ScriptedServer.replying([Self.busy])
        try await withClient { client in
            let record = PacingRecord(isEndless: true)
            let sequence = try client.serverSentEvents(
                HTTPRequest(.get, url: server.url),
                reconnect: .init(),
                pacing: record.pacing
            )
            let task = Task {
                for try await _ in sequence {}
            }
            await record.waitForPause()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(server.log.requests.count == 1)
        }
    }

    @Test func `A shut-down client ends it`() async throws {
        let server = try ScriptedServer.replying([])
        let client = CurlClient()
        await client.shutdown()
        let record = PacingRecord()
        let error = try await curlError {
            for try await _ in try client.serverSentEvents(
                HTTPRequest(.get, url: server.url),
                reconnect: .init(),
                pacing: record.pacing
            ) {}
        }
        #expect(error.code == .closed)
        #expect(record.waits.isEmpty)
    }
}
#endif
