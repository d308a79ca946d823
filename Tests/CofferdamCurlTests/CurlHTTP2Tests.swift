#if Curl
import CofferdamCurl
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5)), .enabled(if: TLSContext.isAvailable))
struct CurlHTTP2Tests {
    typealias Frame = HTTP2ServerConnection.Frame

    /// Over TLS: libcurl 7.88 cannot use a connection without it twice.
    static func withHTTP2(
        _ script: @escaping @Sendable (HTTP2ServerConnection) -> Void,
        _ body: (_ client: CurlClient, _ url: String, _ connections: Count) async throws -> Void
    ) async throws {
        let connections = Count()
        let server = try TLSScriptedServer(alpn: ["h2"]) { connection in
            script(HTTP2ServerConnection(connection, prefaces: connections))
            connection.waitForClientToClose()
        }
        var configuration = server.configuration
        configuration.options.httpVersion = .http2
        try await withClient(configuration) { client in try await body(client, server.url, connections) }
    }

    /// Answers each request with its stream's number.
    @Sendable static func answerAll(_ connection: HTTP2ServerConnection) {
        while let frame = connection.next() {
            if frame.endsStream { connection.reply(Array("\(frame.stream)".utf8), on: frame.stream) }
        }
    }

    @Test func `Requests share one connection, and each gets its own reply, in reverse order`() async throws {
        let count = 50
        try await Self.withHTTP2 { connection in
            var waiting: [UInt32] = []
            while waiting.count < count, let frame = connection.next() {
                if frame.endsStream { waiting.append(frame.stream) }
            }
            for stream in waiting.reversed() { connection.reply(Array("\(stream)".utf8), on: stream) }
            Self.answerAll(connection)
        } _: { client, url, connections in
            let bodies = try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for index in 0..<count {
                    group.addTask {
                        let reply = try await client.send(HTTPRequest(.get, url: "\(url)/\(index)"))
                        #expect(reply.head.status == .ok)
                        return Array(reply.body)
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(bodies.count == count)
            _ = try await client.send(HTTPRequest(.get, url: url))
            #expect(connections.value == 1)
        }
    }

    @Test func `Bodies of 1 MB are sent both ways, as fast as the windows allow`() async throws {
        let size = 1 << 20
        try await Self.withHTTP2 { connection in
            var (granted, received) = (65_535, 0)
            var isReplied = false
            while let frame = connection.next() {
                if frame.is(.data) {
                    received += frame.payload.count
                    #expect(received <= granted, "more than was granted")
                    // Half a window at a time, once it is used up.
                    if received == granted, received < size {
                        granted += 32_768
                        connection.grow(0, by: 32_768)
                        connection.grow(frame.stream, by: 32_768)
                    }
                }
                if frame.endsStream { isReplied = true }
                if isReplied {
                    #expect(received == size)
                    // libcurl opens its window in one frame, with its preface.
                    #expect(connection.maySend(size))
                    connection.reply(Array(repeating: 5, count: size), on: frame.stream)
                    return
                }
            }
        } _: { client, url, connections in
            let reply = try await client.send(
                HTTPRequest(.put, url: url),
                body: .bytes(Array(repeating: 3, count: size))
            )
            #expect(reply.body.count == size && isEachByte(of: reply.body, 5))
        }
    }

    @Test func `A streamed upload and a streamed reply share the connection with others`() async throws {
        try await Self.withHTTP2 { connection in
            var received: [UInt32: Int] = [:]
            while let frame = connection.next() {
                if frame.is(.data) {
                    received[frame.stream, default: 0] += frame.payload.count
                    if !frame.payload.isEmpty {
                        connection.grow(0, by: frame.payload.count)
                        connection.grow(frame.stream, by: frame.payload.count)
                    }
                }
                guard frame.endsStream else { continue }
                connection.reply(Array("\(received[frame.stream] ?? 0)".utf8), on: frame.stream)
            }
        } _: { client, url, connections in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for count in 1...10 {
                    group.addTask {
                        let blocks = PulledBlocks { $0 < count ? Array(repeating: 1, count: 50_000) : nil }
                        let stream = try await client.stream(HTTPRequest(.put, url: url), body: .stream(blocks))
                        let body = try await stream.body.collect(upTo: 100)
                        #expect(body == Array("\(count * 50_000)".utf8))
                    }
                }
                try await group.waitForAll()
            }
            #expect(connections.value == 1)
        }
    }

    // The implementation takes at most eight pieces.
    @Test(arguments: [20, 50, 100])
    func `A header block is put together from its pieces`(size: Int) async throws {
        try await Self.withHTTP2 { connection in
            while let frame = connection.next() {
                guard frame.endsStream else { continue }
                let block =
                    HTTP2ServerConnection.ok + HTTP2ServerConnection.field("x-a", "one")
                    + HTTP2ServerConnection.field("x-b", String(repeating: "b", count: 100))
                let pieces = stride(from: 0, to: block.count, by: size).map {
                    Array(block[$0..<min($0 + size, block.count)])
                }
                for (index, piece) in pieces.enumerated() {
                    let flags: UInt8 = index == pieces.count - 1 ? 4 : 0
                    connection.send(
                        Frame(index == 0 ? .headers : .continuation, flags: flags, stream: frame.stream, piece)
                    )
                }
                connection.send(Frame(.data, flags: 1, stream: frame.stream, Array("body".utf8)))
            }
        } _: { client, url, connections in
            for _ in 0..<2 {
                let reply = try await client.send(HTTPRequest(.get, url: url))
                #expect(reply.head.headerFields[try #require(HTTPField.Name("x-a"))] == "one")
                #expect(reply.head.headerFields[try #require(HTTPField.Name("x-b"))]?.count == 100)
                #expect(Array(reply.body) == Array("body".utf8))
            }
        }
    }

    @Test func `A cancelled request is reset, and the others continue`() async throws {
        let resets = Count()
        try await Self.withHTTP2 { connection in
            var first: UInt32?
            while let frame = connection.next() {
                if frame.is(.reset), frame.stream == first { resets.add() }
                guard frame.endsStream else { continue }
                // The first request gets no answer.
                if first == nil { first = frame.stream } else { connection.reply([1], on: frame.stream) }
            }
        } _: { client, url, connections in
            let request = try HTTPRequest(.get, url: url)
            let task = Task { try await client.send(request) }
            await connections.until { $0 == 1 }
            // After the first on its connection.
            let other = try await client.send(request)
            #expect(other.body == [1])
            task.cancel()
            await #expect(throws: CancellationError.self) { _ = try await task.value }
            // libcurl 7.88 tells the server with its next frame.
            #expect(try await client.send(request).body == [1])
            await resets.until { $0 == 1 }
            #expect(connections.value == 1)
        }
    }

    @Test func `Without TLS every request is answered, on one connection where libcurl can`() async throws {
        let server = try ScriptedServer(connection: { connection in
            let http2 = HTTP2ServerConnection(connection)
            var received: [UInt32: Int] = [:]
            while let frame = http2.next() {
                if frame.is(.data) { received[frame.stream, default: 0] += frame.payload.count }
                if frame.endsStream { http2.reply(Array("\(received[frame.stream] ?? 0)".utf8), on: frame.stream) }
            }
        })
        try await withClient(.defaults { $0.options.httpVersion = .http2 }) { client in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for count in 0..<20 {
                    group.addTask {
                        let blocks = PulledBlocks { $0 < count ? [1, 2, 3] : nil }
                        let request = try HTTPRequest(.put, url: server.url)
                        for body in [CurlRequestBody.stream(blocks), .bytes(Array(repeating: 1, count: 3 * count))] {
                            let reply = try await client.send(request, body: body)
                            #expect(Array(reply.body) == Array("\(3 * count)".utf8))
                            let stream = try await client.stream(request, body: body)
                            #expect(try await stream.body.collect(upTo: 10) == Array("\(3 * count)".utf8))
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func `Over TLS, HTTP/2 is used if the server agrees`() async throws {
        let server = try TLSScriptedServer(alpn: ["h2", "http/1.1"]) { connection in
            Self.answerAll(HTTP2ServerConnection(connection))
        }
        try await withClient(server.configuration) { client in
            let bodies = try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for _ in 0..<20 {
                    group.addTask { Array(try await client.send(HTTPRequest(.get, url: server.url)).body) }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(bodies.count == 20)
        }
    }

    @Test(arguments: [CurlHTTPVersion.http1, .automatic])
    func `Over TLS, HTTP/1.1 is used if the server or client does not want HTTP/2, and for streams`(
        version: CurlHTTPVersion
    ) async throws {
        let server = try TLSScriptedServer(alpn: version == .http1 ? ["h2", "http/1.1"] : ["http/1.1"]) { connection in
            connection.serve { connection, request in connection.reply(Array(request.path.utf8)) }
        }
        try await withClient(server.configuration) { client in
            let options = client.options.with { $0.httpVersion = version }
            let reply = try await client.send(HTTPRequest(.get, url: "\(server.url)/a"), options: options)
            #expect(Array(reply.body) == Array("/a".utf8))
            let stream = try await client.stream(HTTPRequest(.get, url: "\(server.url)/b"), options: options)
            #expect(try await stream.body.collect(upTo: 10) == Array("/b".utf8))
        }
    }
}
#endif
