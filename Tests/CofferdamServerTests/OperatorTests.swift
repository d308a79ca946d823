#if Server
import Cofferdam
import CofferdamDevice
import CofferdamUpgrade
import Foundation
import HTTPTypes
import Testing
import UpgradeTestSupport
@testable import CofferdamServer

@Suite("People move upgrades by the rules of every store") struct OperatorTests {
    private struct Changed: Decodable {
        struct Entry: Decodable {
            var id: String
            var action: String
            var by: String
            var reason: String
        }
        var entry: Entry
    }

    @Test func `a change is in the audit log, by the token's name`() async throws {
        try await TestServer.with { server in
            let answer = try await server.order(
                "advance",
                #""reason": "the shadow may begin", "by": "mallory", "despiteGate": true"#
            )
            let changed = try answer.json(Changed.self).entry
            #expect(changed.action == "advance")
            #expect(changed.by == "operator")
            let store = try #require(try server.plane.parts.upgrades["orders"]).store
            let entry = try #require(try await store.entry(changed.id, of: "orders"))
            #expect(entry.request.reason == "the shadow may begin")
            #expect(entry.request.at == 1_800_000_000_000)
        }
    }

    /// Moves that the rules refuse in some state, each with its body.
    @Test func `what the rules refuse is refused in the tool's words`() async throws {
        try await TestServer.with { server in
            let plan = try UpgradePlan.named(.small)
            let own = MemoryUpgradeStore()
            let moves: [(String, String, UpgradeAction)] = [
                ("resume", "", .resume), ("abort", "", .abort), ("rollback", "", .rollBack()),
                ("advance", "", .advance()), ("advance", #", "despiteGate": true"#, .advance(despiteGate: true)),
                ("advance", "", .advance()),
                ("rollback", #", "to": "canary(1)""#, .rollBack(to: .canary(share: 1))),
                ("kill", #", "target": "freeze""#, .kill(.freeze)), ("abort", "", .abort),
                ("advance", #", "despiteGate": true"#, .advance(despiteGate: true)),
                (
                    "override", #", "operation": "place", "stage": "legacyOnly""#,
                    .override(operation: "place", stage: .legacyOnly)
                ),
                ("resume", "", .resume), ("advance", #", "despiteGate": true"#, .advance(despiteGate: true)),
                (
                    "override", #", "operation": "place", "stage": "legacyOnly""#,
                    .override(operation: "place", stage: .legacyOnly)
                ),
                ("override", #", "operation": "place", "clear": true"#, .override(operation: "place", stage: nil)),
                ("rollback", "", .rollBack()), ("rollback", "", .rollBack()),
                ("kill", #", "target": "legacy""#, .kill(.legacy)), ("advance", "", .advance()),
            ]
            for (number, (name, fields, action)) in moves.enumerated() {
                let answer = try await server.order(name, #""reason": "a test""# + fields)
                do {
                    let request = UpgradeRequest(
                        action,
                        by: "operator",
                        reason: "a test",
                        at: 1_800_000_000_000,
                        id: "\(number)"
                    )
                    _ = try await own.carryOut(request, for: "orders", plan: plan)
                    #expect(answer.status == 200, "\(number) \(name): \(answer.text)")
                } catch let refusal as UpgradeRefusal {
                    #expect(answer.status == 409, "\(number) \(name)")
                    #expect(answer.code == refusal.code.rawValue)
                    #expect(answer.message == refusal.message)
                }
            }
            let store = try #require(try server.plane.parts.upgrades["orders"]).store
            let (here, there) = (try await store.read("orders"), try await own.read("orders"))
            #expect(here?.state.stage == there?.state.stage)
            #expect(here?.state.attempt == there?.state.attempt)
            #expect(here?.kill == there?.kill)
            #expect(
                try await store.history(of: "orders", last: 99).count == own.history(of: "orders", last: 99).count
            )
        }
    }

    @Test func `a change needs a reason`() async throws {
        try await TestServer.with { server in
            let invisible = #""reason": "a\u200b \u2800\u3164..b\u202e", "#
            for reason in ["", #""reason": "", "#, #""reason": "  x ", "#, invisible] {
                for move in UpgradeRequestBody.changes {
                    let rest = #""target": "legacy", "operation": "place", "clear": true, \#(try server.seen())"#
                    let answer = try await server.post("/v1/capabilities/orders/\(move)", "{\(reason)\(rest)}")
                    #expect(answer.status == 400, "\(move) \(reason)")
                    #expect(answer.code == "shortReason")
                    let message = "a change needs a reason of at least 3 letters, digits or symbols, for the log"
                    #expect(answer.message == message)
                }
            }
            let long = String(repeating: "x", count: 1_001)
            #expect(try await server.order("advance", #""reason": "\#(long)""#).status == 400)
            #expect(try server.plane.parts.hub.stage(of: "orders")?.revision == 0)
        }
    }

    @Test(arguments: [
        ("kill", #""target": "everything""#), ("kill", ""), ("rollback", #""to": "shadow""#),
        ("override", #""operation": "a""#),
        ("override", #""operation": "a", "stage": "legacyOnly", "clear": true"#),
        ("override", #""stage": "legacyOnly""#), ("override", #""operation": "a\u001b", "clear": true"#),
    ])
    func `an order that is incomplete is refused`(_ move: String, _ fields: String) async throws {
        try await TestServer.with { server in
            let comma = fields.isEmpty ? "" : ", "
            let answer = try await server.order(move, #""reason": "a test""# + comma + fields)
            #expect(answer.status == 400)
            #expect(answer.code == "invalidBody")
        }
    }

    @Test func `a request with the same key is carried out once`() async throws {
        try await TestServer.with { server in
            let key = try #require(HTTPField.Name("Idempotency-Key"))
            for _ in 0..<3 {
                let answer = try await server.send(
                    .post,
                    "/v1/capabilities/orders/kill",
                    as: .operator,
                    #"{"reason": "test", "target": "legacy"}"#,
                    headers: [key: "incident-7"]
                )
                #expect(answer.status == 200)
                #expect(try answer.json(Changed.self).entry.id == "incident-7")
            }
            let store = try #require(try server.plane.parts.upgrades["orders"]).store
            #expect(try await store.history(of: "orders", last: 9).count == 1)
        }
    }

    @Test func `the status says what the gate needs`() async throws {
        try await TestServer.with { server in
            for post in Reports.inPosts(1_200, Reports.baseline) { try await server.report(post) }
            try await server.order("advance")
            server.time.withLock { $0 += 90_000 }
            struct Status: Decodable {
                struct Gate: Decodable {
                    struct Reason: Decodable { var message: String }
                    var verdict: String
                    var reasons: [Reason]
                    var explanation: String?
                }
                var stage: String
                var next: String
                var ageSeconds: Int
                var plan: String
                var gate: Gate
            }
            let status = try await server.get("/v1/capabilities/orders").json(Status.self)
            #expect(status.stage == "shadow(10000)")
            #expect(status.next == "canary(2000)")
            #expect(status.ageSeconds == 90)
            #expect(status.gate.verdict == "hold")
            #expect(status.gate.explanation?.contains("epoch 1: hold") == true)
            struct Overview: Decodable { var capabilities: [Status] }
            #expect(try await server.get("/v1/capabilities").json(Overview.self).capabilities.count == 1)
        }
    }

    @Test func `its own state is shown: health, readiness and metrics`() async throws {
        try await TestServer.with { server in
            #expect(try await server.get("/healthz", as: nil).text == "ok\n")
            #expect(try await server.get("/readyz", as: nil).text == "ready\n")
            _ = try await server.get("/nothing")
            _ = try await server.send(.delete, "/v1/capabilities", as: .admin)
            let text = try await server.get("/metrics").text
            #expect(text.contains(#"cofferdam_requests_total{route="GET /healthz",status="200"} 1"#))
            #expect(text.contains(#"cofferdam_requests_total{route="none",status="404"} 1"#))
            #expect(text.contains(#"cofferdam_requests_total{route="none",status="405"} 1"#))
            #expect(text.contains(#"cofferdam_epoch{capability="orders",stage="legacyOnly",kill=""} 0"#))
        }
    }

    @Test func `a configuration with a mistake is refused, naming it`() async throws {
        let tokens = try AccessTokens([])
        func failure(_ names: [String], _ change: (inout ControlPlaneConfiguration) -> Void = { _ in }) async
            -> String?
        {
            var configuration = ControlPlaneConfiguration(
                database: "/nonexistent/x.sqlite",
                tokens: tokens,
                capabilities: names.map { HostedCapability($0) }
            )
            change(&configuration)
            do {
                await (try ControlPlane.start(configuration)).stop()
                return nil
            } catch { return "\(error)" }
        }
        #expect(await failure([]) == "there is no capability")
        #expect(await failure(["a", "a"]) == "two capabilities have the same name")
        #expect(await failure(["a/b"])?.hasPrefix("\"a/b\" is not a valid name") == true)
        #expect(await failure(["a"]) { $0.port = 70_000 } == "the port 70000 is not between 0 and 65535")
        #expect(await failure(["a"])?.hasPrefix("the database: /nonexistent/x.sqlite") == true)
    }
}
#endif
