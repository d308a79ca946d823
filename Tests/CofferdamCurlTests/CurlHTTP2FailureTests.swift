#if Curl
import CofferdamCurl
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5)), .enabled(if: TLSContext.isAvailable))
struct CurlHTTP2FailureTests {
    typealias Frame = HTTP2ServerConnection.Frame

    @Test func `Requests accepted before GOAWAY are answered, and later ones use another connection`() async throws {
        let started = Count()
        try await CurlHTTP2Tests.withHTTP2 { connection in
            guard started.add() == 1 else { return CurlHTTP2Tests.answerAll(connection) }
            var waiting: [UInt32] = []
            while waiting.count < 6, let frame = connection.next() {
                if frame.endsStream { waiting.append(frame.stream) }
            }
            connection.goAway(last: waiting.max() ?? 0)
            for stream in waiting { connection.reply(Array("first".utf8), on: stream) }
        } _: { client, url, connections in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        let reply = try await client.send(HTTPRequest(.post, url: url))
                        #expect(Array(reply.body) == Array("first".utf8))
                    }
                }
                try await group.waitForAll()
            }
            let next = try await client.send(HTTPRequest(.post, url: url))
            #expect(Array(next.body) == Array("1".utf8))
            #expect(connections.value == 2)
        }
    }

    @Test(arguments: [HTTPRequest.Method.get, .post])
    func `Requests not accepted before GOAWAY are sent again if allowed, and otherwise fail`(
        method: HTTPRequest.Method
    ) async throws {
        let requests = Count()
        try await CurlHTTP2Tests.withHTTP2 { connection in
            while let frame = connection.next() {
                guard frame.endsStream else { continue }
                if requests.add() == 1 { connection.goAway(last: 0) } else { connection.reply([1], on: frame.stream) }
            }
        } _: { client, url, connections in
            let request = try HTTPRequest(method, url: url)
            do {
                #expect(try await client.send(request).body == [1])
                #expect(method == .get)
            } catch let error as CurlError {
                #expect(error.code == .connectionLost && error.wasSent == true && error.isRetryable, "\(error)")
            }
            #expect(requests.value == (method == .get ? connections.value : 1))
            #expect(try await client.send(request).body == [1])
        }
    }

    enum Ending: String, CaseIterable, Sendable {
        case closes, closesWithoutNotice, resets, goesAway, goesAwayAndCloses
    }

    @Test(.enabled(if: TLSContext.isAvailable), arguments: Ending.allCases)
    func `A connection that the server ended while it was idle is not used, and no request is lost or repeated`(
        ending: Ending
    ) async throws {
        let authority = try TestAuthority()
        defer { withExtendedLifetime(authority) {} }
        let context = try TLSContext(authority.issue(), alpn: ["h2"], announcesEnd: ending != .closesWithoutNotice)
        let configuration = CurlConfiguration.defaults {
            $0.tls.authorities = .file(authority.certificate)
            $0.options.httpVersion = .http2
        }
        for count in [1, 5] {
            let (hasReply, hasEnded, connections) = (Gate(), Gate(), Count())
            let server = try ScriptedServer(tls: context) { connection in
                let isFirst = connections.add() == 1
                let http2 = HTTP2ServerConnection(connection)
                while let frame = http2.next() {
                    guard frame.endsStream else { continue }
                    connection.note(ServerRequest(head: "", body: []))
                    http2.reply([1], on: frame.stream)
                    hasReply.block()
                    guard isFirst else { continue }
                    switch ending {
                    case .closes, .closesWithoutNotice: connection.end()
                    case .resets: return connection.reset()
                    case .goesAway, .goesAwayAndCloses: http2.goAway(last: frame.stream)
                    }
                    if ending == .goesAwayAndCloses { connection.end() }
                    hasEnded.open()
                    connection.waitForClientToClose()
                }
            }
            try await withClient(configuration) { client in
                let request = try HTTPRequest(.post, url: server.url)
                #expect(try await client.send(request).body == [1])
                hasReply.open()
                if ending == .resets { await server.until { $0.finished == 1 } } else { await hasEnded.wait() }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for index in 0..<count {
                        group.addTask {
                            let blocks = PulledBlocks { $0 == 0 ? [1, 2, 3] : nil }
                            let body = index % 2 == 0 ? CurlRequestBody.bytes([1, 2, 3]) : .stream(blocks)
                            let reply = try await client.send(request, body: body)
                            #expect(reply.body == [1])
                        }
                    }
                    try await group.waitForAll()
                }
            }
            #expect(server.log.requests.count == 1 + count)
            #expect(server.log.accepted == 2)
        }
    }

    @Test(arguments: [HTTPRequest.Method.get, .post])
    func `A refused stream is sent again if allowed, and otherwise fails`(method: HTTPRequest.Method) async throws {
        let streams = Count()
        try await CurlHTTP2Tests.withHTTP2 { connection in
            while let frame = connection.next() {
                guard frame.endsStream else { continue }
                if streams.add() == 1 {
                    connection.reset(frame.stream, HTTP2ServerConnection.refusedStream)
                } else {
                    connection.reply(Array("again".utf8), on: frame.stream)
                }
            }
        } _: { client, url, connections in
            let request = try HTTPRequest(method, url: url)
            if method == .get {
                let reply = try await client.send(request)
                #expect(Array(reply.body) == Array("again".utf8))
            } else {
                let error = try await curlError { try await client.send(request) }
                #expect(error.code == .connectionLost && error.wasSent == true, "\(error)")
                #expect(error.isRetryable)
            }
        }
        #expect(streams.value == (method == .get ? 2 : 1))
    }

    @Test(arguments: [1, 2, 8, 11] as [UInt32], [false, true])
    func `A stream that is reset fails alone, before its head and after it`(error code: UInt32, hasHead: Bool)
        async throws
    {
        try await CurlHTTP2Tests.withHTTP2 { connection in
            var isFirst = true
            while let frame = connection.next() {
                guard frame.endsStream else { continue }
                if isFirst {
                    if hasHead {
                        connection.send(Frame(.headers, flags: 4, stream: frame.stream, HTTP2ServerConnection.ok))
                        connection.send(Frame(.data, stream: frame.stream, [1, 2, 3]))
                    }
                    connection.reset(frame.stream, code)
                } else {
                    connection.reply([1], on: frame.stream)
                }
                isFirst = false
            }
        } _: { client, url, connections in
            let request = try HTTPRequest(.post, url: url)
            let error = try await curlError { try await client.send(request) }
            #expect([.protocol, .truncated].contains(error.code) && error.wasSent == true, "\(error)")
            #expect(try await client.send(request).body == [1])
            #expect(connections.value == 1, "the connection is kept")
        }
    }

    struct Breach: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var codes: [CurlError.Code] = [.protocol, .connectionLost, .truncated]
        let act: @Sendable (HTTP2ServerConnection, UInt32) -> Void
    }

    static let breaches: [Breach] = [
        Breach(testDescription: "no status") { connection, stream in
            connection.send(Frame(.headers, flags: 5, stream: stream, HTTP2ServerConnection.field("x-a", "b")))
        },
        Breach(testDescription: "a block that is none") { connection, stream in
            connection.send(Frame(.headers, flags: 5, stream: stream, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]))
        },
        Breach(testDescription: "a name in capitals") { connection, stream in
            let block = HTTP2ServerConnection.ok + HTTP2ServerConnection.field("X-A", "b")
            connection.send(Frame(.headers, flags: 5, stream: stream, block))
        },
        Breach(testDescription: "a line end in a value") { connection, stream in
            let block = HTTP2ServerConnection.ok + HTTP2ServerConnection.field("x-a", "b\r\nx-c: d")
            connection.send(Frame(.headers, flags: 5, stream: stream, block))
        },
        Breach(testDescription: "data before the head") { connection, stream in
            connection.send(Frame(.data, flags: 1, stream: stream, [1]))
        },
        Breach(testDescription: "data on stream 0") { connection, _ in connection.send(Frame(.data, [1])) },
        Breach(testDescription: "a frame that is too long") { connection, stream in
            connection.send(Frame(.data, stream: stream, Array(repeating: 0, count: 20_000)))
        },
        Breach(testDescription: "other bytes") { connection, _ in
            connection.connection.send("HTTP/1.1 400 What\r\nContent-Length: 0\r\n\r\n")
        },
        Breach(testDescription: "a length that differs") { connection, stream in
            let block = HTTP2ServerConnection.ok + HTTP2ServerConnection.field("content-length", "5")
            connection.send(Frame(.headers, flags: 4, stream: stream, block))
            connection.send(Frame(.data, flags: 1, stream: stream, [1]))
        },
        Breach(testDescription: "an end in the middle") { connection, stream in
            connection.send(Frame(.headers, flags: 4, stream: stream, HTTP2ServerConnection.ok))
            connection.connection.end()
        },
        Breach(testDescription: "going away with an error") { connection, stream in
            connection.goAway(last: stream, 1)
            connection.connection.end()
        },
        Breach(testDescription: "a head without end", codes: [.tooLarge]) {
            connection,
            stream in
            let field = HTTP2ServerConnection.field("x-a", String(repeating: "a", count: 100))
            let piece = Array(repeatElement(field, count: 100).joined())
            connection.send(Frame(.headers, stream: stream, HTTP2ServerConnection.ok + piece))
            while connection.send(Frame(.continuation, stream: stream, piece)) {}
        },
        Breach(testDescription: "a head of chunks") { connection, stream in
            let block = HTTP2ServerConnection.ok + HTTP2ServerConnection.field("transfer-encoding", "chunked")
            connection.send(Frame(.headers, flags: 5, stream: stream, block))
        },
        Breach(testDescription: "lengths that differ") { connection, stream in
            let lengths = ["1", "2"].flatMap { HTTP2ServerConnection.field("content-length", $0) }
            connection.send(Frame(.headers, flags: 4, stream: stream, HTTP2ServerConnection.ok + lengths))
            connection.send(Frame(.data, flags: 1, stream: stream, [1]))
        },
        Breach(testDescription: "a longer body than its length") { connection, stream in
            let block = HTTP2ServerConnection.ok + HTTP2ServerConnection.field("content-length", "1")
            connection.send(Frame(.headers, flags: 4, stream: stream, block))
            connection.send(Frame(.data, flags: 1, stream: stream, [1, 2]))
        },
        Breach(testDescription: "a long head", codes: [.tooLarge]) { connection, stream in
            let field = HTTP2ServerConnection.field("x-a", String(repeating: "a", count: 100))
            let piece = Array(repeatElement(field, count: 100).joined())
            connection.send(Frame(.headers, stream: stream, HTTP2ServerConnection.ok + piece))
            for index in 0..<2 {
                connection.send(Frame(.continuation, flags: index == 1 ? 4 : 0, stream: stream, piece))
            }
        },
    ]

    @Test(arguments: breaches)
    func `Invalid HTTP/2 fails, and does not hang`(_ breach: Breach) async throws {
        let server = try ScriptedServer(connection: { connection in
            let http2 = HTTP2ServerConnection(connection)
            while let frame = http2.next() {
                if frame.endsStream { breach.act(http2, frame.stream) }
            }
        })
        var configuration = CurlConfiguration()
        configuration.options.httpVersion = .http2
        configuration.options.maximumHeadSize = 16_384
        configuration.options.timeouts.whole = .seconds(20)
        try await withClient(configuration) { client in
            let error = try await curlError { try await client.send(HTTPRequest(.post, url: server.url)) }
            #expect(breach.codes.contains(error.code), "\(error)")
            #expect(error.wasSent == true)
        }
    }

    @Test func `An HTTP/1.1 answer to a client that requires HTTP/2 is recognised`() async throws {
        let server = try ScriptedServer(connection: { connection in
            _ = connection.read()
            connection.send("HTTP/1.1 400 What\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            connection.end()
        })
        try await withClient(.defaults { $0.options.httpVersion = .http2 }) { client in
            let error = try await curlError { try await client.send(HTTPRequest(.get, url: server.url)) }
            #expect([.protocol, .connectionLost].contains(error.code), "\(error)")
        }
    }

    @Test func `A head over libcurl's own limit is too large, and not retryable`() async throws {
        let server = try ScriptedServer(connection: { connection in
            let http2 = HTTP2ServerConnection(connection)
            let field = HTTP2ServerConnection.field("x-a", String(repeating: "a", count: 100))
            let piece = Array(repeatElement(field, count: 150).joined())
            while let frame = http2.next() {
                guard frame.endsStream else { continue }
                http2.send(Frame(.headers, stream: frame.stream, HTTP2ServerConnection.ok + piece))
                for index in 0..<8 {
                    http2.send(Frame(.continuation, flags: index == 7 ? 4 : 0, stream: frame.stream, piece))
                }
            }
        })
        var configuration = CurlConfiguration()
        configuration.options.httpVersion = .http2
        configuration.options.maximumHeadSize = 1 << 30
        try await withClient(configuration) { client in
            let error = try await curlError { try await client.send(HTTPRequest(.post, url: server.url)) }
            #expect(error.code == .tooLarge && !error.isRetryable, "\(error)")
        }
    }

    static let unasked: [Breach] = [
        Breach(testDescription: "more data on a stream that has ended") { connection, stream in
            connection.send(Frame(.data, flags: 1, stream: stream, Array("poison".utf8)))
        },
        Breach(testDescription: "a second head on a stream that has ended") { connection, stream in
            connection.send(Frame(.headers, flags: 4, stream: stream, HTTP2ServerConnection.ok))
            connection.send(Frame(.data, flags: 1, stream: stream, Array("poison".utf8)))
        },
        Breach(testDescription: "a reply on the stream that comes next") { connection, stream in
            connection.reply(Array("poison".utf8), on: stream + 2)
        },
        Breach(testDescription: "a reply on a stream of the server's") { connection, _ in
            connection.reply(Array("poison".utf8), on: 2)
        },
        Breach(testDescription: "a promise, and its reply") { connection, stream in
            connection.send(Frame(.pushPromise, flags: 4, stream: stream, [0, 0, 0, 2] + HTTP2ServerConnection.ok))
            connection.reply(Array("poison".utf8), on: 2)
        },
        Breach(testDescription: "a reply of HTTP/1.1") { connection, _ in
            connection.send(raw: Array(CurlDesyncTests.poison.utf8))
        },
    ]

    @Test(arguments: unasked)
    func `Unsolicited data on an HTTP/2 connection is not the reply to any request`(_ breach: Breach) async throws {
        try await CurlHTTP2Tests.withHTTP2 { connection in
            while let frame = connection.next() {
                guard frame.endsStream else { continue }
                // At once: a reply that arrives after its request, however early, is a reply.
                connection.together {
                    connection.reply(Array("clean".utf8), on: frame.stream)
                    breach.act(connection, frame.stream)
                }
            }
        } _: { client, url, _ in
            for _ in 0..<5 {
                // If the breach arrives while the next request is on its way, that request fails.
                do {
                    let reply = try await client.send(HTTPRequest(.post, url: url))
                    #expect(Array(reply.body) == Array("clean".utf8))
                } catch let error as CurlError {
                    #expect([.protocol, .connectionLost, .truncated].contains(error.code), "\(error)")
                }
            }
        }
    }
}
#endif
