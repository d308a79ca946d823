#if Curl
import Cofferdam
import CofferdamCurl
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CurlProxyTests {
    static let origin = "origin.invalid"
    /// `user:secret-password` in base64.
    static let credentials = "Basic dXNlcjpzZWNyZXQtcGFzc3dvcmQ="

    static func proxy(_ scheme: CurlProxy.Scheme = .http, port: UInt16, exceptions: [String] = []) -> CurlConfiguration
    {
        .defaults {
            $0.proxy = CurlProxy(
                scheme,
                host: "127.0.0.1",
                port: Int(port),
                user: "user",
                password: "secret-password",
                exceptions: exceptions
            )
        }
    }

    @Test func `An http request goes to the proxy as a whole, which resolves the name`() async throws {
        let server = try ScriptedServer { connection, request in connection.reply(request.body) }
        try await withClient(Self.proxy(port: server.port)) { client in
            for _ in 0..<2 {
                let reply = try await client.send(
                    HTTPRequest(.post, url: "http://\(Self.origin)/path?query"),
                    body: .bytes(Array("body".utf8))
                )
                #expect(Array(reply.body) == Array("body".utf8))
            }
        }
        for request in server.log.requests {
            #expect(request.head.hasPrefix("POST http://\(Self.origin)/path?query HTTP/1.1\r\n"))
            #expect(request.head.contains("Host: \(Self.origin)\r\n"))
            #expect(request.head.contains("Proxy-Authorization: \(Self.credentials)\r\n"))
            #expect(request.head.ranges(of: "User-Agent: cofferdam\r\n").count == 1)
        }
        #expect(server.log.accepted == 1)
    }

    @Test func `The proxy's answer to an http request is the reply`() async throws {
        let server = try ScriptedServer { connection, _ in
            connection.send("HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n")
        }
        try await withClient(Self.proxy(port: server.port)) { client in
            let reply = try await client.send(HTTPRequest(.get, url: "http://\(Self.origin)/"))
            #expect(reply.head.status.code == 407)
        }
        #expect(server.log.requests.count == 1)
    }

    @Test(.enabled(if: TLSContext.isAvailable))
    func `An https request goes through a tunnel, and the proxy's password stays with the proxy`() async throws {
        let origin = try TLSScriptedServer { connection in
            connection.serve { connection, request in connection.reply(Array(request.path.utf8)) }
        }
        let proxy = try ScriptedServer(connection: { connection in
            guard let head = connection.readHead() else { return }
            connection.note(ServerRequest(head: head, body: []))
            connection.send("HTTP/1.1 200 Connected\r\nX-Proxy: yes\r\n\r\n")
            connection.relay(to: origin.port)
        })
        var configuration = Self.proxy(port: proxy.port)
        configuration.tls.authorities = .file(origin.authority.certificate)
        try await withClient(configuration) { client in
            for path in ["/one", "/two"] {
                var request = try HTTPRequest(.get, url: origin.url + path)
                request.headerFields[.authorization] = "Bearer of-the-origin"
                let reply = try await client.send(request)
                #expect(Array(reply.body) == Array(path.utf8))
                #expect(reply.head.headerFields[try #require(HTTPField.Name("X-Proxy"))] == nil)
            }
        }
        let tunnel = try #require(proxy.log.requests.first?.head)
        #expect(proxy.log.accepted == 1)
        #expect(tunnel.hasPrefix("CONNECT 127.0.0.1:\(origin.port) HTTP/1.1\r\n"))
        #expect(tunnel.contains("User-Agent: cofferdam\r\n"))
        #expect(tunnel.contains("Proxy-Authorization: \(Self.credentials)\r\n"))
        #expect(!tunnel.contains("of-the-origin") && !tunnel.contains("/one"))
        #expect(origin.log.requests.count == 2)
        for request in origin.log.requests {
            #expect(request.head.hasPrefix("GET /"))
            #expect(!request.head.contains("Proxy-") && request.head.contains("of-the-origin"))
        }
    }

    @Test(arguments: [
        "HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 502 No\r\n\r\n",
        "junk\r\n", "",
        "HTTP/1.1 200 OK\r\n X-Continued: one\r\n\r\n",
    ])
    func `A refused tunnel is a connection failure: nothing was sent, and no password is shown`(answer: String)
        async throws
    {
        let server = try ScriptedServer(connection: { connection in
            guard connection.readHead() != nil else { return }
            connection.send(answer)
            connection.end()
        })
        try await withClient(Self.proxy(port: server.port)) { client in
            for _ in 0..<2 {
                let request = try HTTPRequest(.post, url: "https://\(Self.origin)/secret-path")
                let error = try await curlError { try await client.send(request, body: .bytes([1])) }
                #expect([.connect, .tls].contains(error.code), "\(error)")
                #expect(error.wasSent == false)
                #expect(!error.description.contains("secret") && !error.description.contains("dXNlcjp"))
            }
        }
    }

    @Test(arguments: [(407, 1), (403, 1), (503, 3)])
    func `A proxy that refuses the tunnel is asked again only for a status that is retried`(status: Int, times: Int)
        async throws
    {
        let server = try ScriptedServer(connection: { connection in
            guard let head = connection.readHead() else { return }
            connection.note(ServerRequest(head: head, body: []))
            connection.send("HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n")
            connection.end()
        })
        var configuration = Self.proxy(port: server.port)
        configuration.options.retry = .standard { $0.backoff = Backoff(initial: .zero, maximum: .zero) }
        try await withClient(configuration) { client in
            let error = try await curlError { try await client.send(HTTPRequest(.get, url: "https://\(Self.origin)/")) }
            #expect(error.code == .connect && error.proxyStatus == status && error.wasSent == false)
            #expect(!error.isRetryable)
        }
        #expect(server.log.requests.count == times)
    }

    @Test(.enabled(if: TLSContext.isAvailable))
    func `If a request is lost and no new connection opens in time, it is a connect time-out`()
        async throws
    {
        let origin = try TLSScriptedServer { connection in
            connection.serve { connection, request in connection.reply(Array(request.path.utf8)) }
        }
        let connections = Count()
        let hasFirst = Count()
        let proxy = try ScriptedServer(connection: { connection in
            guard connections.add() == 1, connection.readHead() != nil else { return connection.waitForClientToClose() }
            connection.send("HTTP/1.1 200 Connected\r\n\r\n")
            connection.relay(to: origin.port, unless: { hasFirst.value > 0 })
        })
        var configuration = Self.proxy(port: proxy.port)
        configuration.tls.authorities = .file(origin.authority.certificate)
        // libcurl's own time-out applies, because ours cannot tell that it connects again.
        configuration.options.timeouts.connect = .milliseconds(500)
        try await withClient(configuration) { client in
            let request = try HTTPRequest(.get, url: origin.url)
            _ = try await client.send(request)
            hasFirst.add()
            let error = try await curlError { try await client.send(request) }
            #expect(error.code == .timeout && error.timeout == .connect, "\(error)")
            #expect(error.message.contains("no connection"))
            // The first request was sent.
            #expect(error.wasSent == true)
        }
    }

    @Test func `An unreachable proxy is a connection failure`() async throws {
        let port = try ScriptedServer.unusedPort()
        for scheme in [CurlProxy.Scheme.http, .socks5] {
            try await withClient(Self.proxy(scheme, port: port)) { client in
                let error = try await curlError {
                    try await client.send(HTTPRequest(.get, url: "http://\(Self.origin)/"))
                }
                #expect(error.code == .connect && error.wasSent == false, "\(error)")
                #expect(!error.description.contains("secret"))
            }
        }
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("origin.invalid", false), ("0.0.1", false), ("127.0.0.1.origin.invalid", false),
    ])
    func `Exceptions are reached without the proxy`(exception: String, isDirect: Bool) async throws {
        let origin = try ScriptedServer { connection, _ in connection.reply(Array("origin".utf8)) }
        let server = try ScriptedServer { connection, _ in connection.reply(Array("proxy".utf8)) }
        try await withClient(Self.proxy(port: server.port, exceptions: ["elsewhere.invalid", exception])) { client in
            let reply = try await client.send(HTTPRequest(.get, url: origin.url))
            #expect(Array(reply.body) == Array((isDirect ? "origin" : "proxy").utf8))
            if exception == Self.origin {
                // Including subdomains: these names have no address.
                for host in [Self.origin, "sub.\(Self.origin)"] {
                    let error = try await curlError { try await client.send(HTTPRequest(.get, url: "http://\(host)/")) }
                    #expect(error.code == .dns)
                }
                _ = try await client.send(HTTPRequest(.get, url: "http://not-\(Self.origin)/"))
            }
        }
        for request in origin.log.requests { #expect(!request.head.contains("Proxy-")) }
    }

    @Test(arguments: [nil, "refused", "password"])
    func `A SOCKS proxy resolves the name, and gets the password`(mistake: String?) async throws {
        let server = try ScriptedServer(connection: { connection in
            guard let greeting = connection.read(2), let methods = connection.read(Int(greeting[1])) else { return }
            #expect(methods.contains(2))
            connection.send([5, 2])
            guard let user = connection.read(2).flatMap({ connection.read(Int($0[1])) }),
                let password = connection.read(1).flatMap({ connection.read(Int($0[0])) })
            else { return }
            #expect(user == Array("user".utf8) && password == Array("secret-password".utf8))
            connection.send([1, mistake == "password" ? 1 : 0])
            guard let request = connection.read(5), let host = connection.read(Int(request[4]) + 2) else { return }
            #expect(request[..<4] == [5, 1, 0, 3])
            #expect(Array(host.dropLast(2)) == Array(Self.origin.utf8) && host.suffix(2) == [0, 80])
            connection.send([5, mistake == "refused" ? 5 : 0, 0, 1, 0, 0, 0, 0, 0, 0])
            connection.serve { connection, request in connection.reply(Array(request.path.utf8)) }
        })
        try await withClient(Self.proxy(.socks5, port: server.port)) { client in
            let request = try HTTPRequest(.get, url: "http://\(Self.origin)/path")
            if mistake == nil {
                let reply = try await client.send(request)
                #expect(Array(reply.body) == Array("/path".utf8))
            } else {
                let error = try await curlError { try await client.send(request) }
                #expect(error.code == .connect && error.wasSent == false, "\(error)")
                #expect(!error.description.contains("secret"))
            }
        }
        for request in server.log.requests { #expect(!request.head.contains("Proxy-")) }
    }
}
#endif
