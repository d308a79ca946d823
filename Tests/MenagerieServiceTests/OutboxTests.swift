#if Sandbox
import Testing

@testable import MenagerieService

/// Checks messages that could not be sent when they were written.
struct OutboxTests {
    private static func body(_ entries: [(id: String, text: String)]) -> JSON {
        ["messages": .array(entries.map { ["localId": .string($0.id), "text": .string($0.text)] })]
    }

    @Test("D26: what was not sent is recorded in its order, each message once, however often it is delivered")
    func once() async throws {
        try await withService { service, client async throws in
            let amara = try await client.signedIn().client
            let unsent = Self.body([("k-1", "fed"), ("k-2", "asleep")])
            let first = try await amara.post("/v2/messages/outbox", unsent)
            #expect(first.status == 200)
            let messages = first.json["messages"]?.elements ?? []
            #expect(messages.map { $0["text"] } == ["fed", "asleep"])
            #expect(messages.map { $0["localId"] } == ["k-1", "k-2"])
            #expect(messages.allSatisfy { $0["author"] == "amara" })
            let more = Self.body([("k-1", "fed"), ("k-2", "asleep"), ("k-3", "awake")])
            let second = try await amara.post("/v2/messages/outbox", more).json["messages"]?.elements ?? []
            #expect(second.prefix(2).map { $0["id"] } == messages.map { $0["id"] })
            #expect(
                try await amara.walk("/v2/messages").items.suffix(3).map { $0["text"] } == ["fed", "asleep", "awake"]
            )
            #expect(service.control.calls(of: .deliverOutbox) == 2)
            #expect(service.control.calls(of: .sendMessage) == 0)
        }
    }

    @Test("A local id is its author's own, and one that was sent before is not recorded again")
    func authors() async throws {
        try await withService { _, client async throws in
            let amara = try await client.signedIn().client
            let noor = try await client.signedIn(as: "noor").client
            let sent = try await amara.post("/v2/messages", ["text": "fed", "localId": "k-1"])
            let same = try await amara.post("/v2/messages/outbox", Self.body([("k-1", "fed")]))
            #expect(same.json["messages"]?.elements.map { $0["id"] } == [sent.json["id"]])
            let other = try await noor.post("/v2/messages/outbox", Self.body([("k-1", "fed")]))
            #expect(other.json["messages"]?.elements.map { $0["author"] } == ["noor"])
            #expect(other.json["messages"]?.elements.first?["id"] != sent.json["id"])
        }
    }

    @Test("If one message cannot be recorded, none is; without messages nothing happens")
    func refusals() async throws {
        try await withService { _, client async throws in
            let amara = try await client.signedIn().client
            let before = try await amara.walk("/v2/messages").items.count
            let spoilt = try await amara.post("/v2/messages/outbox", Self.body([("k-1", "fed"), ("k-2", "")]))
            #expect((spoilt.status, spoilt.json["error"]?["field"]) == (422, "text"))
            let nameless = try await amara.post("/v2/messages/outbox", ["messages": [["text": "fed"]]])
            #expect(nameless.status == 422)
            let anonymous = try await client.post("/v2/messages/outbox", Self.body([("k-1", "fed")]))
            #expect((anonymous.status, anonymous.json.errorCode) == (401, "unauthenticated"))
            let none = try await amara.post("/v2/messages/outbox", Self.body([]))
            #expect((none.status, none.json["messages"]?.elements.count) == (200, 0))
            #expect(try await amara.walk("/v2/messages").items.count == before)
        }
    }
}
#endif
