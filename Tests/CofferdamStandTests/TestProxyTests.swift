#if TestStand
import Cofferdam
import CofferdamStand
import CofferdamTesting
import Testing

@Suite("A test proxy", .timeLimit(.minutes(1)))
struct TestProxyTests {
    @Test("Passes on what no rule matches, counts it by operation and keeps its bytes")
    func passes() async throws {
        try await withStand(try await .lines()) { proxy, client in
            let answer = "re: get a\nre: get b\nre: set c 1\n"
            try await client.send("get a\nget b\nset c 1\n")
            #expect(await client.read(as: answer) == answer)
            #expect(proxy.arrivals(of: "get") == 2)
            #expect(proxy.arrivals(of: "set") == 1)
            #expect(proxy.arrivals() == 3)
            #expect(proxy.requests(of: "set").map(\.bytes) == [Array("set c 1\n".utf8)])
            #expect(proxy.openConnections == 1)
            #expect(proxy.problems == [])
        }
    }

    @Test("Passes on a server's greeting")
    func greeting() async throws {
        try await withStand(try await .lines(greeting: "welcome\n")) { _, client in
            #expect(await client.read(8) == "welcome\n")
            try await client.send("a\n")
            #expect(await client.read(6) == "re: a\n")
        }
    }

    @Test("Closes the client's connection after the server has sent its replies and closed its own")
    func serverCloses() async throws {
        try await withStand(try await .lines()) { _, client in
            try await client.send("a\nbye\n")
            #expect(await client.readToEnd() == .init("re: a\n", .closed))
        }
    }

    @Test("Holds requests, and those behind them, until they are released")
    func holds() async throws {
        let server = try await TinyServer.lines()
        try await withStand(server) { proxy, client in
            proxy.apply(.hold, to: "get")
            try await client.send("get a\nset b\n")
            try await proxy.waitForHeld(exactly: 1)
            try await proxy.waitForArrivals(of: "set", atLeast: 1)
            #expect(server.requests == [])
            #expect(proxy.held(of: "get") == 1)
            try await proxy.release("set")
            #expect(proxy.held() == 1)
            try await proxy.release("get")
            #expect(await client.read(20) == "re: get a\nre: set b\n")
            try await proxy.waitForHeld(exactly: 0)
        }
    }

    @Test("Drops a held request whose client has gone, and the server never sees it")
    func givenUp() async throws {
        let server = try await TinyServer.lines()
        try await withStand(server) { proxy, client in
            proxy.apply(.hold, times: 2)
            let other = try await TinyClient(port: proxy.port)
            try await client.send("get a\n")
            try await other.send("get b\n")
            try await proxy.waitForHeld(exactly: 2)
            try await client.close()
            try await proxy.waitForHeld(exactly: 1)
            try await proxy.waitForConnections(exactly: 1)
            try await proxy.release()
            #expect(await other.read(10) == "re: get b\n")
            #expect(server.requests == ["get b\n"])
        }
    }

    @Test("Delays by its clock")
    func delays() async throws {
        let (clock, server) = (TestClock(), try await TinyServer.lines())
        try await withStand(server, clock: clock) { proxy, client in
            proxy.apply(.delay(.seconds(5)))
            try await client.send("a\n")
            await clock.waitForSleeper(until: .seconds(5))
            #expect(server.requests == [])
            clock.advance(by: .seconds(5))
            #expect(await client.read(6) == "re: a\n")
        }
    }

    @Test("Answers in place of the server, in the order of the requests")
    func answers() async throws {
        let server = try await TinyServer.lines()
        try await withStand(server) { proxy, client in
            proxy.apply(.answer { Array("no ".utf8) + $0 }, to: "b")
            try await client.send("a\nb\nc\n")
            #expect(await client.read(16) == "re: a\nno b\nre: c\n")
            #expect(server.requests == ["a\n", "c\n"])
        }
    }

    @Test("Needs no server if rules answer every request, and cuts the connection if none does")
    func noServer() async throws {
        let proxy = try await TestProxy.start(to: nil, framing: LineFraming())
        proxy.apply(.answer(Array("1\n".utf8)), to: "a", times: nil)
        let client = try await TinyClient(port: proxy.port)
        try await client.send("a\na\nb\n")
        #expect(await client.readToEnd() == .init("1\n1\n", .closed))
        #expect(proxy.problems == ["connection 1: no rule answers b, and there is no server"])
        await proxy.close()
    }

    struct Cut: Sendable, CustomTestStringConvertible {
        let point: ProxyAction.CutPoint
        let received: String
        let isApplied: Bool
        var testDescription: String { "\(point)" }
    }

    @Test(
        "Cuts where the rule says, by a close or a reset, and answers the earlier requests",
        arguments: [
            Cut(point: .beforeForwarding, received: "", isApplied: false),
            Cut(point: .afterForwarding, received: "", isApplied: true),
            Cut(point: .afterReplyBytes(0), received: "", isApplied: true),
            Cut(point: .afterReplyBytes(3), received: "re:", isApplied: true),
            Cut(point: .afterReplyBytes(100), received: "re: b\n", isApplied: true),
        ],
        [ProxyAction.Ending.close, .reset]
    )
    func cuts(_ cut: Cut, _ ending: ProxyAction.Ending) async throws {
        let server = try await TinyServer.lines()
        try await withStand(server) { proxy, client in
            proxy.apply(.cut(cut.point, by: ending), to: "b")
            try await client.send("a\nb\n")
            let received = await client.readToEnd()
            #expect(received == .init("re: a\n" + cut.received, ending == .close ? .closed : .reset))
            #expect(server.requests.contains("b\n") == cut.isApplied)
            try await proxy.waitForConnections(exactly: 0)
        }
    }

