#if Curl
import CofferdamCurl
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CurlUploadTests {
    struct Shape: Sendable, CustomTestStringConvertible {
        let sizes: [Int]
        var isLengthKnown: Bool
        var testDescription: String { "blocks of \(sizes), \(isLengthKnown ? "with" : "without") a length" }
        var blocks: [[UInt8]] { sizes.enumerated().map { CurlBytesTests.content($1, seed: $0) } }
    }

    static let shapes = [[], [0], [1], [3, 0, 4], [65_535, 65_536, 65_537], [300_000, 1, 2_000_000], [256 << 10]]
        .flatMap { sizes in [true, false].map { Shape(sizes: sizes, isLengthKnown: $0) } }

    @Test(arguments: shapes)
    func `A streamed body arrives whole, in chunks where no length is known`(shape: Shape) async throws {
        let server = try ScriptedServer { connection, request in connection.reply(request.body) }
        let blocks = shape.blocks
        let whole = blocks.flatMap { $0 }
        try await withClient { client in
            for isStream in [false, true] {
                let pulled = PulledBlocks { $0 < blocks.count ? blocks[$0] : nil }
                let body = CurlRequestBody.stream(length: shape.isLengthKnown ? whole.count : nil, pulled)
                let request = try HTTPRequest(.put, url: server.url)
                if isStream {
                    let reply = try await client.stream(request, body: body)
                    let received = try await reply.body.collect(upTo: whole.count)
                    #expect(received == whole)
                } else {
                    let isSame = try await client.send(request, body: body).body == whole
                    #expect(isSame)
                }
                // With a length of 0 nothing is pulled.
                let isNothing = shape.isLengthKnown && whole.isEmpty
                #expect(pulled.pulls.value == (isNothing ? 0 : blocks.count + 1))
            }
        }
        let head = try #require(server.log.requests.first?.head)
        #expect(head.hasPrefix("PUT / HTTP/1.1\r\n"))
        #expect(head.contains("Transfer-Encoding: chunked\r\n") == !shape.isLengthKnown)
        #expect(head.contains("Content-Length: \(whole.count)\r\n") == shape.isLengthKnown)
        #expect(!head.contains("Expect") && !head.contains("Content-Type"))
        #expect(server.log.accepted == 1, "the connection is kept")
    }

    @Test func `A file is sent as it is, and can be sent again`() async throws {
        let server = try ScriptedServer { connection, request in connection.reply(request.body) }
        let content = (0..<1_000_003).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let file = try TemporaryFile(content)
        try await withClient { client in
            for _ in 0..<2 {
                let reply = try await client.send(HTTPRequest(.post, url: server.url), body: .file(file.path))
                let isSame = reply.body.elementsEqual(content)
                #expect(isSame)
            }
        }
        let head = try #require(server.log.requests.last?.head)
        #expect(head.hasPrefix("POST / HTTP/1.1\r\n") && head.contains("Content-Length: 1000003\r\n"))
    }

    @Test(arguments: ["/nowhere/file", "/tmp", "/dev/zero"])
    func `An unreadable file is refused before anything is sent`(path: String) async throws {
        let server = try ScriptedServer { connection, _ in connection.reply([]) }
        try await withClient { client in
            let error = try await curlError {
                try await client.send(HTTPRequest(.post, url: server.url), body: .file(path))
            }
            #expect(error.code == .invalidRequest && error.wasSent == false)
            #expect(!error.description.contains(path))
        }
        #expect(server.log.accepted == 0)
    }

    static let wrongLengths: [(length: Int, sizes: [Int])] = [
        (10, []), (10, [9]), (10, [4, 5]), (10, [11]), (10, [5, 6]), (10, [10, 1]), (1_000_000, [999_999]),
        (1_000_000, [1_000_000, 1]), (1_000_000, [1_000_001]),
    ]

    @Test(arguments: wrongLengths)
    func `A body that is not as long as announced ends the request`(length: Int, sizes: [Int]) async throws {
        let server = try ScriptedServer { connection, _ in connection.reply([]) }
        try await withClient { client in
            let blocks = PulledBlocks { $0 < sizes.count ? Array(repeating: 1, count: sizes[$0]) : nil }
            let error = try await curlError {
                try await client.send(HTTPRequest(.put, url: server.url), body: .stream(length: length, blocks))
            }
            #expect(error.code == .requestBody, "\(error)")
            #expect(error.wasSent == true)
            #expect(!error.isRetryable)
        }
        #expect(server.log.requests.isEmpty, "never a whole request")
    }

    @Test func `A length below zero is refused`() async throws {
        let server = try ScriptedServer { connection, _ in connection.reply([]) }
        try await withClient { client in
            let body = CurlRequestBody.stream(length: -1, PulledBlocks { _ in nil })
            let error = try await curlError { try await client.send(HTTPRequest(.put, url: server.url), body: body) }
            #expect(error.code == .invalidRequest && error.wasSent == false)
        }
        #expect(server.log.accepted == 0)
    }

    struct Broken: Error, Equatable { let index: Int }

    @Test(arguments: [0, 1, 2], [nil, 1_000_000])
    func `An error of the sequence reaches the caller`(index: Int, length: Int?) async throws {
        let server = try ScriptedServer { connection, _ in connection.reply([]) }
        try await withClient { client in
            for isStream in [false, true] {
                let blocks = PulledBlocks { if $0 == index { throw Broken(index: $0) } else { [1, 2, 3] } }
                let request = try HTTPRequest(.put, url: server.url)
                let body = CurlRequestBody.stream(length: length, blocks)
                await #expect(throws: Broken(index: index)) {
                    if isStream {
                        _ = try await client.stream(request, body: body)
                    } else {
                        _ = try await client.send(request, body: body)
                    }
                }
            }
            await server.until { $0.closedByClient == 2 }
        }
        #expect(server.log.requests.isEmpty)
    }

    @Test func `A body that can be sent once is not sent again on a lost connection, key or not`() async throws {
        let server = try ScriptedServer { connection, request in
            if request.path == "/first" { connection.reply([]) } else { connection.end() }
        }
        try await withClient { client in
            _ = try await client.send(HTTPRequest(.get, url: "\(server.url)/first"))
            var request = try HTTPRequest(.put, url: "\(server.url)/second")
            request.headerFields[try #require(HTTPField.Name("Idempotency-Key"))] = "key-1"
            let blocks = PulledBlocks { $0 == 0 ? [1, 2, 3] : nil }
            let error = try await curlError { try await client.send(request, body: .stream(blocks)) }
            #expect(error.code == .connectionLost, "\(error)")
            #expect(error.wasSent == true)
        }
        #expect(server.log.requests.map(\.path) == ["/first", "/second"])
    }

    /// libcurl sends a request again only on a new connection, so it first has to rewind the body.
    @Test(
        arguments: ["bytes", "file"],
        [(0, true), (1, true), (300_000, true), (500_000, true), (1, false), (300_000, false)]
    )
    func `A body with a key is sent again from its beginning, however much of it a lost connection took`(
        kind: String,
        how: (taken: Int, reads: Bool)
    ) async throws {
        let content = (0..<500_000).map { UInt8(truncatingIfNeeded: $0 &* 13) }
        let file = try TemporaryFile(content)
        let isKept = Count()
        let server = try ScriptedServer(connection: { connection in
            guard isKept.add() == 1 else { return connection.serve { $0.reply($1.body) } }
            guard connection.readHead() != nil else { return }
            connection.reply([])
            guard connection.readHead() != nil, connection.read(how.taken) != nil else { return }
            // Otherwise with a reset, which libcurl may find while it sends.
            guard how.reads else { return connection.reset() }
            connection.endSending()
            connection.waitForClientToClose()
        })
        try await withClient { client in
            _ = try await client.send(HTTPRequest(.get, url: server.url))
            var request = try HTTPRequest(.put, url: server.url)
            let body: CurlRequestBody = kind == "file" ? .file(file.path) : .bytes(content)
            let key = try #require(HTTPField.Name("Idempotency-Key"))
            request.headerFields[key] = "key-1"
            let reply = try await client.send(request, body: body)
            let isSame = reply.body.elementsEqual(content)
            #expect(isSame)
        }
        #expect(server.log.accepted == 2)
    }
}
#endif
