#if Curl
import Cofferdam
import CofferdamCurl
import HTTPTypes
import InMemoryTracing
import MetricsTestKit
import Testing
import Tracing

/// Tests retries, redirects and observation from the perspective of a client's user.
@Suite(.timeLimit(.minutes(5)))
struct CurlExchangeTests {
    static let busy = "HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nContent-Length: 4\r\n\r\nbusy"
    static let done = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone"
    static let retrying = CurlConfiguration.defaults {
        $0.options.retry = .standard { $0.backoff = Backoff(initial: .zero, maximum: .zero) }
    }

    /// A server that answers one request after the other, on any connection; it repeats the last answer.
    private func server(_ replies: [String]) throws -> ScriptedServer {
        let rest = Rest(replies)
        return try ScriptedServer { connection, _ in connection.send(rest.next()) }
    }

    private final class Rest: Sendable {
        private let replies: Mutex<[String]>
        init(_ replies: [String]) { self.replies = Mutex(replies) }

        func next() -> String {
            replies.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? "" }
        }
    }

    @Test(arguments: [false, true])
    func `A busy server is asked again`(isStream: Bool) async throws {
        let server = try server([Self.busy, Self.busy, Self.done])
        try await withClient(Self.retrying) { client in
            let request = try HTTPRequest(.get, url: server.url)
            if isStream {
                let stream = try await client.stream(request)
                #expect(stream.head.status == .ok)
                let body = try await stream.body.collect(upTo: 10)
                #expect(Array(body) == Array("done".utf8))
            } else {
                let reply = try await client.send(request)
                #expect(Array(reply.body) == Array("done".utf8))
            }
        }
        #expect(server.log.requests.count == 3)
    }

    @Test(arguments: [nil, "key-1"] as [String?])
    func `A POST is asked again only with a key`(key: String?) async throws {
        let server = try server([Self.busy, Self.done])
        var request = try HTTPRequest(.post, url: server.url)
        if let key { request.headerFields[try #require(HTTPField.Name("Idempotency-Key"))] = key }
        try await withClient(Self.retrying) { client in
            let reply = try await client.send(request, body: .bytes([1, 2, 3]))
            #expect(reply.head.status.code == (key == nil ? 503 : 200))
        }
        #expect(server.log.requests.map(\.body) == Array(repeating: [1, 2, 3], count: key == nil ? 1 : 2))
    }

    @Test func `Retries end with the last failure, and with the time-out of the whole request`() async throws {
        let server = try server([Self.busy])
        try await withClient(Self.retrying) { client in
            let request = try HTTPRequest(.get, url: server.url)
            let reply = try await client.send(request)
            #expect(reply.head.status.code == 503)
            #expect(server.log.requests.count == 3)
            // A wait that would exceed the whole time-out does not begin.
            let short = client.options.with {
                $0.retry.backoff = Backoff(initial: .seconds(3600), maximum: .seconds(3600), jitter: 0)
            }
            let hasty = try await client.send(request, options: short)
            #expect(hasty.head.status.code == 503)
            #expect(server.log.requests.count == 4)
        }
    }

    @Test func `A redirected POST becomes a GET, and keeps its body with 307`() async throws {
        for (status, method, body) in [(302, "GET", []), (307, "POST", [1, 2, 3] as [UInt8])] {
            let server = try server([
                "HTTP/1.1 \(status) X\r\nLocation: ../to?x=1\r\nContent-Length: 0\r\n\r\n", Self.done,
            ])
            try await withClient(.defaults { $0.options.redirects = .followed() }) { client in
                let request = try HTTPRequest(.post, url: "\(server.url)/a/b")
                let reply = try await client.send(request, body: .bytes([1, 2, 3]))
                #expect(reply.head.status == .ok)
            }
            let second = try #require(server.log.requests.last)
            #expect(second.head.hasPrefix("\(method) /to?x=1 HTTP/1.1\r\n"))
            #expect(second.body == body)
        }
    }

    @Test(arguments: ["sent", "streamed", "dropped", "failed", "cancelled"])
    func `A request has one span, which ends when its body does`(how: String) async throws {
        let server = try ScriptedServer { connection, _ in
            guard how != "sent", how != "streamed" else { return connection.reply([1]) }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n1")
            if how == "failed" { connection.end() } else { connection.waitForClientToClose() }
        }
        let tracer = InMemoryTracer()
        let client = CurlClient(observability: CurlObservability(tracer: tracer))
        let request = try HTTPRequest(.get, url: server.url)
        if how == "sent" {
            _ = try await client.send(request)
        } else if how == "cancelled" {
            let task = Task { try await client.send(request) }
            await server.until { $0.bytesWritten > 0 }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        } else {
            let stream = try await client.stream(request)
            if how == "dropped" {
                #expect(tracer.activeSpans.count == 1)
            } else {
                let body = try? await stream.body.collect(upTo: 10)
                #expect((body == nil) == (how == "failed"))
            }
        }
        await client.shutdown()
        let span = try #require(tracer.finishedSpans.first)
        #expect(tracer.finishedSpans.count == 1)
        let types = ["dropped": "abandoned", "failed": "truncated", "cancelled": "cancelled"]
        #expect(span.attributes.get("error.type") == types[how].map { .string($0) })
    }

    /// A server whose address `/` redirects to a file, which it refuses or cuts as often as told.
    private func fileServer(_ first: String, count: Int) throws -> ScriptedServer {
        let rest = Rest(Array(repeating: first, count: count) + [Self.done])
        return try ScriptedServer { connection, request in
            guard request.path == "/file" else {
                connection.send("HTTP/1.1 302 X\r\nLocation: /file\r\nContent-Length: 0\r\n\r\n")
                return
            }
            let reply = rest.next()
            connection.send(reply)
            if reply == Self.cut { connection.end() }
        }
    }

    private static let cut = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\ncut"

    @Test(arguments: [busy, cut])
    func `A download has one span and is counted once, with its retries and redirects`(first: String) async throws {
        let server = try fileServer(first, count: 1)
        let (tracer, metrics, folder) = (InMemoryTracer(), TestMetrics(), try TestFolder())
        var configuration = Self.retrying
        configuration.options.redirects = .followed()
        let observability = CurlObservability(metrics: metrics, tracer: tracer)
        let client = CurlClient(configuration: configuration, observability: observability)
        // Its metrics are gone with it.
        defer { withExtendedLifetime(client) {} }
        let reply = try await client.download(HTTPRequest(.get, url: server.url), to: "\(folder.path)/file")
        #expect(reply.head.status == .ok)
        await client.shutdown()
        #expect(server.log.requests.map(\.path) == ["/", "/file", "/", "/file"])
        #expect(server.log.requests.allSatisfy { $0.header(InMemoryTracer.spanIDKey) != nil })
        let span = try #require(tracer.finishedSpans.first)
        #expect(tracer.finishedSpans.count == 1)
        #expect(span.attributes.get("error.type") == nil)
        #expect(span.attributes.get("http.response.status_code") == .int64(200))
        #expect(span.attributes.get("http.request.resend_count") == .int64(3))
        #expect(metrics.timers.count == 1)
        #expect(metrics.timers.first?.values.count == 1)
        #expect(metrics.recorders(label: "http.client.response.body.size").map(\.values) == [[4]])
    }

    @Test func `The span of a download that fails has the reply's status`() async throws {
        let server = try fileServer(Self.cut, count: 1)
        let (tracer, folder) = (InMemoryTracer(), try TestFolder())
        let client = CurlClient(observability: CurlObservability(tracer: tracer))
        let error = try await curlError {
            try await client.download(HTTPRequest(.get, url: "\(server.url)/file"), to: "\(folder.path)/file")
        }
        #expect(error.code == .truncated)
        await client.shutdown()
        let span = try #require(tracer.finishedSpans.first)
        #expect(tracer.finishedSpans.count == 1)
        #expect(span.attributes.get("error.type") == .string("truncated"))
        #expect(span.attributes.get("http.response.status_code") == .int64(200))
    }
}
#endif
