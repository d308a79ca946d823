#if Sandbox
import Testing

@testable import MenagerieService

struct AccountTests {
    @Test(
        "Each user signs in on both APIs, in the account's currency",
        arguments: ["amara": "EUR", "kenji": "JPY", "noor": "KWD"]
    )
    func signIn(user: String, currency: String) async throws {
        try await withService { _, client async throws in
            let old = try await client.signedInLegacy(as: user).get("/v1/account")
            #expect(old.json["currency"]?.text == currency)
            let new = try await client.signedIn(as: user).client.get("/v2/account")
            #expect(new.json["currency"]?.text == currency)
            #expect(new.json["id"] == old.json["user_id"])
        }
    }

    @Test("A wrong password, an unknown user and a token of the other API are refused")
    func refusals() async throws {
        try await withService { service, client async throws in
            for (user, password) in [("amara", "wrong"), ("unknown", "sandbox")] {
                let body: JSON = ["user": .string(user), "password": .string(password)]
                #expect(try await client.post("/v1/session", body).json.errorCode == .integer(4010))
                let grant: JSON = ["grantType": "password", "user": .string(user), "password": .string(password)]
                #expect(try await client.post("/v2/auth/token", grant).json.errorCode == "unauthenticated")
            }
            let (old, new) = (try await client.signedInLegacy(), try await client.signedIn().client)
            #expect(try await old.get("/v2/account").json.errorCode == "unauthenticated")
            #expect(try await new.get("/v1/account").json.errorCode == .integer(4010))
            #expect(service.control.calls(of: .signIn) == 6)
        }
    }

    @Test("D16: an access token expires, v1's does not; a refresh gives a new pair")
    func expiry() async throws {
        try await withService { service, client async throws in
            let old = try await client.signedInLegacy()
            let (new, refreshToken) = try await client.signedIn()
            service.control.advanceClock(by: .seconds(800))
            #expect(try await new.get("/v2/account").status == 200)
            service.control.advanceClock(by: .seconds(100))
            let expired = try await new.get("/v2/account")
            #expect((expired.status, expired.json.errorCode) == (401, "token_expired"))
            #expect(try await old.get("/v1/account").status == 200)
            var renewed = new
            renewed.token = try await client.refresh(refreshToken).json["accessToken"]?.text
            #expect(try await renewed.get("/v2/account").status == 200)
            service.control.expireAccessTokens()
            #expect(try await renewed.get("/v2/account").json.errorCode == "token_expired")
            service.control.advanceClock(by: .seconds(366 * 86_400))
            #expect(try await old.get("/v1/account").json.errorCode == .integer(4010))
            #expect((service.control.calls(of: .refresh), service.control.calls(of: .signIn)) == (1, 2))
        }
    }

    @Test("D16: using a refresh token twice revokes the whole family, and no other")
    func reuse() async throws {
        try await withService { _, client async throws in
            let (first, refreshToken) = try await client.signedIn()
            let (other, _) = try await client.signedIn()
            let renewed = try await client.refresh(refreshToken)
            #expect(renewed.status == 200)
            let reused = try await client.refresh(refreshToken)
            #expect((reused.status, reused.json.errorCode) == (401, "token_reused"))
            #expect(try await first.get("/v2/account").json.errorCode == "unauthenticated")
            let newest = try #require(renewed.json["refreshToken"]?.text)
            #expect(try await client.refresh(newest).json.errorCode == "unauthenticated")
            #expect(try await other.get("/v2/account").status == 200)
        }
    }

    @Test("A revoked session is over at once; revoking again changes nothing")
    func revocation() async throws {
        try await withService { service, client async throws in
            let old = try await client.signedInLegacy()
            let (new, refreshToken) = try await client.signedIn()
            for _ in 0..<2 {
                let reply = try await client.post("/v2/auth/revoke", ["refreshToken": .string(refreshToken)])
                #expect(reply.status == 204)
            }
            #expect(try await new.get("/v2/account").json.errorCode == "unauthenticated")
            #expect(try await old.get("/v1/account").status == 200)
            service.control.revokeSessions()
            #expect(try await old.get("/v1/account").json.errorCode == .integer(4010))
            #expect(try await client.signedInLegacy().get("/v1/account").status == 200)
        }
    }

    @Test("Tokens survive a new sandbox of the same seed, and not one of another seed")
    func survival() async throws {
        let (legacy, access, refresh) = try await withService(.init(seed: 5)) { _, client async throws in
            let (new, refresh) = try await client.signedIn(as: "noor")
            return (try await client.signedInLegacy(as: "noor").token, new.token, refresh)
        }
        for (seed, status) in [(UInt64(5), 200), (6, 401)] {
            try await withService(.init(seed: seed)) { _, client async throws in
                var client = client
                client.token = legacy
                #expect(try await client.get("/v1/account").status == status)
                client.token = access
                #expect(try await client.get("/v2/account").status == status)
                #expect(try await client.refresh(refresh).status == status)
            }
        }
    }
}
#endif
