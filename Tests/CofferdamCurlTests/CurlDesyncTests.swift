#if Curl
import CofferdamCurl
import HTTPTypes
import Testing

/// The client never takes unsolicited bytes from a server for a reply, on any connection.
@Suite(.timeLimit(.minutes(5)))
struct CurlDesyncTests {
    static let poison = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison"

    /// A reply that ends within the bytes that the server sends at once.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var method = HTTPRequest.Method.get
        let first: String
        let rest: String
    }

    static let chunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    static let cases = [
        Case(
            testDescription: "a length",
            first: "HTTP/1.1 200 OK\r\nContent-Length: 16000\r\n\r\n" + String(repeating: "a", count: 10_000),
            rest: String(repeating: "a", count: 6000)
        ),
        Case(testDescription: "chunks", first: chunkedHead + "5\r\nhello\r\n", rest: "0\r\n\r\n"),
        Case(testDescription: "no body", first: "HTTP/1.1 204 No\r\n", rest: "\r\n"),
        Case(
            testDescription: "no body of HEAD",
            method: .head,
            first: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n",
            rest: "\r\n"
        ),
    ]

    enum Wire: Sendable, CaseIterable { case tcp, unix, tls12, tls13 }

    @Test(arguments: cases, Wire.allCases)
    func `A second reply that comes with the first is not the next request's`(_ wrong: Case, _ wire: Wire) async throws
    {
        guard wire == .tcp || wire == .unix || TLSContext.isAvailable else { return }
        for isStream in [false, true] {
            try await withServer(wire) { connection, request in
                guard request.path == "/first" else { return connection.reply(Array("clean".utf8)) }
                connection.send(wrong.first)
                connection.send(wrong.rest + Self.poison)
            } _: { client, url in
                let first = try HTTPRequest(wrong.method, url: "\(url)/first")
                if isStream {
                    _ = try await client.stream(first).body.collect(upTo: 16_000)
                } else {
                    _ = try await client.send(first)
                }
                for _ in 0..<2 {
                    let next = try await client.send(HTTPRequest(.post, url: "\(url)/next"))
                    #expect(Array(next.body) == Array("clean".utf8), "as a stream: \(isStream)")
                }
            }
        }
    }

    @Test(arguments: cases)
    func `A connection is not kept when more came than the reply`(_ wrong: Case) async throws {
        let server = try ScriptedServer { connection, _ in connection.send(wrong.first + wrong.rest + "x") }
        try await withClient { client in
            for _ in 0..<3 { _ = try await client.send(HTTPRequest(wrong.method, url: server.url)) }
        }
        #expect(server.log.accepted == 3)
    }

    @Test(arguments: ["Content-Length: 1", "Transfer-Encoding: chunked"])
    func `A connection is not kept after a reply that announces a body where none can be`(framing: String) async throws
    {
        let server = try ScriptedServer { connection, _ in connection.send("HTTP/1.1 204 No\r\n\(framing)\r\n\r\n") }
        try await withClient { client in
            for _ in 0..<2 { _ = try await client.send(HTTPRequest(.get, url: server.url)) }
        }
        #expect(server.log.accepted == 2)
    }

    @Test(arguments: cases, Wire.allCases)
    func `A connection is kept when no more came`(_ right: Case, _ wire: Wire) async throws {
        guard wire == .tcp || wire == .unix || TLSContext.isAvailable else { return }
        let connections = Count()
        try await withServer(wire, connections) { connection, _ in
            connection.send(right.first + right.rest)
        } _: { client, url in
            for _ in 0..<5 { _ = try await client.send(HTTPRequest(right.method, url: url)) }
        }
        #expect(connections.value == 1)
    }

    @Test func `A second reply that comes later on a Unix socket is not the next request's`() async throws {
        let hasFirst = Gate()
        let folder = try TestFolder()
        let path = "\(folder.path)/socket"
        let first = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"
        let server = try ScriptedServer(unixSocket: path) {
            $0.serve { connection, request in
                guard request.path == "/first" else { return connection.reply(Array("clean".utf8)) }
                connection.send(first)
                hasFirst.block()
                connection.send(Self.poison)
            }
        }
        try await withClient(.defaults { $0.unixSocket = path }) { client in
            let url = "http://origin.invalid"
            let asked = try await client.stream(HTTPRequest(.get, url: "\(url)/asked"))
            _ = try await client.send(HTTPRequest(.get, url: "\(url)/first"))
            // Another connection is idle too.
            _ = try await asked.body.collect(upTo: 10)
            hasFirst.open()
            let sent = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nclean".utf8.count + first.utf8.count
            await server.until { $0.bytesWritten == sent + Self.poison.utf8.count }
            for method in [HTTPRequest.Method.get, .post] {
                let reply = try await client.send(HTTPRequest(method, url: "\(url)/next"))
                #expect(Array(reply.body) == Array("clean".utf8))
            }
        }
    }

    // MARK: Before the request

    @Test func `A reply that precedes the request is refused, and nothing was sent`() async throws {
        // Through a proxy that accepts and sends more, so that the bytes are there with the connection.
        let server = try ScriptedServer(connection: { connection in
            guard connection.read(3) != nil else { return }
            connection.send([5, 0])
            guard let head = connection.read(5), connection.read(Int(head[4]) + 2) != nil else { return }
            connection.send([5, 0, 0, 1, 127, 0, 0, 1, 0, 80] + Array(Self.poison.utf8))
            connection.waitForClientToClose()
        })
        let port = Int(server.port)
        try await withClient(.defaults { $0.proxy = CurlProxy(.socks5, host: "127.0.0.1", port: port) }) { client in
            for isStream in [false, true] {
                let request = try HTTPRequest(.get, url: "http://origin.invalid/")
                let error = try await curlError {
                    if isStream { _ = try await client.stream(request) } else { _ = try await client.send(request) }
                }
                #expect(error.code == .protocol && error.wasSent == false && !error.isRetryable, "\(error)")
            }
        }
    }

    @Test func `A connection that ends before the request counts as lost`() async throws {
        let server = try ScriptedServer(connection: { connection in
            guard connection.read(3) != nil else { return }
            connection.send([5, 0])
            guard let head = connection.read(5), connection.read(Int(head[4]) + 2) != nil else { return }
            connection.send([5, 0, 0, 1, 127, 0, 0, 1, 0, 80])
            connection.end()
        })
        let port = Int(server.port)
        try await withClient(.defaults { $0.proxy = CurlProxy(.socks5, host: "127.0.0.1", port: port) }) { client in
            let error = try await curlError {
                try await client.send(HTTPRequest(.get, url: "http://origin.invalid/"))
            }
            #expect([.connectionLost, .connect].contains(error.code), "\(error)")
        }
    }

    /// - Parameter connections: counts the clients' connections.
    private func withServer(
        _ wire: Wire,
        _ connections: Count = Count(),
        _ script: @escaping ScriptedServer.Script,
        _ body: (CurlClient, String) async throws -> Void
    ) async throws {
        switch wire {
        case .tcp:
            let server = try ScriptedServer(connection: {
                connections.add()
                $0.serve(script)
            })
            try await withClient { try await body($0, server.url) }
        case .unix:
            let folder = try TestFolder()
            let path = "\(folder.path)/socket"
            let server = try ScriptedServer(unixSocket: path) {
                connections.add()
                $0.serve(script)
            }
            defer { withExtendedLifetime(server) {} }
            try await withClient(.defaults { $0.unixSocket = path }) { try await body($0, "http://origin.invalid") }
        case .tls12, .tls13:
            let server = try TLSScriptedServer(wire == .tls12 ? .tls12 : .tls13) {
                connections.add()
                $0.serve(script)
            }
            try await withClient(server.configuration) { try await body($0, server.url) }
        }
    }
}

