#if Server
import CofferdamUpgrade
import HTTPTypes
import TestSupport
import Testing
@testable import CofferdamServer

@Suite("HEAD, Allow and Host", .timeLimit(.minutes(1))) struct RequestFramingTests {
    private static let readable = [
        "/healthz", "/readyz", "/style.css", "/console.js", "/", "/capabilities/orders",
        "/capabilities/orders/contracts", "/v1/capabilities", "/v1/capabilities/orders",
        "/v1/capabilities/orders/stage", "/v1/capabilities/orders/publications",
    ]

    /// Writes a request by hand, and returns what the server sends until it closes the connection.
    private static func exchange(_ server: TestServer, _ requests: String...) async throws -> String {
        let connection = try RawConnection(port: try server.plane.port)
        try connection.send(requests.joined())
        return try await connection.receive()
    }

    private static func request(_ line: String, _ fields: String..., host: String = "Host: a") -> String {
        let token = "Authorization: Bearer secret-of-admin"
        return ([line + " HTTP/1.1", host, token] + fields + ["", ""]).joined(separator: "\r\n")
    }

    private static func lines(_ head: Substring) -> [String] {
        head.split(separator: "\r\n").map(String.init).filter { !$0.lowercased().hasPrefix("date:") }
    }

    @Test(arguments: readable)
    func `HEAD has the head of GET, and no body`(_ path: String) async throws {
        try await TestServer.with { server in
            let close = "Connection: close"
            let got = try await Self.exchange(server, Self.request("GET \(path)", close))
            let asked = try await Self.exchange(server, Self.request("HEAD \(path)", close))
            let end = try #require(got.firstRange(of: "\r\n\r\n"))
            #expect(got.hasPrefix("HTTP/1.1 200"))
            #expect(asked.hasSuffix("\r\n\r\n"))
            // The page's forms have new ids each time, of one length.
            #expect(Self.lines(asked[...]) == Self.lines(got[..<end.lowerBound]))
        }
    }

    @Test func `HEAD of a stream ends at once, and the connection serves the next request`() async throws {
        try await TestServer.with { server in
            for path in ["/live", "/v1/capabilities/orders/stage"] {
                let answers = try await Self.exchange(
                    server,
                    Self.request("HEAD \(path)", "Accept: text/event-stream"),
                    Self.request("GET /healthz", "Connection: close")
                )
                let parts = answers.split(separator: "\r\n\r\n")
                #expect(parts.count == 3, "\(answers)")
                #expect(parts.first?.contains("text/event-stream") == true)
                #expect(parts.dropFirst().first?.hasPrefix("HTTP/1.1 200") == true)
                #expect(parts.last == "ok\n")
            }
            #expect(try server.plane.parts.hub.subscriberCount == 0)
        }
    }

    @Test func `HEAD needs what GET needs, and its refusal has no body either`() async throws {
        try await TestServer.with { server in
            let refused = try await Self.exchange(
                server,
                "HEAD /v1/refusals HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            )
            #expect(refused.hasPrefix("HTTP/1.1 401"))
            #expect(refused.hasSuffix("\r\n\r\n"))
        }
    }

    @Test(arguments: [
        ("DELETE", "/healthz", "GET, HEAD"), ("POST", "/", "GET, HEAD"),
        ("HEAD", "/v1/capabilities/orders/kill", "POST"), ("GET", "/capabilities/orders/kill", "POST"),
        ("POST", "/v1/capabilities/orders/contracts", "GET, HEAD, PUT"),
    ])
    func `405 says which methods there are`(_ method: String, _ path: String, _ allowed: String) async throws {
        try await TestServer.with { server in
            let answer = try await server.send(try #require(.init(method)), path, as: .admin)
            #expect(answer.status == 405)
            #expect(answer.headers[.allow] == allowed)
        }
    }

    @Test(arguments: [
        "Host: a\r\nHost: b", "Host: a\r\nHost: a", "X-No: host", "Host: a b", "Host: a/b", "Host: user@a",
    ])
    func `a request without one valid Host is 400`(_ host: String) async throws {
        try await TestServer.with { server in
            for line in ["GET /healthz", "GET /", "GET /v1/capabilities"] {
                let answer = try await Self.exchange(server, Self.request(line, "Connection: close", host: host))
                #expect(answer.hasPrefix("HTTP/1.1 400"), "\(host): \(answer)")
                #expect(answer.contains("a request needs one Host field"))
            }
        }
    }

    @Test func `a request of HTTP/1.0 needs no Host`() async throws {
        try await TestServer.with { server in
            let answer = try await Self.exchange(server, "GET /healthz HTTP/1.0\r\nConnection: close\r\n\r\n")
            #expect(answer.hasSuffix("\r\n\r\nok\n"))
        }
    }

    @Test func `pages and forms are only at the public URL`() async throws {
        try await TestServer.with({ $0.publicURL = "https://Upgrades.example.com/" }) { server async throws in
            func status(_ line: String, _ host: String) async throws -> Substring {
                let answer = try await Self.exchange(
                    server,
                    Self.request(line, "Content-Length: 0", "Connection: close", host: "Host: \(host)")
                )
                return answer.dropFirst(9).prefix(3)
            }
            for host in ["upgrades.example.com", "UPGRADES.example.com:443"] {
                #expect(try await status("GET /", host) == "200")
                #expect(try await status("POST /capabilities/orders/kill", host) == "415", "it is read")
            }
            for host in ["evil.example", "upgrades.example.com:8080", "upgrades.example.com.evil.example", ""] {
                for line in ["GET /", "HEAD /live", "GET /capabilities/orders", "POST /capabilities/orders/kill"] {
                    #expect(try await status(line, host) == "421", "\(line) at \(host)")
                }
                for line in ["GET /healthz", "GET /readyz", "GET /v1/capabilities/orders/stage", "GET /metrics"] {
                    #expect(try await status(line, host) == "200", "\(line) at \(host)")
                }
            }
        }
    }

    @Test(arguments: ["example.com", "ftp://example.com", "https://example.com/console", "https://", "https://u@a"])
    func `a public URL is an address without a path`(_ url: String) {
        #expect(throws: ControlPlaneError.self) { try PublicHost(url) }
    }
}
#endif
