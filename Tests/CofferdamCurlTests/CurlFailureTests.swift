#if Curl
import CofferdamCurl
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CurlFailureTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let code: CurlError.Code
        let script: ScriptedServer.Script
        var testDescription: String { name }
    }

    static let cases: [Case] = [
        Case(name: "a body cut short", code: .truncated) { connection, _ in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            connection.end()
        },
        Case(name: "chunks cut short", code: .truncated) { connection, _ in
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab")
            connection.end()
        },
        Case(name: "an end before any reply", code: .connectionLost) { connection, _ in connection.end() },
        Case(name: "a reset before any reply", code: .connectionLost) { connection, _ in connection.reset() },
        Case(name: "an end in a head", code: .connectionLost) { connection, _ in
            connection.send("HTTP/1.1 200 OK\r\nContent-Le")
            connection.end()
        },
        Case(name: "an end in a head, after its length", code: .connectionLost) { connection, _ in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n")
            connection.end()
        },
        Case(name: "an end after an interim head", code: .connectionLost) { connection, _ in
            connection.send("HTTP/1.1 103 Early\r\n\r\n")
            connection.end()
        },
        Case(name: "garbage", code: .protocol) { connection, _ in
            connection.send("this is no HTTP\r\n\r\n")
            connection.end()
        },
        Case(name: "a status that is none", code: .protocol) { connection, _ in
            connection.send("HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n")
            connection.end()
        },
        Case(name: "a header that is none", code: .protocol) { connection, _ in
            connection.send("HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 0\r\n\r\n")
            connection.end()
        },
        Case(name: "silence", code: .timeout) { connection, _ in connection.waitForClientToClose() },
        Case(name: "a head without end", code: .tooLarge) { connection, _ in
            connection.send("HTTP/1.1 200 OK\r\n")
            while connection.send("X-Filler: \(String(repeating: "x", count: 500))\r\n") {}
        },
        Case(name: "a body announced too large", code: .tooLarge) { connection, _ in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
            connection.waitForClientToClose()
        },
        Case(name: "a body without end", code: .tooLarge) { connection, _ in
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            while connection.send("4\r\nabcd\r\n") {}
        },
    ]

    @Test(arguments: cases)
    func `Each failure has its code, and the request may have been sent`(_ failing: Case) async throws {
        let server = try ScriptedServer(failing.script)
        let configuration = CurlConfiguration.defaults {
            $0.options.maximumBodySize = 1000
            $0.options.maximumHeadSize = 4000
            if failing.code == .timeout { $0.options.timeouts.whole = .milliseconds(200) }
        }
        try await withClient(configuration) { client in
            let request = try HTTPRequest(
                .post,
                url: "\(server.url)/private-path?token=private-query",
                headerFields: [.authorization: "Bearer private-token"]
            )
            let error = try await curlError { try await client.send(request, body: .bytes(Array("private-body".utf8))) }
            #expect(error.code == failing.code, "\(error)")
            #expect(error.wasSent == true)
            #expect(!error.description.contains("private"))
        }
        #expect(server.log.requests.count == 1, "sent once")
    }

    @Test(arguments: ["a head", "interim heads"])
    func `A head over libcurl's own limit is too large, and not retryable`(what: String) async throws {
        let lines = String(repeating: "X-Filler: \(String(repeating: "x", count: 1000))\r\n", count: 500)
        let server = try ScriptedServer { connection, _ in
            let status = what == "a head" ? "200 OK" : "103 Early"
            let text = "HTTP/1.1 \(status)\r\n\(lines)"
            connection.send("\(text)\r\n")
        }
        try await withClient(.defaults { $0.options.maximumHeadSize = 1 << 30 }) { client in
            let error = try await curlError { try await client.send(HTTPRequest(.get, url: server.url)) }
            #expect(error.code == .tooLarge && !error.isRetryable, "\(error)")
        }
    }

    @Test func `A body of unknown length for an HTTP/1.0 server is a protocol error`() async throws {
        let server = try ScriptedServer { connection, _ in
            connection.send("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n")
        }
        try await withClient { client in
            _ = try await client.send(HTTPRequest(.get, url: server.url))
            let body = CurlRequestBody.stream(AsyncStream<[UInt8]> { $0.finish() })
            let error = try await curlError { try await client.send(HTTPRequest(.post, url: server.url), body: body) }
            #expect(error.code == .protocol, "\(error)")
        }
    }

    @Test func `A refused connection was not sent, and may be retried`() async throws {
        let port = try ScriptedServer.unusedPort()
        try await withClient { client in
            let error = try await curlError {
                try await client.send(HTTPRequest(.post, url: "http://127.0.0.1:\(port)/"))
            }
            #expect(error.code == .connect)
            #expect(error.wasSent == false)
            #expect(error.isRetryable)
            #expect(error.curlCode == 7)
        }
    }

    @Test func `A name that does not resolve is a DNS failure`() async throws {
        try await withClient { client in
            let error = try await curlError {
                try await client.send(HTTPRequest(.get, url: "http://no-such-host.invalid/"))
            }
            #expect(error.code == .dns)
            #expect(error.wasSent == false)
        }
    }

    @Test func `A TLS greeting without an answer times out as connecting, and nothing was sent`() async throws {
        let server = try ScriptedServer { _, _ in }
        let request = try HTTPRequest(.get, url: "https://127.0.0.1:\(server.port)/")
        try await withClient(.defaults { $0.options.timeouts.connect = .milliseconds(200) }) { client in
            let error = try await curlError { try await client.send(request) }
            #expect(error.code == .timeout)
            #expect(error.wasSent == false)
        }
    }

    @Test(arguments: [nil, .seconds(60), .seconds(Int64.max)] as [Duration?])
    func `A request may take longer to connect than its client's others`(connect: Duration?) async throws {
        let server = try ScriptedServer { _, _ in }
        let request = try HTTPRequest(.get, url: "https://127.0.0.1:\(server.port)/")
        try await withClient(.defaults { $0.options.timeouts.connect = .milliseconds(50) }) { client in
            let options = client.options.with {
                $0.timeouts.connect = connect
                $0.timeouts.whole = .milliseconds(400)
            }
            let error = try await curlError { try await client.send(request, options: options) }
            #expect(error.timeout == .whole, "\(error)")
            #expect(error.wasSent == false)
            // The handle's next request has its own time again.
            let short = try await curlError { try await client.send(request) }
            #expect(short.timeout == .connect, "\(short)")
        }
    }

    @Test(arguments: [HTTPRequest.Method.post, .put, .delete], [nil, ""] as [String?])
    func `A request without a key lost on a reused connection is not sent again`(
        method: HTTPRequest.Method,
        key: String?
    ) async throws {
        let server = try ScriptedServer { connection, request in
            if request.path == "/first" { connection.reply([]) } else { connection.end() }
        }
        var request = try HTTPRequest(method, url: "\(server.url)/second")
        if let key { request.headerFields[try #require(HTTPField.Name("Idempotency-Key"))] = key }
        try await withClient { client in
            _ = try await client.send(HTTPRequest(.get, url: "\(server.url)/first"))
            let error = try await curlError { try await client.send(request) }
            #expect(error.code == .connectionLost)
            #expect(error.wasSent == true)
        }
        #expect(server.log.requests.map(\.path) == ["/first", "/second"])
    }

    @Test(arguments: [nil, "key-1"] as [String?])
    func `A GET, or one with an idempotency key, is sent again on a new connection`(key: String?) async throws {
        let server = try ScriptedServer { connection, request in
            if connection.requestCount == 2 { connection.end() } else { connection.reply(Array(request.path.utf8)) }
        }
        var request = try HTTPRequest(key == nil ? .get : .post, url: "\(server.url)/second")
        if let key { request.headerFields[try #require(HTTPField.Name("Idempotency-Key"))] = key }
        try await withClient { client in
            _ = try await client.send(HTTPRequest(.get, url: "\(server.url)/first"))
            let reply = try await client.send(request)
            #expect(Array(reply.body) == Array("/second".utf8))
        }
        #expect(server.log.requests.map(\.path) == ["/first", "/second", "/second"])
        #expect(server.log.accepted == 2)
    }
}
#endif
