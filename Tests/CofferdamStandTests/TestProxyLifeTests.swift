#if TestStand
import Cofferdam
import CofferdamStand
import CofferdamTesting
import Testing
import TestSupport

@Suite("A test proxy's life, limits and evidence", .timeLimit(.minutes(1)))
struct TestProxyLifeTests {
    @Test("Closing ends clients, held calls and connections to the server, and frees the port")
    func closes() async throws {
        let server = try await TinyServer.lines()
        let proxy = try await TestProxy.start(to: server.upstream, framing: LineFraming())
        proxy.apply(.hold, to: "b")
        proxy.apply(.delay(.seconds(3_600)), to: "c")
        let clients = [try await TinyClient(port: proxy.port), try await TinyClient(port: proxy.port)]
        try await clients[0].send("a\nb\n")
        try await clients[1].send("c\n")
        try await proxy.waitForHeld(exactly: 1)
        try await proxy.waitForArrivals(of: "c", atLeast: 1)
        async let first: Void = proxy.close()
        async let second: Void = proxy.close()
        _ = await (first, second)
        await proxy.close()
        #expect(proxy.openConnections == 0)
        #expect(proxy.held() == 0)
        #expect(await clients[0].readToEnd().end == .closed)
        #expect(await clients[1].readToEnd() == .init("", .closed))
        // Another test may listen on the port by now; this proxy does not.
        if let other = try? await TinyClient(port: proxy.port) { try await other.close() }
        #expect(proxy.openConnections == 0)
        // Returns when the server's last connection has ended.
        try await server.close()
    }

    @Test("Closing does not wait for a client that reads nothing")
    func closesOnDeafClients() async throws {
        let server = try await TinyServer { bytes in
            bytes.firstIndex(of: UInt8(ascii: "\n")).map {
                ($0 + 1, Array(repeating: 0x61, count: 32 << 20) + [0x0A])
            }
        }
        try await withStand(server) { proxy, _ in
            proxy.apply(.cut(.afterReplyBytes(30 << 20), by: .close))
            let deaf = try await DeafClient(port: proxy.port)
            try await deaf.send("a\n")
            try await proxy.waitForArrivals(atLeast: 1)
        }
    }

    @Test("A long reply passes whole, however slowly it is read")
    func longReplies() async throws {
        let server = try await TinyServer { bytes in
            bytes.firstIndex(of: UInt8(ascii: "\n")).map {
                ($0 + 1, Array(repeating: 0x61, count: 32 << 20) + [0x0A])
            }
        }
        try await withStand(server) { _, client in
            try await client.send("a\n")
            #expect(await client.read((32 << 20) + 1).utf8.count == (32 << 20) + 1)
        }
    }

    @Test("A long reply passes byte by byte")
    func longSplits() async throws {
        let server = try await TinyServer { bytes in
            bytes.firstIndex(of: 0x0A).map { ($0 + 1, Array(repeating: 0x61, count: 1 << 12) + [0x0A]) }
        }
        try await withStand(server) { proxy, client in
            proxy.apply(.split(intoPiecesOf: 1))
            try await client.send("a\n")
            #expect(await client.read((1 << 12) + 1).utf8.count == (1 << 12) + 1)
        }
    }

    @Test("A long reply passes byte by byte even if its server has gone")
    func longSplitsAfterTheServer() async throws {
        let server = try await TinyServer { bytes in
            bytes.firstIndex(of: 0x0A).map { ($0 + 1, Array(repeating: 0x61, count: 1 << 16) + [0x0A]) }
        }
        try await withStand(server) { proxy, client in
            proxy.apply(.split(intoPiecesOf: 1))
            try await client.send("a\n")
            guard case .bytes(let first) = await client.next() else { return #expect(Bool(false), "no reply") }
            server.hangUp()
            let rest = await client.readToEnd()
            #expect(first.utf8.count + rest.text.utf8.count == (1 << 16) + 1)
            #expect(rest.end == .closed)
        }
    }

    @Test("The scope of a proxy closes it, after an error as well")
    func scope() async throws {
        let server = try await TinyServer.lines()
        var port = 0
        await #expect(throws: TestError("a")) {
            try await TestProxy.withProxy(to: server.upstream, framing: LineFraming()) { proxy in
                port = proxy.port
                throw TestError("a")
            }
        }
        await #expect(throws: (any Error).self) { try await TinyClient(port: port) }
        try await server.close()
    }

