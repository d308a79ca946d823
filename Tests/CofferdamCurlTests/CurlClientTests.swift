#if Curl
import CofferdamCurl
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CurlClientTests {
    @Test func `Sends method, target, headers and body as they are`() async throws {
        let server = try ScriptedServer { connection, _ in
            connection.send("HTTP/1.1 201 Made\r\nContent-Length: 2\r\nX-A: 1\r\nX-A: 2\r\n\r\nok")
        }
        try await withClient { client in
            let request = try HTTPRequest(
                .post,
                url: "\(server.url)/a/../b?q=1%202#part",
                headerFields: [.contentType: "text/plain", .accept: "text/html"]
            )
            let reply = try await client.send(request, body: .bytes(Array("hello".utf8)))
            #expect(reply.head.status.code == 201)
            #expect(reply.head.status.reasonPhrase == "Made")
            #expect(reply.head.headerFields[values: try #require(HTTPField.Name("X-A"))] == ["1", "2"])
            #expect(Array(reply.body) == Array("ok".utf8))
        }
        let request = try #require(server.log.requests.first)
        #expect(request.head.hasPrefix("POST /a/../b?q=1%202 HTTP/1.1\r\n"))
        #expect(request.head.contains("Host: 127.0.0.1:\(server.port)\r\n"))
        #expect(request.head.contains("Content-Type: text/plain\r\n"))
        #expect(request.head.contains("User-Agent: cofferdam\r\n"))
        #expect(request.body == Array("hello".utf8))
    }

    @Test func `Sends the user agent of the request, of the client, or none`() async throws {
        let server = try ScriptedServer { connection, _ in connection.send("HTTP/1.1 204 No Content\r\n\r\n") }
        let agent = try #require(HTTPField.Name("User-Agent"))
        for configured in ["of-the-client/1", "", nil] {
            try await withClient(.defaults { $0.userAgent = configured }) { client in
                _ = try await client.send(HTTPRequest(.get, url: server.url))
                _ = try await client.send(HTTPRequest(.get, url: server.url, headerFields: [agent: "own"]))
            }
        }
        let sent = server.log.requests.map { request in
            request.head.split(separator: "\r\n").filter { $0.hasPrefix("User-Agent") }.map(String.init)
        }
        let own = ["User-Agent: own"]
        #expect(sent == [["User-Agent: of-the-client/1"], own, [], own, [], own])
    }

    @Test(arguments: [
        (HTTPRequest.Method.get, "", nil), (.delete, "", nil), (.post, "", "0"), (.put, "", "0"), (.patch, "x", "1"),
        (.delete, "x", "1"), (.get, "x", "1"),
    ])
    func `Announces a body if there is one, or should be`(
        method: HTTPRequest.Method,
        body: String,
        length: String?
    ) async throws {
        let server = try ScriptedServer { connection, _ in connection.send("HTTP/1.1 204 No Content\r\n\r\n") }
        try await withClient { client in
            // An earlier request on the same handle must leave nothing behind.
            _ = try await client.send(HTTPRequest(.post, url: server.url), body: .bytes(Array("before".utf8)))
            _ = try await client.send(HTTPRequest(method, url: server.url), body: .bytes(Array(body.utf8)))
        }
        let request = try #require(server.log.requests.last)
        #expect(request.head.hasPrefix("\(method.rawValue) / "))
        #expect(request.head.contains("Content-Length") == (length != nil))
        if let length { #expect(request.head.contains("Content-Length: \(length)\r\n")) }
        #expect(!request.head.contains("Content-Type"))
        #expect(request.body == Array(body.utf8))
    }

    @Test func `A HEAD has a length and no body, does not wait for one, and leaves no trace on its handle`()
        async throws
    {
        let server = try ScriptedServer { connection, request in
            guard request.head.hasPrefix("HEAD ") else { return connection.reply([1]) }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n")
        }
        try await withClient { client in
            let reply = try await client.send(HTTPRequest(.head, url: server.url))
            #expect(reply.head.headerFields[.contentLength] == "99999999999")
            #expect(reply.body.isEmpty)
            let next = try await client.send(HTTPRequest(.get, url: server.url))
            #expect(next.body == [1])
        }
    }

    @Test func `Connections and handles are reused`() async throws {
        let server = try ScriptedServer { connection, request in connection.reply(request.body) }
        try await withClient { client in
            for index in 0..<20 {
                let body = Array("body \(index)".utf8)
                let reply = try await client.send(HTTPRequest(.post, url: server.url), body: .bytes(body))
                #expect(Array(reply.body) == body)
            }
            #expect(await client.census() == LoopCensus(transfersInFlight: 0, idleHandles: 1))
        }
        #expect(server.log.accepted == 1)
    }

    @Test func `A thousand concurrent requests each get their own reply`() async throws {
        let server = try ScriptedServer { connection, request in connection.reply(Array(request.path.utf8)) }
        try await withClient { client in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for index in 0..<1000 {
                    group.addTask {
                        let reply = try await client.send(HTTPRequest(.get, url: "\(server.url)/\(index)"))
                        return Array(reply.body) == Array("/\(index)".utf8)
                    }
                }
                for try await isRight in group { #expect(isRight) }
            }
        }
        #expect(server.log.requests.count == 1000)
    }

    @Test func `A large body announces no Expect and arrives whole`() async throws {
        let server = try ScriptedServer { connection, request in connection.reply(request.body) }
        let body = (0..<3 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try await withClient { client in
            let reply = try await client.send(HTTPRequest(.put, url: server.url), body: .bytes(body))
            #expect(Array(reply.body) == body)
        }
        #expect(server.log.requests.first?.head.contains("Expect") == false)
    }

    @Test(arguments: [
        ("no content", "HTTP/1.1 204 No Content\r\n\r\n", 204, ""),
        (
            "chunks and trailers",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\nX-Sum: 5\r\n\r\n", 200,
            "abcde"
        ),
        (
            "an interim head", "HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
            200, "x"
        ),
        ("a redirect, not followed", "HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 0\r\n\r\n", 302, ""),
        ("an error of the server", "HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nwait", 503, "wait"),
    ])
    func `Reads a reply, at once and byte by byte`(
        name: String,
        text: String,
        status: Int,
        body: String
    ) async throws {
        let server = try ScriptedServer { connection, request in
            if request.path == "/slowly" {
                for byte in text.utf8 { connection.send([byte]) }
            } else {
                connection.send(text)
            }
        }
        try await withClient { client in
            for path in ["/", "/slowly"] {
                let reply = try await client.send(HTTPRequest(.get, url: server.url + path))
                #expect(reply.head.status.code == status)
                #expect(Array(reply.body) == Array(body.utf8))
                #expect(reply.head.headerFields[try #require(HTTPField.Name("X-Sum"))] == nil)
            }
        }
        #expect(server.log.requests.count == 2)
    }

    @Test func `No proxy from the environment is used`() async throws {
        // In its own process: all threads share the environment.
        await #expect(processExitsWith: .success) {
            setEnvironment("http_proxy", "http://127.0.0.1:9")
            let server = try ScriptedServer { connection, _ in connection.reply([]) }
            try await withClient { client in
                let reply = try await client.send(HTTPRequest(.get, url: server.url))
                #expect(reply.head.status == .ok)
            }
        }
    }
}
#endif
