#if Sandbox
import Testing

@testable import MenagerieService

/// Checks the exchange of a v1 token for a v2 session.
struct ExchangeTests {
    private static func body(_ token: String?, device: String? = nil) -> JSON {
        .members([
            "grantType": "legacy", "legacyToken": token.map(JSON.string), "deviceId": device.map(JSON.string),
        ])
    }

    @Test("D16, D25: a token of v1 is exchanged once, and stays valid on v1")
    func once() async throws {
        try await withService { service, client async throws in
            let old = try await client.signedInLegacy(as: "noor")
            let grant = try await client.post("/v2/auth/token", Self.body(old.token, device: "d-1"))
            #expect(grant.status == 200)
            #expect(grant.json["account"]?["id"] == "noor")
            #expect(grant.json["expiresIn"] == .integer(900))
            var new = client
            new.token = grant.json["accessToken"]?.text
            #expect(try await new.get("/v2/account").json["currency"] == "KWD")
            #expect(try await old.get("/v1/account").status == 200)
            let again = try await client.post("/v2/auth/token", Self.body(old.token))
            #expect((again.status, again.json.errorCode) == (401, "token_reused"))
            // It revokes nothing: the session from the first exchange continues.
            #expect(try await new.get("/v2/account").status == 200)
            let refreshToken = try #require(grant.json["refreshToken"]?.text)
            #expect(try await client.refresh(refreshToken).status == 200)
            #expect(service.control.exchangedTokens == 1)
            #expect(service.control.devices == ["d-1"])
            #expect(service.control.calls(of: .exchange) == 2)
        }
    }

    @Test("D16: the same key gives the same session again, until its refresh token is used")
    func keyed() async throws {
        try await withService { service, client async throws in
            let old = try await client.signedInLegacy()
            let key = ["Idempotency-Key": "start-1"]
            let first = try await client.post("/v2/auth/token", Self.body(old.token), headers: key)
            let again = try await client.post("/v2/auth/token", Self.body(old.token), headers: key)
            #expect(first.status == 200)
            #expect(again.body == first.body)
            let other = ["Idempotency-Key": "start-2"]
            let replayed = try await client.post("/v2/auth/token", Self.body(old.token), headers: other)
            #expect(replayed.json.errorCode == "token_reused")
            #expect(try await client.refresh(first.json["refreshToken"]?.text ?? "").status == 200)
            let late = try await client.post("/v2/auth/token", Self.body(old.token), headers: key)
            #expect(late.json.errorCode == "token_reused")
            #expect(service.control.exchangedTokens == 1)
        }
    }

    @Test("Anything but a token of v1, and one that is too old, is refused")
    func refusals() async throws {
        try await withService { service, client async throws in
            let old = try await client.signedInLegacy()
            let (new, refreshToken) = try await client.signedIn()
            for token in [new.token, refreshToken, "", "v1.amara.1.2.0000000000000000"] {
                let reply = try await client.post("/v2/auth/token", Self.body(token))
                #expect((reply.status, reply.json.errorCode) == (401, "unauthenticated"))
            }
            let nothing = try await client.post("/v2/auth/token", Self.body(nil))
            #expect((nothing.status, nothing.json["error"]?["field"]) == (422, "legacyToken"))
            service.control.advanceClock(by: .seconds(366 * 86_400))
            let expired = try await client.post("/v2/auth/token", Self.body(old.token))
            #expect((expired.status, expired.json.errorCode) == (401, "token_expired"))
            #expect(service.control.exchangedTokens == 0)
        }
    }
}
#endif
