#if Sandbox
import Testing

@testable import MenagerieService

@Suite(.timeLimit(.minutes(5)))
struct EventTests {
    @Test("v1's long poll answers with what happens while it waits")
    func longPoll() async throws {
        try await withService { service, client async throws in
            let client = try await client.signedInLegacy()
            let now = try #require(try await client.get("/v1/messages/poll").json["next"]?.integer)
            async let reply = client.get("/v1/messages/poll?after=\(now)")
            await service.control.waitForSubscribers(of: .messages, exactly: 1)
            let id = try service.control.postMessage(author: "kenji", text: "hello")
            let json = try await reply.json
            #expect(json["next"]?.integer == now + 1)
            #expect(json["events"]?.elements.first?["message"]?["id"]?.text == id)
            #expect(service.control.subscribers(of: .messages) == 0)
            try service.control.deleteMessage(id)
            let events = try await client.get("/v1/messages/poll?after=\(now + 1)").json["events"]
            #expect(events == [["type": "deleted", "id": .string(id)]])
            #expect(try await client.get("/v1/messages/poll?after=\(now + 2)&timeout=0").json["events"] == [])
        }
    }

    @Test("D21: v2's stream replays the last 50 between ready and live, then gives what happens")
    func messageStream() async throws {
        try await withService { service, client async throws in
            let client = try await client.signedIn().client
            for index in 0..<60 { try service.control.postMessage(author: "noor", text: "\(index)") }
            try service.control.deleteMessage("m-70")
            var reader = EventReader(try client.lines("/v2/messages/stream"))
            try await reader.read(until: "live")
            #expect(reader.names == ["ready"] + Array(repeating: "message", count: 49) + ["deleted", "live"])
            #expect(reader.identifiers.first == "24")
            #expect(service.control.subscribers(of: .messages) == 1)
            try service.control.postMessage(author: "kenji", text: "now")
            try await reader.read(until: "message")
            #expect(reader.identifiers.last == "74")
            #expect(reader.names.count == 53)
        }
    }

    @Test(
        "STRM-04: a client that disconnects is no longer a subscriber",
        arguments: ["/v1/accessories/poll?after=0", "/v2/accessories/stream"]
    )
    func leaving(address: String) async throws {
        try await withService { service, client async throws in
            for _ in 0..<3 {
                let lines = try client.lines(address)
                let reader = Task { for try await _ in lines {} }
                await service.control.waitForSubscribers(of: .accessories, exactly: 1)
                reader.cancel()
                await service.control.waitForSubscribers(of: .accessories, exactly: 0)
            }
            #expect(service.control.calls(of: .accessoryEvents) == 3)
        }
    }

    @Test("D10: a stream gives all of a burst, in order")
    func burst() async throws {
        try await withService { service, client async throws in
            var lines = try client.lines("/v2/accessories/stream").makeAsyncIterator()
            await service.control.waitForSubscribers(of: .accessories, exactly: 1)
            try service.control.burst("scale-1", count: 1000)
            var numbers: [Int] = []
            while numbers.count < 1000, let line = try await lines.next() {
                if line.hasPrefix("id: "), let number = Int(line.dropFirst(4)) { numbers.append(number) }
            }
            #expect(numbers == Array(1...1000))
        }
    }

    @Test("A reset ends streams and answers long polls")
    func reset() async throws {
        try await withService { service, client async throws in
            let lines = try client.lines("/v2/accessories/stream")
            async let poll = client.get("/v1/accessories/poll?after=0")
            await service.control.waitForSubscribers(of: .accessories, exactly: 2)
            service.control.reset(baseline: .empty)
            var names: [String] = []
            for try await line in lines where line.hasPrefix("event: ") { names.append(line) }
            #expect(names == ["event: ready"])
            #expect(try await poll.json["events"] == [])
            await service.control.waitForSubscribers(of: .accessories, exactly: 0)
            #expect(try await client.get("/v2/accessories").json["items"] == [])
        }
    }
}

/// What a stream of server-sent events has delivered so far.
private struct EventReader {
    private var lines: AsyncThrowingStream<String, any Error>.AsyncIterator
    private(set) var names: [String] = []
    private(set) var identifiers: [String] = []

    init(_ lines: AsyncThrowingStream<String, any Error>) { self.lines = lines.makeAsyncIterator() }

    /// Reads up to the next event with that name, or to the end.
    mutating func read(until name: String) async throws {
        while let line = try await lines.next(isolation: #isolation) {
            if line.hasPrefix("id: ") { identifiers.append(String(line.dropFirst(4))) }
            guard line.hasPrefix("event: ") else { continue }
            names.append(String(line.dropFirst(7)))
            if names.last == name { return }
        }
    }
}
#endif
