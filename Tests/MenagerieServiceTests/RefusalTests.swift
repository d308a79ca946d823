#if Sandbox
import Testing

@testable import MenagerieService

struct RefusalTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let call: String
        var body: String?
        let status: Int
        let code: JSON
        var testDescription: String { "\(call) \(body ?? "")" }
    }

    @Test(
        "ERR: each wrong call is refused with its status and code",
        arguments: [
            Case(call: "GET /v1/animals/x", status: 400, code: .integer(4000)),
            Case(call: "GET /v1/animals/0", status: 404, code: .integer(4040)),
            Case(call: "GET /v1/animals/-9223372036854775808", status: 404, code: .integer(4040)),
            Case(call: "GET /v1/animals/108", status: 404, code: .integer(4040)),
            Case(call: "GET /v1/animals?offset=-1", status: 400, code: .integer(4000)),
            Case(call: "GET /v1/animals?limit=many", status: 400, code: .integer(4000)),
            Case(call: "GET /v1/photos/999", status: 404, code: .integer(4040)),
            Case(call: "GET /v1/nothing", status: 404, code: .integer(4040)),
            Case(call: "DELETE /v1/animals", status: 405, code: .integer(4050)),
            Case(call: "GET /v1/account", status: 401, code: .integer(4010)),
            Case(call: "POST /v1/session", body: "{", status: 400, code: .integer(4000)),
            Case(call: "POST /v1/session", body: "[]", status: 400, code: .integer(4000)),
            Case(call: "POST /v1/session", body: "{\"user\": 1}", status: 422, code: .integer(4220)),
            Case(call: "POST /v1/accessories/none/connect", status: 404, code: .integer(4040)),
            Case(call: "GET /v2/animals/7", status: 400, code: "bad_request"),
            Case(call: "GET /v2/animals/00000000-0000-4000-8000-000000000000", status: 404, code: "not_found"),
            Case(call: "GET /v2/animals/00000000-0000-4000-8000-00000000000%C3%A9", status: 400, code: "bad_request"),
            Case(call: "GET /v2/animals?limit=0", status: 400, code: "bad_request"),
            Case(call: "GET /v2/orders", status: 401, code: "unauthenticated"),
            Case(call: "GET /v2/nothing", status: 404, code: "not_found"),
            Case(call: "GET /", status: 404, code: "not_found"),
            Case(call: "GET /control/calls", status: 404, code: "not_found"),
            Case(call: "POST /v2/auth/token", body: "nope", status: 400, code: "bad_request"),
            Case(call: "POST /v2/auth/token", body: "{\"grantType\": \"magic\"}", status: 422, code: "validation"),
            Case(call: "POST /v2/auth/revoke", body: "{\"refreshToken\": \"x\"}", status: 401, code: "unauthenticated"),
            Case(call: "POST /v2/identifiers/resolve", body: "{\"ids\": [1]}", status: 422, code: "validation"),
            Case(call: "POST /v2/identifiers/resolve", body: "{}", status: 422, code: "validation"),
            Case(call: "POST /v2/messages", body: "{\"text\": \"\\ud800\"}", status: 401, code: "unauthenticated"),
        ]
    )
    func refusals(_ refused: Case) async throws {
        try await withService { _, client async throws in
            let parts = refused.call.split(separator: " ").map(String.init)
            let reply = try await client.send(parts[0], parts[1], bytes: refused.body.map { Array($0.utf8) })
            #expect((reply.status, reply.json.errorCode) == (refused.status, refused.code))
            #expect(reply.json["error"]?["message"]?.text?.isEmpty == false)
        }
    }

    @Test("Without a key every call is refused but those for the pictures themselves")
    func key() async throws {
        try await withService { _, client async throws in
            var client = client
            client.headers["X-Menagerie-Key"] = ""
            let (old, new) = (try await client.get("/v1/animals"), try await client.get("/v2/animals"))
            #expect((old.json.errorCode, new.json.errorCode) == (.integer(4000), "bad_request"))
            #expect(try await client.get("/v1/photos/1").status == 200)
        }
    }

    @Test("D20: v2's errors are in the client's language, v1's in English")
    func language() async throws {
        try await withService { _, client async throws in
            func message(_ address: String) async throws -> String? {
                try await client.get(address, headers: ["Accept-Language": "de"]).json["error"]?["message"]?.text
            }
            let (old, new) = (try await message("/v1/orders"), try await message("/v2/orders"))
            #expect((old, new) == ("not signed in", "Nicht angemeldet."))
        }
    }

    @Test("A body of more than a mebibyte is refused")
    func largeBody() async throws {
        try await withService { _, client async throws in
            let text = JSON.string(String(repeating: "x", count: 1 << 20))
            let reply = try await client.post("/v1/session", ["user": text])
            #expect((reply.status, reply.json.errorCode) == (413, .integer(4130)))
        }
    }
}
#endif
