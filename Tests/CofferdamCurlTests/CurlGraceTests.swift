#if Curl
import CofferdamCurl
import HTTPTypes
import Testing

/// Shutdowns that let in-flight requests end.
@Suite(.timeLimit(.minutes(5)))
struct CurlGraceTests {
    /// Answers when the gate opens.
    static func server(_ gate: Gate) throws -> ScriptedServer {
        try ScriptedServer { connection, request in
            if request.path == "/stream" { connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nha") }
            gate.block()
            if request.path == "/stream" { connection.send("lf") } else { connection.reply(Array("whole".utf8)) }
        }
    }

    @Test func `In-flight requests finish, new ones are refused at once, and then it returns`() async throws {
        let gate = Gate()
        let server = try Self.server(gate)
        defer { gate.open() }
        let client = CurlClient()
        let whole = Task { try await client.send(HTTPRequest(.post, url: server.url)) }
        let stream = try await client.stream(HTTPRequest(.get, url: "\(server.url)/stream"))
        await server.until { $0.requests.count == 2 }
        let hasEnded = Count()
        let shutdowns = (0..<3).map { _ in
            Task {
                await client.shutdown(within: .seconds(3600))
                hasEnded.add()
            }
        }
        // Refused from some moment on, while the others still run.
        while true {
            let late = Task { try await client.send(HTTPRequest(.get, url: "http://127.0.0.1:9/")) }
            let error = try await curlError { try await late.value }
            if error.code == .closed {
                #expect(error.wasSent == false && !error.isRetryable)
                break
            }
            await Task.yield()
        }
        let refused = try await curlError { try await client.stream(HTTPRequest(.get, url: server.url)) }
        #expect(refused.code == .closed && refused.wasSent == false)
        #expect(hasEnded.value == 0)
        #expect(await client.census().transfersInFlight == 2)
        gate.open()
        #expect(try await Array(whole.value.body) == Array("whole".utf8))
        #expect(try await stream.body.collect(upTo: 10) == Array("half".utf8))
        for shutdown in shutdowns { await shutdown.value }
        await server.until { $0.closedByClient == 2 }
        #expect(server.log.requests.count == 2)
    }

    @Test func `At the deadline the rest is cancelled with closed`() async throws {
        let gate = Gate()
        let server = try Self.server(gate)
        defer { gate.open() }
        let client = CurlClient()
        let whole = Task { try await client.send(HTTPRequest(.post, url: server.url)) }
        let stream = try await client.stream(HTTPRequest(.get, url: "\(server.url)/stream"))
        // Also a request that waits for its producer.
        let isWaiting = Gate()
        let cancelled = Gate()
        let blocks = PulledBlocks { index in
            if index == 0 { return [1] }
            isWaiting.open()
            do { try await PulledBlocks.waitForCancellation() } catch {
                cancelled.open()
                throw error
            }
            return nil
        }
        let upload = Task { try await client.send(HTTPRequest(.put, url: server.url), body: .stream(blocks)) }
        await isWaiting.wait()
        await server.until { $0.requests.count == 2 }
        await client.shutdown(within: .milliseconds(50))
        for task in [whole, upload] {
            let error = try await curlError { try await task.value }
            #expect(error.code == .closed && error.wasSent == true)
        }
        await cancelled.wait()
        // The part of a stream that has arrived stays readable.
        var blocksOfReply = stream.body.makeAsyncIterator()
        #expect(try await blocksOfReply.next().map(Array.init) == Array("ha".utf8))
        let error = try await curlError { try await blocksOfReply.next() }
        #expect(error.code == .closed)
    }

    @Test(arguments: [Duration.zero, .milliseconds(20)])
    func `A later, shorter shutdown cuts an earlier one short, and no later one makes it longer`(grace: Duration)
        async throws
    {
        let gate = Gate()
        let server = try Self.server(gate)
        defer { gate.open() }
        let client = CurlClient()
        let whole = Task { try await client.send(HTTPRequest(.post, url: server.url)) }
        await server.until { $0.requests.count == 1 }
        let patient = Task { await client.shutdown(within: .seconds(3600)) }
        await client.shutdown(within: grace)
        await client.shutdown(within: .seconds(3600))
        await patient.value
        let error = try await curlError { try await whole.value }
        #expect(error.code == .closed)
    }

    @Test(arguments: [Duration.seconds(-1), .zero, .nanoseconds(1), .seconds(Int64.max)])
    func `An idle client shuts down at once with any grace period`(grace: Duration) async throws {
        let client = CurlClient()
        await client.shutdown(within: grace)
        let used = CurlClient()
        let server = try ScriptedServer { connection, _ in connection.reply([]) }
        _ = try await used.send(HTTPRequest(.get, url: server.url))
        await used.shutdown(within: grace)
        await server.until { $0.closedByClient == 1 }
    }

    @Test func `A stream whose consumer is gone does not delay the shutdown`() async throws {
        let server = try ScriptedServer { connection, _ in
            connection.send("HTTP/1.1 200 OK\r\n\r\n")
            while connection.send(Array(repeating: 1, count: 65_536)) {}
        }
        let client = CurlClient()
        do {
            let stream = try await client.stream(HTTPRequest(.get, url: server.url))
            await server.until { $0.stalls > 0 }
            _ = stream.head
        }
        await client.shutdown(within: .seconds(3600))
        await server.until { $0.closedByClient == 1 }
    }
}
#endif
