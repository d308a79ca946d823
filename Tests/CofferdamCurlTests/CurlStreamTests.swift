#if Curl
import CofferdamCurl
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CurlStreamTests {
    @Test func `The head comes before the body, and the body block by block`() async throws {
        let server = try ScriptedServer { connection, _ in
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n")
            connection.waitForClientToClose()
        }
        try await withClient { client in
            let stream = try await client.stream(HTTPRequest(.get, url: server.url))
            #expect(stream.head.status == .ok)
            var blocks = stream.body.makeAsyncIterator()
            let first = try await blocks.next()
            #expect(first.map(Array.init) == Array("one".utf8))
        }
    }

    @Test func `A whole body can be collected, within a limit`() async throws {
        let server = try ScriptedServer { connection, _ in connection.reply(Array(repeating: 7, count: 100_000)) }
        try await withClient { client in
            let stream = try await client.stream(HTTPRequest(.get, url: server.url))
            let body = try await stream.body.collect(upTo: 100_000)
            #expect(body.count == 100_000)

            let other = try await client.stream(HTTPRequest(.get, url: server.url))
            let error = try await curlError { try await other.body.collect(upTo: 99_999) }
            #expect(error.code == .tooLarge)
        }
    }

    @Test func `A consumer that is behind makes the server wait, and loses nothing`() async throws {
        // Each block differs, and no block's length matches a buffer.
        let blocks = (0..<251).map { index in [UInt8](repeating: UInt8(index), count: 65_537 + index) }
        let whole = blocks + blocks + blocks + blocks
        let size = whole.reduce(0) { $0 + $1.count }
        let server = try ScriptedServer { connection, _ in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
            for block in whole { guard connection.send(block) else { return } }
        }
        // Time passes while the consumer is behind; a stream's time-outs do not count it.
        let configuration = CurlConfiguration.defaults {
            $0.options.timeouts.whole = .milliseconds(50)
            $0.options.timeouts.idle = .milliseconds(50)
        }
        try await withClient(configuration) { client in
            let stream = try await client.stream(HTTPRequest(.get, url: server.url))
            await server.until { $0.stalls >= 2 || $0.bytesWritten > size / 2 }
            #expect(server.log.bytesWritten < size / 2)
            var received: [UInt8] = []
            for try await block in stream.body {
                #expect(block.count <= CurlConfiguration().streamBufferSize)
                received += block
            }
            let isWhole = received == whole.reduce(into: []) { $0 += $1 }
            #expect(isWhole)
        }
    }

    @Test func `Silence within a body ends it by the idle time-out`() async throws {
        let server = try ScriptedServer { connection, _ in
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n")
            connection.waitForClientToClose()
        }
        try await withClient(.defaults { $0.options.timeouts.idle = .milliseconds(100) }) { client in
            let stream = try await client.stream(HTTPRequest(.get, url: server.url))
            var blocks = stream.body.makeAsyncIterator()
            _ = try await blocks.next()
            let error = try await curlError { try await blocks.next() }
            #expect(error.code == .timeout)
            #expect(error.message.contains("nothing more of the body"))
        }
    }

    @Test func `No head within the time is a time-out`() async throws {
        let server = try ScriptedServer { connection, _ in connection.waitForClientToClose() }
        try await withClient(.defaults { $0.options.timeouts.firstByte = .milliseconds(100) }) { client in
            let error = try await curlError { try await client.stream(HTTPRequest(.get, url: server.url)) }
            #expect(error.code == .timeout)
            #expect(error.wasSent == true)
        }
    }

    @Test func `A truncated stream delivers what arrived, then throws`() async throws {
        let server = try ScriptedServer { connection, _ in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            connection.end()
        }
        try await withClient { client in
            let stream = try await client.stream(HTTPRequest(.get, url: server.url))
            var blocks = stream.body.makeAsyncIterator()
            let first = try await blocks.next()
            #expect(first.map(Array.init) == Array("abc".utf8))
            let error = try await curlError { try await blocks.next() }
            #expect(error.code == .truncated)
        }
    }

    @Test func `Server-sent events come one by one`() async throws {
        let server = try ScriptedServer { connection, _ in
            connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
            for byte in ":hi\nid: 1\nevent: born\ndata: Léa\n\ndata: a\ndata: b\n\ndata: cut".utf8 {
                connection.send([byte])
            }
            connection.end()
        }
        try await withClient { client in
            let stream = try await client.stream(HTTPRequest(.get, url: server.url))
            var events: [ServerSentEvent] = []
            for try await event in stream.body.serverSentEvents { events.append(event) }
            #expect(
                events == [
                    ServerSentEvent(event: "born", data: "Léa", id: "1"), ServerSentEvent(data: "a\nb", id: "1"),
                ]
            )
        }
    }
}
#endif