    @Test(
        "A request after a cut never reaches the server",
        arguments: [
            ProxyAction.cut(.beforeForwarding, by: .close), .cut(.afterForwarding, by: .close),
            .cut(.afterReplyBytes(1), by: .close), .rewriteReply(then: .close) { $1 },
        ]
    )
    func behindCuts(_ action: ProxyAction) async throws {
        let server = try await TinyServer.lines()
        try await withStand(server) { proxy, client in
            proxy.apply(.holdReply, to: "a")
            proxy.apply(action, to: "b")
            try await client.send("a\nb\n")
            try await proxy.waitForHeld(exactly: 1)
            try await client.send("c\n")
            try await proxy.waitForArrivals(of: "c", atLeast: 1)
            try await proxy.release()
            #expect(await client.readToEnd().end == .closed)
        }
        // The connection has ended, so nothing more arrives.
        #expect(!server.requests.contains("c\n"))
    }

    @Test("Splits a reply into pieces, with pauses by its clock")
    func splits() async throws {
        let clock = TestClock()
        try await withStand(try await .lines(), clock: clock) { proxy, client in
            proxy.apply(.split(intoPiecesOf: 4, pause: .seconds(1)))
            try await client.send("abcd\nz\n")
            #expect(await client.next() == .bytes("re: "))
            await clock.waitForSleepers()
            clock.advance(by: .seconds(1))
            #expect(await client.next() == .bytes("abcd"))
            await clock.waitForSleepers()
            clock.advance(by: .seconds(1))
            #expect(await client.read(7) == "\nre: z\n")
        }
    }

    @Test("Splits a reply without pauses", arguments: [1, 2, 1_000])
    func splitsAtOnce(size: Int) async throws {
        try await withStand(try await .lines()) { proxy, client in
            proxy.apply(.split(intoPiecesOf: size))
            try await client.send("abcd\nz\n")
            #expect(await client.read(15) == "re: abcd\nre: z\n")
        }
    }

    @Test("Stalls after a number of bytes of a reply, until the release")
    func stalls() async throws {
        let server = try await TinyServer.lines()
        try await withStand(server) { proxy, client in
            proxy.apply(.stall(afterBytes: 2), to: "a")
            proxy.apply(.holdReply, to: "b")
            try await client.send("a\nb\n")
            try await proxy.waitForHeld(exactly: 2)
            #expect(await client.next() == .bytes("re"))
            #expect(server.requests == ["a\n", "b\n"])
            try await proxy.release("b")
            try await proxy.waitForHeld(exactly: 1)
            try await proxy.release()
            #expect(await client.read(10) == ": a\nre: b\n")
        }
    }

    @Test("Does not hold a reply that is shorter than the stall")
    func shortStall() async throws {
        try await withStand(try await .lines()) { proxy, client in
            proxy.apply(.stall(afterBytes: 6))
            try await client.send("a\n")
            #expect(await client.read(6) == "re: a\n")
            #expect(proxy.held() == 0)
        }
    }

    @Test("Replaces a reply without the server noticing")
    func replaces() async throws {
        let server = try await TinyServer.lines()
        try await withStand(server) { proxy, client in
            proxy.apply(.replaceReply(by: Array("?\n".utf8)))
            try await client.send("a\nb\n")
            #expect(await client.read(8) == "?\nre: b\n")
            #expect(server.requests == ["a\n", "b\n"])
        }
    }

    @Test("Swaps a reply with the next one; alone it waits for the release")
    func swaps() async throws {
        try await withStand(try await .lines()) { proxy, client in
            proxy.apply(.swapWithNext)
            try await client.send("a\nb\nc\n")
            #expect(await client.read(18) == "re: b\nre: a\nre: c\n")
            proxy.apply(.swapWithNext)
            try await client.send("d\n")
            try await proxy.waitForHeld(exactly: 1)
            try await proxy.release()
            #expect(await client.read(6) == "re: d\n")
        }
    }

    @Test("Applies its rules in order, as often as each one says, until they are cleared")
    func rules() async throws {
        try await withStand(try await .lines()) { proxy, client in
            func say(_ text: String) -> ProxyAction { .answer(Array("\(text)\n".utf8)) }
            proxy.apply(say("1"), to: "a", times: 2)
            proxy.apply(say("2"), times: nil)
            proxy.apply(say("3"), to: "a", times: 0)
            try await client.send("a\nb\na\na\n")
            #expect(await client.read(8) == "1\n2\n1\n2\n")
            proxy.clearRules(for: "a")
            #expect(try await client.ask("a\n", for: "2\n") == "2\n")
            proxy.clearRules()
            #expect(try await client.ask("a\n", for: "re: a\n") == "re: a\n")
        }
    }
}
#endif
