#if Sandbox
import Testing

@testable import MenagerieService

struct MessageTests {
    @Test("D22, D23: v1 lists by the client's clock, newest first; v2 by arrival, oldest first")
    func order() async throws {
        try await withService { _, client async throws in
            let old = try await client.signedInLegacy()
            let new = try await client.signedIn(as: "kenji").client
            // A client whose clock is far behind.
            let sent = try await old.post(
                "/v1/messages",
                ["id": "mine", "text": "late", "sent_at": .number(86400.5)]
            )
            #expect(sent.status == 201)
            #expect(sent.json["sent_at"] == .number(86400.5))
            let listed = try await old.get("/v1/messages").json["messages"]?.elements ?? []
            #expect(listed.last?["id"]?.text == "mine")
            let items = try await new.walk("/v2/messages", limit: 5).items
            #expect(items.last?["id"]?.text == "mine")
            #expect(items.last?["sentAt"]?.text == "1970-01-02T09:00:00.500+09:00")
            #expect(items.compactMap { $0["sequence"]?.integer } == Array(1...items.count))
            #expect(Set(listed.map { $0["id"] }) == Set(items.map { $0["id"] }))
        }
    }

    @Test("An id that exists is a conflict on v1; v2 gives the id and keeps the local one")
    func sending() async throws {
        try await withService { _, client async throws in
            let old = try await client.signedInLegacy()
            let taken = try await old.post("/v1/messages", ["id": "m-1", "text": "x", "sent_at": .integer(1)])
            #expect((taken.status, taken.json.errorCode) == (409, .integer(4090)))
            let sent = try await client.signedIn().client.post("/v2/messages", ["text": "hi", "localId": "here-1"])
            #expect(sent.status == 201)
            #expect(sent.json["localId"]?.text == "here-1")
            #expect(sent.json["author"]?.text == "amara")
            let empty = try await client.signedIn().client.post("/v2/messages", ["text": ""])
            #expect((empty.status, empty.json["error"]?["field"]) == (422, "text"))
        }
    }
}
#endif
