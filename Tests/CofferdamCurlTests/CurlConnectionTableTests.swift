import CofferdamCurl
import HTTPTypes
import Testing

/// What a server may do on a connection, for each method and body: each cell ends with the reply, or with an error that
/// says whether the request was sent. HTTP/2's own ways are in `CurlHTTP2FailureTests`.
@Suite(.timeLimit(.minutes(5)))
struct CurlConnectionTableTests {
    /// What the server does with the second request on a connection, or with the first of a new one.
    enum Act: String, CaseIterable, Sendable {
        case closesIdle, resetsIdle, closesUnanswered, resetsUnanswered, closesInHead, closesInBody, resetsInBody
        case halfClosesInBody, answersAndCloses, answersAndHalfCloses, answersAndResets

        /// Whether it happens to a connection that was used before.
        var isOnReused: Bool { self == .closesIdle || self == .resetsIdle }

        func perform(on connection: ServerConnection) {
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"
            switch self {
            case .closesIdle, .closesUnanswered: connection.end()
            case .resetsIdle, .resetsUnanswered: connection.reset()
            case .closesInHead:
                connection.send("HTTP/1.1 200 OK\r\nContent-Le")
                connection.end()
            case .closesInBody, .resetsInBody, .halfClosesInBody:
                connection.send(answer + "ab")
                if self == .closesInBody { connection.end() }
                // After the client has read: a reset may discard what was sent.
                if self == .resetsInBody { connection.reset() }
                if self == .halfClosesInBody {
                    connection.endSending()
                    connection.waitForClientToClose()
                }
            case .answersAndCloses, .answersAndHalfCloses, .answersAndResets:
                connection.send(answer + "done")
                if self == .answersAndCloses { connection.end() }
                if self == .answersAndHalfCloses { connection.endSending() }
                if self == .answersAndResets { connection.reset() }
            }
        }

        /// The codes that the request may end with; empty for a reply.
        func codes(isSentAgain: Bool) -> Set<CurlError.Code> {
            switch self {
            case .closesIdle, .resetsIdle: isSentAgain ? [] : [.connectionLost]
            case .closesUnanswered, .resetsUnanswered: [.connectionLost]
            // libcurl counts the bytes of a head that was cut as none.
            case .closesInHead: [.connectionLost, .truncated, .protocol]
            case .closesInBody, .halfClosesInBody: [.truncated]
            case .resetsInBody: [.truncated, .connectionLost]
            case .answersAndCloses, .answersAndHalfCloses, .answersAndResets: []
            }
        }
    }

    enum Body: String, CaseIterable, Sendable {
        case none, bytes, stream

        var content: CurlRequestBody {
            switch self {
            case .none: .empty
            case .bytes: .bytes(Array("twelve bytes".utf8))
            case .stream: .stream(length: 12, PulledBlocks { $0 == 0 ? Array("twelve bytes".utf8) : nil })
            }
        }
    }

    @Test(arguments: Act.allCases, Body.allCases)
    func `each act of the server has one outcome for each method and body`(act: Act, body: Body) async throws {
        for method in [HTTPRequest.Method.get, .put, .post, .delete] {
            let server = try ScriptedServer { connection, request in
                let isFirst = connection.requestCount == 1
                // The request that is sent again finds a server that answers.
                let isOver = act.isOnReused && isFirst
                if isOver { connection.reply(Array("done".utf8)) } else { act.perform(on: connection) }
            }
            try await withClient { client in
                if act.isOnReused { _ = try await client.send(HTTPRequest(.get, url: server.url)) }
                let isSentAgain = method == .get && body != .stream
                let codes = act.codes(isSentAgain: isSentAgain)
                let name = "\(act) \(method) \(body)"
                do {
                    let reply = try await client.send(HTTPRequest(method, url: server.url), body: body.content)
                    #expect(codes.isEmpty, "\(name): \(reply.head.status)")
                    #expect(String(decoding: reply.body, as: UTF8.self) == "done", "\(name)")
                } catch let error as CurlError {
                    #expect(codes.contains(error.code), "\(name): \(error)")
                    #expect(error.wasSent == true, "\(name): \(error)")
                }
                let expected = act.isOnReused ? isSentAgain ? 3 : 2 : 1
                #expect(server.log.requests.count == expected, "\(name)")
            }
        }
    }
}
