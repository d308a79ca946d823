#if Curl
import CofferdamCurl
import HTTPTypes
import Testing

/// What a server may do on a connection, for each method, body and protocol: each cell ends with the reply, or with an
/// error that says whether the request was sent.
@Suite(.timeLimit(.minutes(5)))
struct CurlConnectionTableTests {
    /// What the server does with the second request on a connection, or with the first of a new one.
    enum Act: String, CaseIterable, Sendable {
        case closesIdle, resetsIdle, closesUnanswered, resetsUnanswered, closesInHead, closesInBody, resetsInBody
        case halfClosesInBody, answersAndCloses, answersAndHalfCloses, answersAndResets

        /// Whether it happens to a connection that was used before.
        var isOnReused: Bool { self == .closesIdle || self == .resetsIdle }

        func perform(on call: ServedCall) {
            switch self {
            case .closesIdle, .resetsIdle, .closesUnanswered, .resetsUnanswered: break
            case .closesInHead: call.sendPartOfHead()
            case .closesInBody, .resetsInBody, .halfClosesInBody: call.sendPartOfBody()
            case .answersAndCloses, .answersAndHalfCloses, .answersAndResets: call.answer()
            }
            switch self {
            case .closesIdle, .closesUnanswered, .closesInHead, .closesInBody, .answersAndCloses: call.connection.end()
            // The client may not have read what was sent: a reset may discard it.
            case .resetsIdle, .resetsUnanswered, .resetsInBody, .answersAndResets: call.connection.reset()
            case .halfClosesInBody, .answersAndHalfCloses:
                call.connection.endSending()
                call.connection.waitForClientToClose()
            }
        }

        /// The codes that the request may end with; nil for the reply.
        func outcomes(isSentAgain: Bool, _ wire: Wire) -> Set<CurlError.Code?> {
            switch self {
            case .closesIdle, .resetsIdle: isSentAgain ? [nil] : [.connectionLost]
            case .closesUnanswered, .resetsUnanswered, .closesInHead: [.connectionLost]
            case .closesInBody, .halfClosesInBody: [.truncated]
            case .resetsInBody: [.truncated, .connectionLost]
            case .answersAndCloses, .answersAndHalfCloses: [nil]
            // libcurl acknowledges the server's settings before it reads on, which fails after a reset.
            case .answersAndResets: wire == .http2 ? [nil, .connectionLost] : [nil]
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

    enum Wire: String, CaseIterable, Sendable {
        /// HTTP/1.1, the last two over TLS: with a notice of the end of what is sent, and without.
        case plain, tls, tlsWithoutNotice
        /// Over TLS.
        case http2

        static var available: [Wire] { TLSContext.isAvailable ? allCases : [.plain] }

        func context(_ authority: TestAuthority?) throws -> TLSContext? {
            try authority.map {
                try TLSContext(
                    $0.issue(),
                    alpn: [self == .http2 ? "h2" : "http/1.1"],
                    announcesEnd: self != .tlsWithoutNotice
                )
            }
        }
    }

    @Test(arguments: Act.allCases, Wire.available)
    func `each act of the server has one outcome for each method, body and protocol`(act: Act, wire: Wire) async throws
    {
        // Its files are gone with it.
        let authority = wire == .plain ? nil : try TestAuthority()
        defer { withExtendedLifetime(authority) {} }
        let context = try wire.context(authority)
        let configuration = CurlConfiguration.defaults {
            if let authority { $0.tls.authorities = .file(authority.certificate) }
        }
        for body in Body.allCases {
            for method in [HTTPRequest.Method.get, .put, .post, .delete] {
                let server = try ScriptedServer(tls: context) { connection in
                    ServedCall.serve(connection, isHTTP2: wire == .http2) { call in
                        // The request that is sent again finds a server that answers.
                        let isOver = act.isOnReused && call.connection.requestCount == 1
                        if isOver { call.answer() } else { act.perform(on: call) }
                    }
                }
                let name = "\(method) \(body)"
                let isSentAgain = method == .get && body != .stream
                let outcomes = act.outcomes(isSentAgain: isSentAgain, wire)
                try await withClient(configuration) { client in
                    if act.isOnReused { _ = try await client.send(HTTPRequest(.get, url: server.url)) }
                    do {
                        let reply = try await client.send(HTTPRequest(method, url: server.url), body: body.content)
                        #expect(outcomes.contains(nil), "\(name): \(reply.head.status)")
                        #expect(String(decoding: reply.body, as: UTF8.self) == "done", "\(name)")
                        #expect(reply.httpVersion == (wire == .http2 ? "2" : "1.1"))
                    } catch let error as CurlError {
                        #expect(outcomes.contains(error.code), "\(name): \(error)")
                        #expect(error.wasSent == true, "\(name): \(error)")
                    }
                }
                let expected = act.isOnReused ? isSentAgain ? 3 : 2 : 1
                #expect(server.log.requests.count == expected, "\(name)")
            }
        }
    }
}

/// A request that a server has read, in HTTP/1.1 or HTTP/2, and the parts of its answer.
struct ServedCall {
    let connection: ServerConnection
    /// Nil in HTTP/1.1.
    private let stream: (of: HTTP2ServerConnection, id: UInt32)?

    /// Serves the requests of a connection, until one side ends it.
    static func serve(_ connection: ServerConnection, isHTTP2: Bool, _ script: @escaping @Sendable (ServedCall) -> Void)
    {
        guard isHTTP2 else {
            return connection.serve { connection, _ in script(ServedCall(connection: connection, stream: nil)) }
        }
        let http2 = HTTP2ServerConnection(connection)
        while !connection.isResetting, let frame = http2.next() {
            guard frame.endsStream else { continue }
            connection.note(ServerRequest(head: "", body: []))
            script(ServedCall(connection: connection, stream: (http2, frame.stream)))
        }
    }

    private typealias Frame = HTTP2ServerConnection.Frame
    private static let head = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"

    func sendPartOfHead() {
        guard let stream else { return _ = connection.send(String(Self.head.dropLast(2))) }
        stream.of.send(Frame(.headers, stream: stream.id, HTTP2ServerConnection.ok))
    }

    func sendPartOfBody() { send("ab", isWhole: false) }

    func answer() { send("done", isWhole: true) }

    private func send(_ body: String, isWhole: Bool) {
        guard let stream else { return _ = connection.send(Self.head + body) }
        let head = HTTP2ServerConnection.ok + HTTP2ServerConnection.field("content-length", "4")
        // At once, as in HTTP/1.1.
        stream.of.together {
            stream.of.send(Frame(.headers, flags: 4, stream: stream.id, head))
            stream.of.send(Frame(.data, flags: isWhole ? 1 : 0, stream: stream.id, Array(body.utf8)))
        }
    }
}
#endif