@Suite(.timeLimit(.minutes(5)), .enabled(if: TLSContext.isAvailable))
struct CurlEarlyReplyTests {
    /// Holds back the server's bytes from its last handshake message until the first bytes after it are there.
    @Test func `A reply over TLS that precedes the request is refused`() async throws {
        let server = try TLSScriptedServer(.tls12) { connection in
            connection.send(CurlDesyncTests.poison)
            connection.waitForClientToClose()
        }
        let port = server.port
        let relay = try ScriptedServer(connection: { connection in
            var records: [UInt8] = []
            connection.relay(
                to: port,
                answers: { bytes in
                    records += bytes
                    let (kinds, isWhole) = Self.kinds(in: records)
                    // 20 begins the end of the handshake, and 23 begins what follows it.
                    guard isWhole, kinds.contains(20) == kinds.contains(23) else { return [] }
                    defer { records = [] }
                    return records
                }
            )
        })
        try await withClient(server.configuration) { client in
            let error = try await curlError {
                try await client.send(HTTPRequest(.get, url: "https://127.0.0.1:\(relay.port)/"))
            }
            #expect(error.code == .protocol && !error.isRetryable, "\(error)")
        }
    }

    private static func kinds(in records: [UInt8]) -> (Set<UInt8>, isWhole: Bool) {
        var kinds: Set<UInt8> = []
        var start = 0
        while start + 5 <= records.count {
            kinds.insert(records[start])
            start += 5 + Int(records[start + 3]) << 8 + Int(records[start + 4])
        }
        return (kinds, start == records.count)
    }
}
#endif