    @Test("Waiting ends when the proxy is closed, and never begins after that")
    func waitingEndsAtClose() async throws {
        let proxy = try await TestProxy.start(to: nil, framing: LineFraming())
        let waits: [@Sendable () async throws -> Void] = [
            { try await proxy.waitForArrivals(of: "a", atLeast: 1) }, { try await proxy.waitForHeld(exactly: 2) },
            { try await proxy.waitForConnections(exactly: 3) }, { try await proxy.waitForProblems(atLeast: 1) },
        ]
        let tasks = waits.map { wait in Task { try await wait() } }
        await proxy.close()
        for task in tasks {
            await #expect(throws: ProxyError.closed) { try await task.value }
        }
        await #expect(throws: ProxyError.closed) { try await proxy.waitForHeld(exactly: 0) }
        #expect("\(ProxyError.closed)" == "the test proxy is closed")
    }

    @Test("Waiting ends when its task is cancelled, before or during the wait")
    func waitingEndsAtCancellation() async throws {
        try await TestProxy.withProxy(to: nil, framing: LineFraming()) { proxy in
            let gate = TestGate()
            let late = Task {
                await gate.pass()
                try await proxy.waitForHeld(exactly: 1)
            }
            let early = Task { try await proxy.waitForArrivals(atLeast: 1) }
            late.cancel()
            gate.open()
            early.cancel()
            await #expect(throws: CancellationError.self) { try await late.value }
            await #expect(throws: CancellationError.self) { try await early.value }
        }
    }

    @Test("Waiting for more problems than a proxy keeps fails at once")
    func waitingForTooManyProblems() async throws {
        try await TestProxy.withProxy(to: nil, framing: LineFraming()) { proxy in
            let error = ProxyError.tooManyProblems(101, limit: 100)
            await #expect(throws: error) { try await proxy.waitForProblems(atLeast: 101) }
            #expect("\(error)" == "cannot wait for 101 problems: a test proxy keeps the first 100")
        }
    }

    @Test("A server that cannot be reached is a problem, and the client is reset")
    func deadServer() async throws {
        // A port reserved for system services, on which none is listening.
        try await TestProxy.withProxy(to: .init(port: 1), framing: LineFraming()) { proxy in
            do {
                let client = try await TinyClient(port: proxy.port)
                #expect(await client.readToEnd() == .init("", .reset))
            } catch {
                // The reset arrived before the client checked its connection.
                #expect("\(error)".contains("reset"))
            }
            try await proxy.waitForProblems(atLeast: 1)
            try await proxy.waitForConnections(exactly: 0)
            #expect(proxy.problems.count == 1)
            #expect(proxy.problems.first?.contains("connection 1: the server cannot be reached") == true)
        }
    }

    @Test("A request beyond the bound is refused after those before it are answered")
    func longRequests() async throws {
        try await withStand(try await .lines(), limits: .defaults { $0.requestBytes = 8 }) { proxy, client in
            try await client.send("1234567\n12345678\n")
            #expect(await client.readToEnd() == .init("re: 1234567\n", .closed))
            #expect(proxy.problems == ["connection 1: a request for lines is refused: it is longer than 8 bytes"])
            #expect(proxy.arrivals() == 1)
        }
    }

    @Test("A request without an end is refused at the bound")
    func endlessRequests() async throws {
        try await withStand(try await .lines(), limits: .defaults { $0.requestBytes = 8 }) { proxy, client in
            try await client.send("123456789")
            #expect(await client.readToEnd() == .init("", .closed))
            try await proxy.waitForProblems(atLeast: 1)
        }
    }

