#if Curl
import Cofferdam
import CofferdamCurl
import CofferdamSupport
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5)))
struct LongPollTests {
    private struct Stop: Error {}

    private static func content(_ text: String) -> String {
        "HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
    }

    private static let busy = "HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nbusy"
    private static let nothing = "HTTP/1.1 204 No Content\r\n\r\n"

    /// Requests `/` and then the path in each reply, until a reply holds `/end`; returns the replies and the error.
    private static func poll(
        _ server: ScriptedServer,
        _ record: PacingRecord,
        method: HTTPRequest.Method = .get,
        key: String? = nil,
        policy: ReconnectPolicy = .init(),
        configuration: CurlConfiguration = .init()
    ) async throws -> (replies: [String], error: CurlError?) {
        var first = try HTTPRequest(method, url: server.url)
        if let key { first.headerFields[try #require(HTTPField.Name("Idempotency-Key"))] = key }
        return try await withClient(configuration) { [first] client in
            var replies: [String] = []
            do {
                let poll = client.longPoll(first, reconnect: policy, pacing: record.pacing) { reply in
                    var next = first
                    next.path = String(decoding: reply.body, as: UTF8.self)
                    return next.path == "/end" ? nil : next
                }
                for try await reply in poll { replies.append(String(decoding: reply.body, as: UTF8.self)) }
                return (replies, nil)
            } catch let error as CurlError {
                return (replies, error)
            }
        }
    }

    @Test func `Asks for what follows, until nothing does`() async throws {
        let server = try ScriptedServer.replying(["/1", "/2", "/end"].map(Self.content))
        let record = PacingRecord()
        let (replies, error) = try await Self.poll(server, record)
        #expect(replies == ["/1", "/2", "/end"])
        #expect(error == nil)
        #expect(server.log.requests.map(\.path) == ["/", "/1", "/2"])
        #expect(record.waits.isEmpty)
    }

    @Test func `An empty reply after a while is not delivered, and the same is asked again at once`() async throws {
        let unchanged = "HTTP/1.1 304 Not Modified\r\n\r\n"
        let replies = [Self.content("/1"), Self.nothing, unchanged, Self.nothing, Self.content("/end")]
        let server = try ScriptedServer.replying(replies)
        let record = PacingRecord(step: .seconds(1))
        #expect(try await Self.poll(server, record).replies == ["/1", "/end"])
        #expect(server.log.requests.map(\.path) == ["/", "/1", "/1", "/1", "/1"])
        #expect(record.waits.isEmpty)
    }

    @Test func `After an immediate empty reply the same is asked again after a wait`() async throws {
        let replies = [
            Self.nothing, Self.nothing, Self.nothing, Self.content("/1"), Self.nothing, Self.content("/end"),
        ]
        let server = try ScriptedServer.replying(replies)
        let record = PacingRecord(step: .milliseconds(999))
        // The limit applies to failures, and these are failures.
        let policy = ReconnectPolicy(maximumAttempts: 0)
        #expect(try await Self.poll(server, record, policy: policy).replies == ["/1", "/end"])
        #expect(record.waits == [.seconds(1), .seconds(2), .seconds(4), .seconds(1)])
    }

    @Test func `A time-out of the request counts as an empty reply`() async throws {
        let requests = Mutex(0)
        let server = try ScriptedServer { connection, _ in
            let count = requests.withLock { count in
                count += 1
                return count
            }
            if count < 3 { connection.waitForClientToClose() } else { connection.send(Self.content("/end")) }
        }
        let record = PacingRecord(step: .seconds(60))
        let configuration = CurlConfiguration.defaults { $0.options.timeouts.whole = .milliseconds(300) }
        let (replies, error) = try await Self.poll(server, record, configuration: configuration)
        #expect(replies == ["/end"])
        #expect(error == nil)
        // More if the machine is so busy that an answer takes longer than the time-out.
        #expect(server.log.requests.count >= 3)
        #expect(record.waits.isEmpty)
    }

    @Test func `Transient failures are retried after growing waits, which a reply resets`() async throws {
        let later = "HTTP/1.1 429 Slow\r\nRetry-After: 9\r\nContent-Length: 0\r\n\r\n"
        let server = try ScriptedServer.replying([
            Self.busy, "", later, Self.content("/1"), "", Self.nothing, Self.busy, Self.content("/end"),
        ])
        let record = PacingRecord(step: .seconds(1))
        let (replies, error) = try await Self.poll(server, record)
        #expect(replies == ["/1", "/end"])
        #expect(error == nil)
        #expect(record.waits == [.seconds(1), .seconds(2), .seconds(9), .seconds(1), .seconds(1)])
    }

    @Test(arguments: [(busy, CurlError.Code.protocol), ("", .connectionLost)])
    func `The last allowed attempt decides the error`(reply: String, code: CurlError.Code) async throws {
        let server = try ScriptedServer.replying([reply, reply, reply])
        let record = PacingRecord()
        let (replies, error) = try await Self.poll(server, record, policy: ReconnectPolicy(maximumAttempts: 2))
        #expect(replies.isEmpty)
        #expect(error?.code == code)
        #expect(record.waits == [.seconds(1), .seconds(2)])
    }

    @Test func `A permanent failure is thrown at once, and ends the sequence`() async throws {
        let server = try ScriptedServer.replying(["no HTTP\r\n\r\n"])
        try await withClient { client in
            let poll = try client.longPoll(HTTPRequest(.get, url: server.url)) { _ in nil }
            var replies = poll.makeAsyncIterator()
            let error = try await curlError { try await replies.next() }
            #expect(error.code == .protocol)
            #expect(try await replies.next() == nil)
        }
        #expect(server.log.requests.count == 1)
    }

    @Test func `A request that must not be repeated is not`() async throws {
        let server = try ScriptedServer.replying([Self.nothing, Self.busy])
        let record = PacingRecord(step: .seconds(1))
        // Both requests were answered.
        let (replies, _) = try await Self.poll(server, record, method: .post)
        #expect(replies.first == "busy")

        let silent = try ScriptedServer.replying([""])
        let (_, error) = try await Self.poll(silent, record, method: .post)
        #expect(error?.code == .connectionLost)
        #expect(silent.log.requests.count == 1)
        #expect(record.waits.isEmpty)
    }

    @Test func `A request with an idempotency key may be repeated`() async throws {
        let server = try ScriptedServer.replying(["", Self.busy, Self.content("/end")])
        let record = PacingRecord()
        let (replies, _) = try await Self.poll(server, record, method: .post, key: "1")
        #expect(replies == ["/end"])
        #expect(record.waits == [.seconds(1), .seconds(2)])
    }

    @Test func `An error of the caller's closure follows the reply`() async throws {
        let server = try ScriptedServer.replying([Self.content("a")])
        try await withClient { client in
            let poll = try client.longPoll(HTTPRequest(.get, url: server.url)) { _ in throw Stop() }
            var replies = poll.makeAsyncIterator()
            #expect(try await replies.next()?.head.status == .ok)
            await #expect(throws: Stop.self) { try await replies.next() }
            #expect(try await replies.next() == nil)
        }
        #expect(server.log.requests.count == 1)
    }

    @Test func `Cancelling the consumer ends the request`() async throws {
        let server = try ScriptedServer { connection, _ in connection.waitForClientToClose() }
        try await withClient { client in
            let poll = try client.longPoll(HTTPRequest(.get, url: server.url)) { _ in nil }
            let task = Task {
                for try await _ in poll {}
            }
            await server.until { $0.requests.count == 1 }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            await server.until { $0.closedByClient == 1 }
        }
    }

    @Test(arguments: [busy, nothing])
    func `Cancelling the consumer during the wait ends it`(reply: String) async throws {
        let server = try ScriptedServer.replying([reply])
        try await withClient { client in
            let record = PacingRecord(isEndless: true)
            let poll = try client.longPoll(
                HTTPRequest(.get, url: server.url),
                reconnect: .init(),
                pacing: record.pacing
            ) { _ in nil }
            let task = Task {
                for try await _ in poll {}
            }
            await record.waitForPause()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(server.log.requests.count == 1)
        }
    }
}
#endif
