#if Sandbox
import Testing

@testable import MenagerieService

@Suite(.timeLimit(.minutes(5)))
struct ControlInterfaceTests {
    @Test(
        "The control interface is refused on every address but the loopback's",
        arguments: [
            "0.0.0.0", "::", "192.168.1.1", "10.0.0.1", "example.org", "",
        ]
    )
    func loopbackOnly(host: String) async throws {
        let error = await #expect(throws: ServiceError.self) {
            try await startService(ServiceConfiguration(host: host, control: true))
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("loopback only") == true)
    }

    @Test("There is no control interface by default", arguments: ["reset", "calls", "faults", "state"])
    func offByDefault(name: String) async throws {
        try await withService { _, client async throws in
            #expect(try await client.get("/control/\(name)").status == 404)
            #expect(try await client.post("/control/\(name)").status == 404)
        }
    }

    @Test(
        "Every fault has a name and its parameters",
        arguments: [
            (
                "{\"fault\": \"status\", \"status\": 503, \"retryAfterSeconds\": 2}",
                Fault.status(503, retryAfter: .seconds(2))
            ),
            ("{\"fault\": \"gateway\", \"status\": 502}", .gateway(502)),
            (
                "{\"fault\": \"gateway\", \"status\": 429, \"retryAfterSeconds\": 9}",
                .gateway(429, retryAfter: .seconds(9))
            ),
            (
                "{\"fault\": \"gateway\", \"status\": 503, \"retryDateAfterSeconds\": 60}",
                .gateway(503, retryAfter: .date(after: .seconds(60)))
            ),
            (
                "{\"fault\": \"gateway\", \"status\": 503, \"retryAfterText\": \"x\"}",
                .gateway(503, retryAfter: .text("x"))
            ),
            ("{\"fault\": \"html\"}", .html), ("{\"fault\": \"garbage\"}", .garbage),
            ("{\"fault\": \"redirect\", \"to\": \"http://other.invalid/\"}", .redirect(to: "http://other.invalid/")),
            ("{\"fault\": \"redirectLoop\"}", .redirectLoop),
            ("{\"fault\": \"gzipBomb\", \"bytes\": 9}", .gzipBomb(bytes: 9)),
            ("{\"fault\": \"wrongType\", \"field\": \"id\"}", .altered(.wrongType("id"))),
            ("{\"fault\": \"missingField\", \"field\": \"id\"}", .altered(.missing("id"))),
            ("{\"fault\": \"nullField\", \"field\": \"id\"}", .altered(.null("id"))),
            ("{\"fault\": \"emptyField\", \"field\": \"id\"}", .altered(.empty("id"))),
            ("{\"fault\": \"unknownField\"}", .altered(.extraField)),
            ("{\"fault\": \"encoded\", \"coding\": \"br\"}", .encoded(.brotli)),
            ("{\"fault\": \"chunked\"}", .chunked), ("{\"fault\": \"conflictingLengths\"}", .conflictingLengths),
            ("{\"fault\": \"stall\", \"afterBytes\": 4}", .stall(afterBytes: 4)),
            ("{\"fault\": \"unknownValue\", \"field\": \"kind\"}", .altered(.unknownValue("kind"))),
            ("{\"fault\": \"truncated\"}", .truncated),
            ("{\"fault\": \"cut\", \"afterBytes\": 4}", .cut(afterBytes: 4)),
            ("{\"fault\": \"cut\", \"afterBytes\": 4, \"ending\": \"reset\"}", .cut(afterBytes: 4, .reset)),
            ("{\"fault\": \"wrongContentLength\", \"by\": -3}", .wrongContentLength(by: -3)),
            ("{\"fault\": \"malformedChunk\"}", .malformedChunk), ("{\"fault\": \"reset\"}", .reset),
            ("{\"fault\": \"emptyReply\"}", .emptyReply), ("{\"fault\": \"commitThenCut\"}", .commitThenCut),
            ("{\"fault\": \"hold\"}", .hold), ("{\"fault\": \"delay\", \"seconds\": 0.5}", .delay(.seconds(0.5))),
            (
                "{\"fault\": \"logNormalDelay\", \"medianSeconds\": 1, \"sigma\": 0.5}",
                .logNormalDelay(median: .seconds(1), sigma: 0.5)
            ),
            ("{\"fault\": \"stall\", \"afterBytes\": 1}", .stall(afterBytes: 1)),
            ("{\"fault\": \"dribble\", \"pauseSeconds\": 1}", .dribble(pause: .seconds(1))),
            ("{\"fault\": \"slowClose\", \"seconds\": 1}", .slowClose(.seconds(1))),
        ]
    )
    func names(text: String, fault: Fault) throws {
        #expect(try Fault(Fields(value: JSON(reading: Array(text.utf8)), path: "")) == fault)
    }

    @Test(
        "Invalid input is refused, with the invalid field",
        arguments: [
            ("{\"fault\": \"reset\"}", "operation"), ("{\"fault\": \"flood\", \"operation\": \"account\"}", "fault"),
            ("{\"fault\": \"reset\", \"operation\": \"acount\"}", "operation"),
            ("{\"fault\": \"reset\", \"operation\": \"account\", \"times\": 0}", "times"),
            ("{\"fault\": \"reset\", \"operation\": \"account\", \"tims\": 1}", "tims"),
            ("{\"fault\": \"reset\", \"operation\": \"account\", \"api\": \"v3\"}", "api"),
            ("{\"fault\": \"reset\", \"operation\": \"account\", \"probability\": 2}", "probability"),
            ("{\"fault\": \"status\", \"operation\": \"account\", \"status\": 99}", "status"),
            ("{\"fault\": \"delay\", \"operation\": \"account\", \"seconds\": -1}", "seconds"),
            ("{\"fault\": \"redirect\", \"operation\": \"account\", \"to\": \"a\\r\\nb\"}", "to"),
            (
                "{\"fault\": \"gateway\", \"operation\": \"account\", \"status\": 503, \"retryAfterText\": \"a\\n\"}",
                "retryAfterText"
            ),
            ("{\"fault\": \"gzipBomb\", \"operation\": \"account\", \"bytes\": 99999999999}", "bytes"),
            ("{\"fault\": \"encoded\", \"operation\": \"account\", \"coding\": \"zip\"}", "coding"),
        ]
    )
    func nonsense(text: String, field: String) async throws {
        try await withService(.init(control: true)) { _, client async throws in
            let reply = try await client.send("POST", "/control/faults", bytes: Array(text.utf8))
            #expect(reply.status == 422)
            #expect(reply.json["error"]?["field"]?.text == field)
        }
    }

    @Test("Faults, counters, the state and releases work over HTTP")
    func faults() async throws {
        try await withService(.init(control: true)) { _, client async throws in
            let fault: JSON = [
                "fault": "status", "status": .integer(500), "operation": "listAnimals", "api": "v2",
                "after": .integer(1), "times": .integer(2),
            ]
            #expect(try await client.post("/control/faults", fault).status == 204)
            var statuses: [Int] = []
            for _ in 0..<4 { statuses.append(try await client.get("/v2/animals").status) }
            #expect(statuses == [200, 500, 500, 200])
            let calls = try await client.get("/control/calls?api=v2").json
            #expect(calls["calls"]?["listAnimals"]?.integer == 4)
            #expect(try await client.get("/control/calls?api=v1").json["calls"]?["listAnimals"]?.integer == 0)
            #expect(calls["total"]?.integer == 4)
            #expect(try await client.post("/control/faults", fault).status == 204)
            #expect(try await client.send("DELETE", "/control/faults").status == 204)
            #expect(try await client.get("/control/state").json["animals"]?.integer == 107)
            #expect(try await client.post("/control/release").status == 204)
        }
    }

    @Test("Echoes show what was sent, and of secrets only whether they are equal")
    func echoes() async throws {
        try await withService(.init(control: true)) { _, client async throws in
            let (signedIn, refreshToken) = try await client.signedIn()
            _ = try await signedIn.get("/v2/account?x=1&signature=abc")
            _ = try await client.refresh(refreshToken)
            let account = try await client.get("/control/requests?operation=account")
            let sign = try await client.get("/control/requests?operation=signIn")
            let refresh = try await client.get("/control/requests?operation=refresh")
            let shown = [account, sign, refresh].map { String(decoding: $0.body, as: UTF8.self) }.joined()
            let token = try #require(signedIn.token)
            for secret in [token, refreshToken, "sandbox", "signature=abc"] {
                #expect(!shown.contains(secret), "\(secret) is shown")
            }
            func fingerprint(_ secret: String) async throws -> String? {
                let reply = try await client.post("/control/fingerprint", ["secret": .string(secret)])
                return reply.json["fingerprint"]?.text
            }
            #expect(shown.contains(try #require(try await fingerprint("Bearer \(token)"))))
            let sent = refresh.json["requests"]?.elements.last?["body"]
            #expect(sent?["refreshToken"]?.text == (try await fingerprint(refreshToken)))
            #expect(sent?["refreshToken"]?.text != (try await fingerprint(token)))
            #expect(sent?["grantType"]?.text == "refresh")
            #expect(try await client.get("/control/requests").status == 400)
            #expect(try await client.get("/control/requests?operation=odd").status == 400)
        }
    }

    @Test("Data are inserted and changed over HTTP, and both APIs see it")
    func data() async throws {
        try await withService(.init(control: true)) { service, client async throws in
            let animal: JSON = ["name": "yeti", "kind": "cryptid", "legs": .integer(2)]
            let ids = try await client.post("/control/animals", animal).json
            #expect(ids["legacyId"]?.integer == 108)
            #expect(try await client.get("/v1/animals/108").json["name"]?.text == "yeti")
            #expect(try await client.get("/v2/animals/\(ids["id"]?.text ?? "")").json["heads"] == nil)
            #expect(try await client.post("/control/animals/108/kind", ["kind": "fish"]).status == 204)
            #expect(try await client.get("/v1/animals/108").json["kind"]?.text == "fish")
            let spoilt: JSON = ["fault": "missingField", "field": "name"]
            #expect(try await client.post("/control/animals/108/corruption", spoilt).status == 204)
            #expect(try await client.get("/v1/animals/108").json["name"] == nil)
            #expect(try await client.post("/control/animals/999/kind", ["kind": "fish"]).status == 404)
            #expect(
                try await client.post("/control/animals/many", ["count": .integer(1000)]).json["animals"]?.integer
                    == 1108
            )
            let amara = try await client.signedInLegacy()
            #expect(try await client.post("/control/orders/o-1", ["status": "cancelled"]).status == 204)
            #expect(try await amara.get("/v1/orders/o-1").json["status"]?.text == "cancelled")
            #expect(try await client.post("/control/orders/o-99", ["status": "cancelled"]).status == 422)
            let message = try await client.post("/control/messages", ["author": "noor", "text": "hello"]).json["id"]?
                .text
            #expect(try await amara.get("/v1/messages").json["total"]?.integer == 13)
            #expect(try await client.send("DELETE", "/control/messages/\(message ?? "")").status == 204)
            #expect(try await client.send("DELETE", "/control/messages/none").status == 422)
            let low: JSON = ["battery": .integer(3)]
            #expect(try await client.post("/control/accessories/feeder-1", low).status == 204)
            #expect(try await client.post("/control/accessories/new-1", ["name": "New"]).status == 204)
            #expect(try await client.post("/control/accessories/feeder-1", ["state": "odd"]).status == 422)
            #expect(try await client.send("DELETE", "/control/accessories/new-1").status == 204)
            let shown = try await client.get("/v2/accessories").json["items"]?.elements
            #expect(shown?.first { $0["id"]?.text == "feeder-1" }?["battery"]?.integer == 3)
            #expect(shown?.count == 4)
            for address in ["expire-cursors", "revoke-sessions"] {
                #expect(try await client.post("/control/\(address)").status == 204)
            }
            #expect(try await amara.get("/v1/account").status == 401)
        }
    }
}
#endif