    @Test("The requests behind a held one, and a held reply, are bounded")
    func waitingIsBounded() async throws {
        let limits = ProxyLimits.defaults { ($0.queuedBytes, $0.replyBytes) = (6, 4) }
        try await withStand(try await .lines(), limits: limits) { proxy, client in
            proxy.apply(.hold)
            try await client.send("ab\ncd\nef\n")
            #expect(await client.readToEnd() == .init("", .closed))
            #expect(proxy.problems == ["connection 1: more than 6 bytes of requests wait"])
            #expect(proxy.held() == 0)
            proxy.apply(.holdReply)
            let other = try await TinyClient(port: proxy.port)
            try await other.send("a\n")
            #expect(await other.readToEnd() == .init("", .closed))
            #expect(
                proxy.problems.last == "connection 2: a reply for lines is refused: more than 4 bytes of it wait"
            )
        }
    }

    @Test("The record of requests is bounded, in number and length")
    func recordIsBounded() async throws {
        let limits = ProxyLimits.defaults { ($0.recordedRequests, $0.recordedBytes) = (2, 3) }
        try await withStand(try await .lines(), limits: limits) { proxy, client in
            try await client.send("one\ntwo\nthree\n")
            try await proxy.waitForArrivals(atLeast: 3)
            #expect(proxy.requests().map(\.operation) == ["two", "three"])
            #expect(proxy.requests().map(\.bytes) == [Array("two".utf8), Array("thr".utf8)])
            #expect(proxy.requests().map(\.length) == [4, 6])
            #expect(proxy.requests().map(\.connection) == [1, 1])
        }
    }

    @Test("A closure that throws is a problem, and the connection is cut")
    func failingRules() async throws {
        try await withStand(try await .lines()) { proxy, client in
            proxy.apply(.answer { _ in throw TestError("a") }, to: "b")
            try await client.send("a\nb\n")
            #expect(await client.readToEnd() == .init("re: a\n", .closed))
            proxy.apply(.rewriteReply { _, _ in throw TestError("b") })
            let other = try await TinyClient(port: proxy.port)
            try await other.send("c\n")
            #expect(await other.readToEnd() == .init("", .closed))
            #expect(proxy.problems.count == 2)
            #expect(proxy.problems.allSatisfy { $0.contains("TestError") })
        }
    }

    @Test("A parser that ends a frame outside its bytes is a problem, not a trap", arguments: [-1, 0, 1_000])
    func lyingParsers(end: Int) async throws {
        try await withStand(try await .lines(), LyingFraming(end: end)) { proxy, client in
            try await client.send("abc")
            #expect(await client.readToEnd() == .init("", .closed))
            let problem =
                "connection 1: a request for lies is refused: the parser ends the frame at byte \(end) of 3"
            #expect(proxy.problems == [problem])
        }
    }

    @Test("When the server closes, waiting requests end at once, and a held reply after its release")
    func serverEnds() async throws {
        let server = try await TinyServer.lines()
        try await withStand(server) { proxy, client in
            proxy.apply(.holdReply)
            try await client.send("a\nbye\n")
            try await proxy.waitForHeld(exactly: 1)
            try await proxy.waitForArrivals(atLeast: 2)
            try await proxy.release()
            #expect(await client.readToEnd() == .init("re: a\n", .closed))
        }
    }
}

/// A framing whose parser reports the same end for each frame.
private struct LyingFraming: Framing {
    struct Parser: FrameParser {
        let end: Int
        func parse(_ bytes: ArraySlice<UInt8>) -> Int? { end }
    }

    let end: Int
    let name = "lies"
    func requestParser() -> any FrameParser { Parser(end: end) }
    func replyParser(to request: [UInt8]?) -> any FrameParser { Parser(end: end) }
    func operation(of request: [UInt8]) -> String { "" }
}
#endif
