#if Curl
import HTTPTypes
import Testing

@testable import CofferdamCurl

/// What a server may do before it has read a request's body.
@Suite(.timeLimit(.minutes(5)))
struct CurlEarlyAnswerTests {
    enum Body: String, CaseIterable, Sendable {
        case bytes, file, streamWithLength, streamInChunks

        func request(_ size: Int) throws -> (body: CurlRequestBody, file: TemporaryFile?) {
            let content = [UInt8](repeating: 7, count: size)
            let block = Array(content.prefix(65_536))
            let blocks = PulledBlocks { $0 * 65_536 < size ? Array(block.prefix(size - $0 * 65_536)) : nil }
            switch self {
            case .bytes: return (.bytes(content), nil)
            case .file:
                let file = try TemporaryFile(content)
                return (.file(file.path), file)
            case .streamWithLength: return (.stream(length: size, blocks), nil)
            case .streamInChunks: return (.stream(blocks), nil)
            }
        }
    }

    /// From what a first packet holds to more than the buffers of both sockets hold.
    static let sizes = [1_000, 100_000, 3_000_000, 20_000_000]

    @Test(arguments: Body.allCases)
    func `An early answer is the answer, and its connection is not used again`(body: Body) async throws {
        for isReused in [false, true] {
            let server = try ScriptedServer(connection: { Self.answerEarly($0, isReused: isReused) })
            try await Self.expectAnswers(from: server.url, CurlConfiguration(), body, isReused: isReused)
        }
    }

    /// The reset can arrive between libcurl's look at the socket and its next write: in six of these eight cases
    /// before the answer was read from the closing connection.
    @Test(
        arguments: Body.allCases,
        ["Content-Length: 5\r\n\r\nearly", "Transfer-Encoding: chunked\r\n\r\n5\r\nearly\r\n0\r\n\r\n"]
    )
    func `An early answer is the answer, if the server closes without reading the rest`(body: Body, rest: String)
        async throws
    {
        for isReused in [false, true] {
            let turn = Count()
            let server = try ScriptedServer(connection: {
                // At another moment of the client's sending each time.
                Self.answerEarly(
                    $0,
                    isReused: isReused,
                    rest: rest,
                    reads: false,
                    after: (turn.add() * 7_919) % 300_000
                )
            })
            for _ in 0..<6 {
                try await Self.expectAnswers(from: server.url, CurlConfiguration(), body, isReused: isReused)
            }
        }
    }

    /// - Parameters:
    ///   - isReused: whether a connection's first request is answered in full.
    ///   - size: how much of the body it reads before it answers: at most half of it.
    ///   - reads: whether the server reads what the client sends after the answer; if not, it resets the connection.
    private static func answerEarly(
        _ connection: ServerConnection,
        isReused: Bool,
        rest: String = "Content-Length: 5\r\n\r\nearly",
        reads: Bool = true,
        after size: Int = 0
    ) {
        if isReused {
            guard connection.readHead() != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
        guard let head = connection.readHead() else { return }
        let announced = head.firstMatch(of: /Content-Length: (\d+)/).flatMap { Int($0.1) } ?? 1_000
        _ = connection.read(min(size, announced / 2))
        connection.send("HTTP/1.1 413 No\r\nConnection: close\r\n\(rest)")
        guard reads else { return }
        // Only its own direction: what a reset does to an answer is up to the order of packets.
        connection.endSending()
        connection.waitForClientToClose()
    }

    private static func expectAnswers(
        from url: String,
        _ configuration: CurlConfiguration,
        _ body: Body,
        isReused: Bool
    ) async throws {
        try await withClient(configuration) { client in
            for method in [HTTPRequest.Method.post, .put] {
                for size in Self.sizes {
                    if isReused { _ = try await client.send(HTTPRequest(.get, url: url)) }
                    let (content, file) = try body.request(size)
                    let reply = try await client.send(HTTPRequest(method, url: url), body: content)
                    withExtendedLifetime(file) {}
                    #expect(reply.head.status.code == 413, "\(method) of \(size)")
                    #expect(String(decoding: reply.body, as: UTF8.self) == "early")
                }
            }
        }
    }

    @Test(
        arguments: [
            ("HTTP/1.1 413 No\r\nContent-Length: 2\r\n\r\nabc", "413 ab"), ("HTTP/1.1 413 No\r\n\r\nabc", "413 abc"),
            ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n", "401 "),
            ("HTTP/1.1 413 No\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nab\r\n1\r\nc\r\n0\r\n\r\n", "413 abc"),
            ("HTTP/1.1 413 No\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n", nil),
            ("HTTP/1.1 413 No\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n", nil),
            ("HTTP/1.1 413 No\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n\r\n", nil),
            ("HTTP/1.1 413 No\r\nTransfer-Encoding: chunked\r\n\r\nfffffffff\r\nab\r\n", nil),
            ("HTTP/1.1 413 No\r\nContent-Length: 4\r\n\r\nabc", nil), ("HTTP/1.1 413 No\r\nContent-Le", nil),
            ("HTTP/1.1 100 Continue\r\n\r\n", nil), ("SSH-2.0-x\r\n\r\n", nil), ("", nil),
            ("HTTP/1.1 413 No\r\nContent-Length: x\r\n\r\n", nil),
            ("HTTP/1.1 413 No\r\nX: \(String(repeating: "x", count: 9_000))\r\n\r\n", nil),
        ] as [(String, String?)]
    )
    func `An answer is taken from a closing connection in full, or not at all`(bytes: String, expected: String?) {
        let words = LastWords(Array(bytes.utf8), maximumHeadSize: 8_192)
        let read = words.map { "\($0.reply.status) \(String(decoding: $0.body, as: UTF8.self))" }
        #expect(read == expected)
    }
}
#endif
