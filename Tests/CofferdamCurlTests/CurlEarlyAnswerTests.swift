import CofferdamCurl
import HTTPTypes
import Testing

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

    /// - Parameter isReused: whether a connection's first request is answered in full.
    private static func answerEarly(_ connection: ServerConnection, isReused: Bool) {
        if isReused {
            guard connection.readHead() != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
        guard connection.readHead() != nil else { return }
        connection.send("HTTP/1.1 413 No\r\nContent-Length: 5\r\nConnection: close\r\n\r\nearly")
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
}
