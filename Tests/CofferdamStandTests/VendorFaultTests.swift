#if TestStand
import Cofferdam
import CofferdamContracts
import CofferdamStand
import CofferdamTesting
import Testing
import TestSupport

@Suite("A vendor's faults, acted out by a test proxy", .timeLimit(.minutes(1)))
struct VendorFaultTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let fault: VendorFault
        let received: String
        let end: TinyClient.Event
        let isApplied: Bool
        var testDescription: String { "\(fault)" }
    }

    private static let head = "HTTP/1.1 200 OK\r\n"
    private static let request = "GET /a HTTP/1.1\r\n\r\n"

    @Test(
        "Over HTTP, those that end the connection",
        arguments: [
            Case(fault: .reset, received: "", end: .reset, isApplied: false),
            Case(fault: .emptyReply, received: "", end: .closed, isApplied: false),
            Case(fault: .appliedThenReset, received: "", end: .reset, isApplied: true),
            Case(fault: .truncated, received: "\(head)Content-Length: 16\r\n\r\nhe", end: .closed, isApplied: true),
            Case(
                fault: .malformedChunk,
                received: "\(head)Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\nzz\r\n",
                end: .closed,
                isApplied: true
            ),
            Case(
                fault: .wrongLength(by: 3),
                received: "\(head)Content-Length: 8\r\n\r\nhello",
                end: .closed,
                isApplied: true
            ),
            Case(
                fault: .wrongLength(by: .min),
                received: "\(head)Content-Length: 0\r\n\r\nhello",
                end: .closed,
                isApplied: true
            ),
            Case(
                fault: .conflictingLengths,
                received: "\(head)Content-Length: 12\r\nContent-Length: 5\r\n\r\nhello",
                end: .closed,
                isApplied: true
            ),
            Case(
                fault: .withoutLength,
                received: "\(head)Connection: close\r\n\r\nhello",
                end: .closed,
                isApplied: true
            ),
        ]
    )
    func endings(_ example: Case) async throws {
        let server = try await TinyServer.http()
        try await withStand(server, HTTPFraming()) { proxy, client in
            try proxy.inject(example.fault, on: "GET /a")
            try await client.send(Self.request)
            #expect(await client.readToEnd() == .init(example.received, example.end))
            #expect(server.requests.isEmpty != example.isApplied)
            #expect(proxy.problems == [])
        }
    }

    @Test(
        "Over HTTP, those after which the connection goes on",
        arguments: [
            (
                VendorFault.status(503, retryAfter: .seconds(2)),
                "HTTP/1.1 503 Error\r\nContent-Length: 8\r\nContent-Type: a/b\r\nRetry-After: 2\r\n\r\nfail 503"
            ),
            (
                .redirectLoop,
                "HTTP/1.1 307 OK\r\nContent-Length: 0\r\nLocation: /a\r\n\r\n"
            ),
            (.chunked, "\(head)Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"),
            (.trickle, "\(head)Content-Length: 5\r\n\r\nhello"),
        ]
    )
    func answers(fault: VendorFault, received: String) async throws {
        let framing = HTTPFraming(errorBody: { ("a/b", "fail \($0)") })
        try await withStand(try await .http(), framing) { proxy, client in
            try proxy.inject(fault, on: "GET /a")
            let right = "\(Self.head)Content-Length: 5\r\n\r\nhello"
            try await client.send(Self.request + Self.request)
            #expect(await client.read(as: received + right) == received + right)
        }
    }

    @Test("Over HTTP, a page and garbage are well-formed replies")
    func pages() async throws {
        try await withStand(try await .http(), HTTPFraming()) { proxy, client in
            try proxy.inject(.html)
            try proxy.inject(.garbage)
            try proxy.inject(.emptyReply)
            try await client.send(Self.request + Self.request + Self.request)
            let text = await client.readToEnd().text
            #expect(text.contains("Content-Type: text/html"))
            #expect(text.contains("Content-Type: application/json\r\n\r\n{\"items\""))
        }
    }

    @Test("Over HTTP, a stall lets the head pass and counts the body, in chunks as well")
    func stalls() async throws {
        let head = "HTTP/1.1 100 Continue\r\n\r\n\(Self.head)Transfer-Encoding: chunked\r\n\r\n"
        try await withStand(try await .http("\(head)5\r\nhello\r\n0\r\n\r\n"), HTTPFraming()) { proxy, client in
            try proxy.inject(.stall(afterBytes: 4))
            try await client.send(Self.request)
            try await proxy.waitForHeld(exactly: 1)
            #expect(await client.read(as: "\(head)5\r\nh") == "\(head)5\r\nh")
            try await proxy.release()
            #expect(await client.read(11) == "ello\r\n0\r\n\r\n")
        }
    }

    @Test("Over HTTP, a reply without a length passes on as it comes, and is rewritten at its end")
    func withoutLength() async throws {
        let server = try await TinyServer.http("\(Self.head)A: b\r\n\r\nhello")
        try await withStand(server, HTTPFraming()) { proxy, client in
            try await client.send(Self.request)
            #expect(await client.read(30).hasSuffix("hello"))
            server.hangUp()
            #expect(await client.next() == .closed)
            try proxy.inject(.truncated)
            let other = try await TinyClient(port: proxy.port)
            try await other.send(Self.request)
            try await proxy.waitForArrivals(atLeast: 2)
            await until { server.requests.count == 2 }
            server.hangUp()
            #expect(await other.readToEnd() == .init("\(Self.head)A: b\r\nContent-Length: 16\r\n\r\nhe", .closed))
        }
    }

    @Test("HTTP: a body is forwarded whole, whatever pieces it comes in")
    func bodies() async throws {
        let server = try await TinyServer.http()
        try await withStand(server, HTTPFraming(routes: ["POST /orders/{id}"])) { proxy, client in
            for piece in ["POST /orders/7 HTTP/1.1\r\nConte", "nt-Length: 6\r\n\r", "\nab", "cdef"] {
                try await client.send(piece)
            }
            let reply = "HTTP/1.1 201 Created\r\nContent-Length: 6\r\n\r\nabcdef"
            #expect(await client.read(as: reply) == reply)
            #expect(proxy.arrivals(of: "POST /orders/{id}") == 1)
        }
    }

    @Test("RESP: pipelined commands, pushes and subscriptions keep their order")
    func pipelines() async throws {
        try await withStand(try await .resp(), RESPFraming()) { proxy, client in
            proxy.apply(.swapWithNext, to: "GET")
            proxy.apply(.answer(Array("-ERR no\r\n".utf8)), to: "SET")
            try await client.send(
                command("SUBSCRIBE", "a") + command("GET", "x")
                    + command("PING") + command("set", "y") + command("ECHO", "z")
            )
            let reply =
                ">3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n+PONG\r\n>1\r\n+news\r\n$1\r\nx\r\n-ERR no\r\n$1\r\nz\r\n"
            #expect(await client.read(as: reply) == reply)
            #expect(proxy.requests().map(\.operation) == ["SUBSCRIBE", "GET", "PING", "SET", "ECHO"])
            #expect(proxy.problems == [])
        }
    }

    private func command(_ words: String...) -> String {
        "*\(words.count)\r\n" + words.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined()
    }

    @Test("Malformed bytes of either side are a problem that names protocol and reason, and cut the connection")
    func malformed() async throws {
        let server = try await TinyServer { bytes in bytes.isEmpty ? nil : (bytes.count, Array("?!\r\n".utf8)) }
        try await withStand(server, RESPFraming()) { proxy, client in
            try await client.send("*1\r\n:1\r\n")
            #expect(await client.readToEnd() == .init("", .closed))
            let other = try await TinyClient(port: proxy.port)
            try await other.send(command("PING"))
            #expect(await other.readToEnd() == .init("", .closed))
            #expect(
                proxy.problems == [
                    "connection 1: a request for RESP is refused: a command that starts with byte 58",
                    "connection 2: a reply for RESP is refused: no type of value starts with byte 63",
                ]
            )
        }
    }

    @Test(
        "What a protocol has no form for is refused by fault and framing",
        arguments: [
            (VendorFault.html, LineFraming() as any Framing, "a proxy for lines cannot act out the fault \"HTML\""),
            (.status(500), RESPFraming(), "a proxy for RESP cannot act out the fault \"status 500\""),
            (.encoded(.gzip), HTTPFraming(), "a proxy for HTTP/1.1 cannot act out the fault \"an answer in gzip\""),
        ]
    )
    func unsupported(fault: VendorFault, framing: any Framing, text: String) async throws {
        try await TestProxy.withProxy(to: nil, framing: framing) { proxy in
            let error = #expect(throws: ProxyError.self) { try proxy.inject(fault, on: "a") }
            #expect(error?.description == text)
        }
    }

    @Test("Garbage is not a RESP value, and as a line it is not text")
    func garbage() async throws {
        for framing in [RESPFraming(), LineFraming()] as [any Framing] {
            let bytes = try #require(framing.action(for: .garbage).flatMap(Self.answer))
            #expect(String(validating: bytes, as: UTF8.self) == nil || bytes.first == 1)
        }
    }

    private static func answer(of action: ProxyAction) -> [UInt8]? {
        guard case .answer(let answer) = action else { return nil }
        return try? answer([])
    }
}
#endif
