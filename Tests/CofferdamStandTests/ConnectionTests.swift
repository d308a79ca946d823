#if TestStand
import CofferdamStand
import CofferdamTesting
import Testing

@Suite("A proxy's connections", .timeLimit(.minutes(1)))
struct ConnectionTests {
    @Test("Idle connections are cut, as a server does, and those that wait for an answer stay")
    func idle() async throws {
        try await withStand(try await .lines()) { proxy, client in
            let (new, busy) = (try await TinyClient(port: proxy.port), try await TinyClient(port: proxy.port))
            #expect(try await client.ask("get a\n", for: "re: get a\n") == "re: get a\n")
            proxy.apply(.holdReply, to: "set")
            try await busy.send("set b\n")
            try await proxy.waitForHeld(exactly: 1)
            try await proxy.waitForConnections(exactly: 3)
            #expect(try await proxy.cut(.idle, by: .reset) == 2)
            #expect(await client.readToEnd() == .init("", .reset))
            #expect(await new.readToEnd() == .init("", .reset))
            try await proxy.waitForConnections(exactly: 1)
            try await proxy.release()
            #expect(await busy.read(as: "re: set b\n") == "re: set b\n")
            #expect(try await proxy.cut(.all) == 1)
            #expect(await busy.readToEnd() == .init("", .closed))
            #expect(try await proxy.cut(.all) == 0)
            #expect(proxy.problems == [])
        }
    }

    @Test("A request that has begun to arrive is not idle")
    func halfRequest() async throws {
        try await withStand(try await .lines()) { proxy, client in
            let framing = try await TinyClient(port: proxy.port)
            try await client.send("get a\nset")
            #expect(await client.read(as: "re: get a\n") == "re: get a\n")
            try await proxy.waitForConnections(exactly: 2)
            #expect(try await proxy.cut(.idle) == 1)
            #expect(await framing.readToEnd() == .init("", .closed))
            #expect(try await client.ask(" b\n", for: "re: set b\n") == "re: set b\n")
        }
    }

    @Test(
        "Subscriptions are counted by the request that is answered, and their clients get what the server would send"
    )
    func subscriptions() async throws {
        try await withStand(try await .lines()) { proxy, client in
            let other = try await TinyClient(port: proxy.port)
            proxy.apply(.hold, to: "listen")
            try await client.send("listen a\n")
            try await proxy.waitForHeld(exactly: 1)
            // The server does not know of it yet.
            #expect(proxy.openConnections(serving: "listen") == 0)
            try await proxy.release()
            #expect(await client.read(as: "re: listen a\n") == "re: listen a\n")
            #expect(try await other.ask("listen b\n", for: "re: listen b\n") == "re: listen b\n")
            try await proxy.waitForConnections(serving: "listen", exactly: 2)
            #expect(try await proxy.send(Array("still here\n".utf8), to: .serving("listen")) == 2)
            #expect(await client.read(as: "still here\n") == "still here\n")
            #expect(await other.read(as: "still here\n") == "still here\n")
            // A connection that does something else is no subscription any more.
            #expect(try await other.ask("stop\n", for: "re: stop\n") == "re: stop\n")
            try await proxy.waitForConnections(serving: "listen", exactly: 1)
            #expect(try await proxy.send(Array("ha".utf8), to: .serving("listen"), then: .close) == 1)
            #expect(await client.readToEnd() == .init("ha", .closed))
            try await proxy.waitForConnections(serving: "listen", exactly: 0)
            try await proxy.waitForConnections(exactly: 1)
        }
    }

    @Test("A framing may know what its connection said before: start-up, prepared statements")
    func stateOfConnections() async throws {
        let server = try await TinyServer { bytes in
            // What has no type begins with the first byte of its length.
            guard bytes.count >= 5 else { return nil }
            if bytes[0] == 0 {
                let isTLS = bytes.starts(with: PostgresFraming.tlsRequest)
                return (Int(bytes[3]), isTLS ? Array("N".utf8) : PostgresFraming.message("Z", "I"))
            }
            var end = 0
            while end + 5 <= bytes.count {
                let type = bytes[end]
                end += 1 + Int(bytes[end + 4])
                if [UInt8(ascii: "S"), UInt8(ascii: "Q")].contains(type) {
                    return (end, PostgresFraming.message("C", "done") + PostgresFraming.message("Z", "I"))
                }
            }
            return nil
        }
        let sync = PostgresFraming.message("S")
        let done = String(
            decoding: PostgresFraming.message("C", "done") + PostgresFraming.message("Z", "I"),
            as: UTF8.self
        )
        func start(_ client: TinyClient) async throws {
            try await client.send(PostgresFraming.tlsRequest)
            #expect(await client.read(1) == "N")
            try await client.send(PostgresFraming.startUp)
            let ready = String(decoding: PostgresFraming.message("Z", "I"), as: UTF8.self)
            #expect(await client.read(as: ready) == ready)
        }
        func ask(_ client: TinyClient, _ bytes: [UInt8]) async throws {
            try await client.send(bytes)
            #expect(await client.read(as: done) == done)
        }
        let execute = PostgresFraming.message("B", "", "s1") + PostgresFraming.message("E", "") + sync
        try await withStand(server, PostgresFraming()) { proxy, client in
            let other = try await TinyClient(port: proxy.port)
            try await start(client)
            try await start(other)
            try await ask(client, PostgresFraming.message("P", "s1", "SELECT 1") + sync)
            try await ask(other, PostgresFraming.message("P", "s1", "INSERT 1") + sync)
            try await ask(client, execute)
            try await ask(client, execute)
            try await ask(other, execute)
            try await ask(other, PostgresFraming.message("Q", "DELETE x"))
            #expect(proxy.arrivals(of: "SELECT") == 2)
            #expect(proxy.arrivals(of: "INSERT") == 1)
            #expect(proxy.arrivals(of: "DELETE") == 1)
            #expect(proxy.requests().prefix(4).map(\.operation) == ["tls", "start", "tls", "start"])
            #expect(proxy.problems == [])
            proxy.apply(.cut(.afterForwarding, by: .close), to: "SELECT")
            try await client.send(execute)
            #expect(await client.readToEnd() == .init("", .closed))
        }
    }
}
#endif
