#if Curl
import CofferdamCurl
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RequestRefusalTests {
    @Test(arguments: [
        "", "/relative", "example.org/x", "file:///etc/passwd", "gopher://h/", "ftp://h/x", "http://", "http:///x",
        "http://user:private@h/", "http://h\r\nX: y/", "http://h/\r\nX-Injected: y", "http://h/a b", "http://h/\u{0}",
        "http://h/é", "http://h\\@other/", "http://h /", "http://h/\u{7F}",
    ])
    func `A URL that is invalid, or holds more than a URL, is refused`(url: String) throws {
        let error = try #require(throws: CurlError.self) { try HTTPRequest(.get, url: url) }
        #expect(error.code == .invalidRequest)
        #expect(error.wasSent == false)
        #expect(!error.isRetryable)
        #expect(!error.description.contains("private"))
    }

    @Test(arguments: [
        ("http://h", "http", "h", "/"), ("HTTPS://H:1", "https", "H:1", "/"), ("http://h?a=b", "http", "h", "/?a=b"),
        ("http://[::1]:80/x?y#z", "http", "[::1]:80", "/x?y"), ("http://h/a://b", "http", "h", "/a://b"),
    ])
    func `A URL is split into its components`(url: String, scheme: String, authority: String, path: String) throws {
        let request = try HTTPRequest(.get, url: url)
        #expect(request.scheme == scheme)
        #expect(request.authority == authority)
        #expect(request.path == path)
    }

    @Test(arguments: [
        ("X-A", "1\r\nX-Injected: 2"), ("X-A", "1\nX-Injected: 2"), ("X-A", "1\rX"), ("X-A", "1\u{0}2"),
        ("X-A", "\u{7F}"),
        ("X-A\r\nX-Injected", "1"), ("X-A:", "1"), ("X A", "1"), ("", "1"), ("É", "1"), ("X-A\u{0}", "1"),
    ])
    func `A header that could begin another is refused`(name: String, value: String) throws {
        var wire: [UInt8] = []
        let error = try #require(throws: CurlError.self) {
            try HeaderLine.append(name: name, value: value.utf8, to: &wire)
        }
        #expect(error.code == .invalidRequest)
        #expect(!error.message.contains("Injected"))
    }

    @Test(arguments: [
        HTTPRequest(method: .get, scheme: "ftp", authority: "h", path: "/"),
        HTTPRequest(method: .get, scheme: nil, authority: "h", path: "/"),
        HTTPRequest(method: .get, scheme: "http", authority: nil, path: "/"),
        HTTPRequest(method: .get, scheme: "http", authority: "a:b@h", path: "/"),
        HTTPRequest(method: .get, scheme: "http", authority: "h/x", path: "/"),
        HTTPRequest(method: .get, scheme: "http", authority: "h", path: "x"),
        HTTPRequest(method: .get, scheme: "http", authority: "h", path: "/ HTTP/1.1\r\nX-Injected: y"),
        HTTPRequest(method: .connect, scheme: "http", authority: "h", path: "/"),
        HTTPRequest(method: .get, scheme: "http", authority: "h", path: "/", headerFields: [.contentLength: "5"]),
        HTTPRequest(
            method: .get,
            scheme: "http",
            authority: "h",
            path: "/",
            headerFields: [.transferEncoding: "chunked"]
        ),
        HTTPRequest(method: .get, scheme: "http", authority: "h", path: "/", headerFields: [.expect: "100-continue"]),
    ])
    func `A request that cannot be sent as it is is refused before sending`(request: HTTPRequest) async throws {
        try await withClient { client in
            for isStream in [false, true] {
                let error = try await curlError {
                    if isStream { _ = try await client.stream(request) } else { _ = try await client.send(request) }
                }
                #expect(error.code == .invalidRequest)
                #expect(error.wasSent == false)
            }
        }
    }

    @Test func `A user agent with a line end is refused`() async throws {
        try await withClient(.defaults { $0.userAgent = "a\r\nX-Injected: b" }) { client in
            let error = try await curlError { try await client.send(HTTPRequest(.get, url: "http://127.0.0.1:1/")) }
            #expect(error.code == .invalidRequest)
        }
    }

    @Test func `A line end in a header field reaches no server`() async throws {
        let server = try ScriptedServer { connection, _ in connection.reply([]) }
        try await withClient { client in
            let name = try #require(HTTPField.Name("X-A"))
            // HTTPTypes itself turns it into spaces.
            let request = try HTTPRequest(
                .get,
                url: server.url,
                headerFields: [name: "1\r\nX-Injected: 2", .cookie: ""]
            )
            _ = try await client.send(request)
        }
        let head = try #require(server.log.requests.first?.head)
        #expect(!head.contains("\r\nX-Injected"))
        #expect(head.contains("\r\nX-A: 1"))
        #expect(head.lowercased().contains("\r\ncookie:"))
    }

    @Test(arguments: [1 << 20, 9 << 20], [false, true])
    func `A request whose head is over libcurl's limit is refused before it is sent`(size: Int, isPath: Bool)
        async throws
    {
        let server = try ScriptedServer { connection, _ in connection.reply([]) }
        let filler = String(repeating: "x", count: size)
        let request = try HTTPRequest(
            .get,
            url: isPath ? "\(server.url)/\(filler)" : server.url,
            headerFields: isPath ? [:] : [.cookie: filler]
        )
        try await withClient { client in
            let error = try await curlError { try await client.send(request) }
            #expect(error.code == .invalidRequest && error.wasSent == false, "\(error)")
        }
        #expect(server.log.requests.isEmpty)
    }

    @Test(arguments: [false, true])
    func `A request with a long head is sent`(isPath: Bool) async throws {
        let server = try ScriptedServer { connection, _ in connection.reply([]) }
        let filler = String(repeating: "x", count: 900_000)
        let request = try HTTPRequest(
            .get,
            url: isPath ? "\(server.url)/\(filler)" : server.url,
            headerFields: isPath ? [:] : [.cookie: filler]
        )
        try await withClient { client in
            let reply = try await client.send(request)
            #expect(reply.head.status == .ok)
        }
        #expect(server.log.requests.first?.head.contains(filler) == true)
    }
}
#endif
