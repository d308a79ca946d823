#if Curl
import Cofferdam
import CofferdamCurl
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CurlProgressTests {
    static let size = 5_000_000

    final class Reports: Sendable {
        private let state = Mutex<[CurlProgress]>([])
        var all: [CurlProgress] { state.withLock { $0 } }
        var options: CurlOptions {
            CurlOptions().with { $0.progress = { progress in self.state.withLock { $0.append(progress) } } }
        }
    }

    static func check(_ reports: [CurlProgress], sent: Int?, received: Int?, end: [Int?]) {
        #expect(reports.last.map { [$0.sent, $0.totalToSend, $0.received, $0.totalToReceive] } == end)
        for (before, after) in zip(reports, reports.dropFirst()) {
            #expect(before.sent <= after.sent && before.received <= after.received)
            #expect(before != after, "told once")
        }
        for report in reports {
            #expect(report.totalToSend == nil || report.totalToSend == sent)
            #expect(report.totalToReceive == nil || report.totalToReceive == received)
            #expect(report.sent <= sent ?? .max && report.received <= received ?? .max)
        }
    }

    @Test(arguments: [false, true])
    func `A download's progress goes from nothing to everything`(isStream: Bool) async throws {
        let gate = Gate()
        let server = try ScriptedServer { connection, _ in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(Self.size)\r\n\r\n")
            connection.send(Array(repeating: 1, count: 1000))
            gate.block()
            connection.send(Array(repeating: 1, count: Self.size - 1000))
        }
        defer { gate.open() }
        let reports = Reports()
        try await withClient { client in
            let request = try HTTPRequest(.get, url: server.url)
            if isStream {
                let stream = try await client.stream(request, options: reports.options)
                gate.open()
                _ = try await stream.body.collect(upTo: Self.size)
            } else {
                async let reply = client.send(request, options: reports.options)
                await server.until { $0.bytesWritten > 1000 }
                gate.open()
                #expect(try await reply.body.count == Self.size)
            }
        }
        let end = [0, nil, Self.size, Self.size] as [Int?]
        Self.check(reports.all, sent: nil, received: Self.size, end: end)
    }

    @Test(arguments: [true, false])
    func `An upload's progress goes from nothing to everything`(isLengthKnown: Bool) async throws {
        let server = try ScriptedServer { connection, _ in connection.reply([]) }
        let reports = Reports()
        try await withClient { client in
            let blocks = PulledBlocks { $0 < 50 ? Array(repeating: 1, count: Self.size / 50) : nil }
            _ = try await client.send(
                HTTPRequest(.put, url: server.url),
                body: .stream(length: isLengthKnown ? Self.size : nil, blocks),
                options: reports.options
            )
        }
        let last = try #require(reports.all.last)
        // Chunks have framing lines of their own.
        let lines = last.sent - Self.size
        #expect(isLengthKnown ? lines == 0 : (0..<Self.size / 100).contains(lines))
        let end = [last.sent, isLengthKnown ? Self.size : nil, 0, nil] as [Int?]
        Self.check(reports.all, sent: isLengthKnown ? Self.size : nil, received: nil, end: end)
    }

    @Test func `Progress covers both directions with a body in memory, and again on the same handle`() async throws {
        let server = try ScriptedServer { connection, request in connection.reply(request.body) }
        try await withClient { client in
            for size in [Self.size, 1000] {
                let reports = Reports()
                _ = try await client.send(
                    HTTPRequest(.put, url: server.url),
                    body: .bytes(Array(repeating: 1, count: size)),
                    options: reports.options
                )
                let end = [size, size, size, size] as [Int?]
                Self.check(reports.all, sent: size, received: size, end: end)
            }
            let server = try ScriptedServer { connection, _ in connection.reply([]) }
            _ = try await client.send(HTTPRequest(.get, url: server.url))
        }
    }

    @Test func `A truncated download reports how far it came`() async throws {
        let server = try ScriptedServer { connection, _ in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(Self.size)\r\n\r\n")
            connection.send(Array(repeating: 1, count: 1000))
            connection.end()
        }
        let reports = Reports()
        try await withClient { client in
            let error = try await curlError {
                try await client.send(HTTPRequest(.get, url: server.url), options: reports.options)
            }
            #expect(error.code == .truncated)
        }
        let end = [0, nil, 1000, Self.size] as [Int?]
        Self.check(reports.all, sent: nil, received: Self.size, end: end)
    }
}
#endif
