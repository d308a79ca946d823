#if Server
import Cofferdam
import CofferdamCurl
import CofferdamDevice
import CofferdamTesting
import CofferdamUpgrade
import Foundation
import HTTPTypes
import Testing
import TestSupport
@testable import CofferdamServer

@Suite("Who may do what") struct AccessTests {
    private static let evidence = "/v1/capabilities/orders/evidence"
    private static let kill = "/v1/capabilities/orders/kill"

    /// Each address, with the roles that it admits.
    private static let addresses: [(HTTPRequest.Method, String, Set<ServerRole>)] = [
        (.get, "/v1/capabilities/orders/stage", Set(ServerRole.allCases)),
        (.post, evidence, [.device]),
        (.get, "/v1/capabilities", [.reader, .operator, .admin]),
        (.get, "/v1/capabilities/orders", [.reader, .operator, .admin]),
        (.get, "/", [.reader, .operator, .admin]),
        (.get, "/capabilities/orders/contracts", [.reader, .operator, .admin]),
        (.get, "/v1/capabilities/orders/contracts", [.reader, .operator, .admin]),
        (.get, "/v1/capabilities/orders/drift", [.reader, .operator, .admin]),
        (.get, "/v1/capabilities/orders/publications", [.reader, .operator, .admin]),
        (.put, "/v1/capabilities/orders/contracts", [.operator, .admin]),
        (.put, "/v1/capabilities/orders/drift", [.operator, .admin]),
        (.get, "/metrics", [.reader, .operator, .admin]),
        (.get, "/v1/refusals", [.admin]),
        (.post, kill, [.operator, .admin]),
        (.post, "/v1/capabilities/orders/advance", [.operator, .admin]),
        (.post, "/v1/capabilities/orders/promote", [.operator, .admin]),
        (.post, "/v1/capabilities/orders/rollback", [.operator, .admin]),
        (.post, "/v1/capabilities/orders/abort", [.operator, .admin]),
        (.post, "/v1/capabilities/orders/resume", [.operator, .admin]),
        (.post, "/v1/capabilities/orders/replan", [.operator, .admin]),
        (.post, "/v1/capabilities/orders/override", [.operator, .admin]),
    ]

    @Test func `every address admits exactly its roles`() async throws {
        try await TestServer.with { server in
            for (method, path, roles) in Self.addresses {
                let body = method == .get ? nil : "{}"
                for role in ServerRole.allCases {
                    let answer = try await server.send(method, path, as: role, body)
                    #expect((answer.status == 403) == !roles.contains(role), "\(method) \(path) as \(role)")
                }
                #expect(try await server.send(method, path, as: nil, body).status == 401, "\(method) \(path)")
                for forged in ["Bearer wrong", "Bearer ", "Basic !", "secret-of-admin", "Bearer secret-of-admin2"] {
                    let answer = try await server.send(
                        method,
                        path,
                        as: nil,
                        body,
                        headers: [.authorization: forged]
                    )
                    #expect(answer.status == 401, "\(method) \(path) with \(forged)")
                }
            }
            let stage = try server.plane.parts.hub.stage(of: "orders")
            #expect(stage?.revision == 0, "nothing was changed")
        }
    }

    @Test func `a device's token on an operator's address is refused and audited`() async throws {
        try await TestServer.with { server in
            let answer = try await server.post(Self.kill, as: .device, #"{"reason": "test", "target": "legacy"}"#)
            #expect(answer.status == 403)
            #expect(answer.message == "a token with the role device may not do that")
            let last = try #require(try await server.plane.parts.refusals.last(10).first)
            #expect(last.by == "device")
            #expect(last.address == "127.0.0.1")
            #expect(last.request == "POST \(Self.kill)")
            #expect(last.status == 403)
            let shown = try await server.get("/v1/refusals", as: .admin)
            #expect(shown.text.contains(#""code":"forbidden""#))
        }
    }

    @Test func `a change that the rules refuse is audited too`() async throws {
        try await TestServer.with { server in
            #expect(try await server.order("resume").status == 409)
            let last = try #require(try await server.plane.parts.refusals.last(10).first)
            #expect(last.by == "operator")
            #expect(last.message == "no kill switch is set")
        }
    }

    @Test func `a flood without a token does not displace the audit log's other entries`() async throws {
        try await TestServer.with({ $0.addressRate = RequestRate(perSecond: 0, burst: 0) }) { server in
            #expect(try await server.order("resume").status == 409)
            for _ in 0..<60 { #expect(try await server.get("/", as: nil).status == 401) }
            let refusals = try await server.plane.parts.refusals.last(100)
            #expect(refusals.count == 21)
            #expect(try await server.get("/metrics").text.contains("cofferdam_audit_dropped_total 40\n"))
            #expect(try await server.post(Self.kill, as: .device, "{}").status == 403)
            let last = try await server.plane.parts.refusals.last(1).first
            #expect(last?.status == 403, "one with a token is written")
        }
    }

    @Test func `a body that is too large is refused, whole or in parts`() async throws {
        try await TestServer.with({ $0.maxBody = 10_000 }) { server in
            let large = #"{"reports": ["# + String(repeating: " ", count: 20_000) + "]}"
            #expect(try await server.post(Self.evidence, as: .device, large).status == 413)
            var request = try HTTPRequest(.post, url: try server.plane.url + Self.evidence)
            request.headerFields[.authorization] = "Bearer secret-of-device"
            request.headerFields[.contentType] = "application/json"
            let blocks = AsyncStream<[UInt8]> { continuation in
                for _ in 0..<20 { continuation.yield([UInt8](repeating: 32, count: 1_000)) }
                continuation.finish()
            }
            do {
                let reply = try await server.client.send(request, body: .stream(blocks))
                #expect(reply.head.status == .contentTooLarge)
            } catch let error as CurlError {
                // The server may close the connection while the body is still being sent.
                #expect([.connectionLost, .truncated].contains(error.code), "\(error)")
            }
            #expect(try await server.get("/healthz", as: nil).status == 200)
        }
    }

    @Test func `only JSON is accepted`() async throws {
        try await TestServer.with { server in
            let headers: HTTPFields = [.contentType: "text/plain"]
            let form = try await server.send(.post, Self.kill, as: .operator, "{}", headers: headers)
            #expect(form.status == 415)
            for body in ["", "[]", "nonsense", #"{"reports": 1}"#, String(repeating: "[", count: 5_000)] {
                #expect(try await server.post(Self.evidence, as: .device, body).status == 400, "\(body.prefix(20))")
            }
        }
    }

    @Test func `an address may send only so many requests`() async throws {
        try await TestServer.with({ $0.addressRate = RequestRate(perSecond: 2, burst: 3) }) { server in
            for _ in 0..<3 { #expect(try await server.get("/style.css", as: nil).status == 200) }
            let refused = try await server.get("/style.css", as: nil)
            #expect(refused.status == 429)
            #expect(refused.headers[.retryAfter] == "1")
            server.clock.advance(by: .seconds(1))
            for _ in 0..<2 { #expect(try await server.get("/style.css", as: nil).status == 200) }
            #expect(try await server.get("/style.css", as: nil).status == 429)
        }
    }

    @Test func `a token may send only so many requests`() async throws {
        try await TestServer.with({ $0.tokenRate = RequestRate(perSecond: 1, burst: 2) }) { server async throws in
            for _ in 0..<2 { #expect(try await server.get("/v1/capabilities").status == 200) }
            #expect(try await server.get("/v1/capabilities").status == 429)
            #expect(try await server.get("/v1/capabilities", as: .admin).status == 200, "another token")
        }
    }

    @Test func `no token is in a log, in an answer or in the file`() async throws {
        try await TestServer.with { server in
            for role in ServerRole.allCases {
                let answer = try await server.get("/", as: role)
                #expect(!answer.text.contains("secret-of"))
                _ = try await server.get("/v1/refusals?last=x&token=secret-of-admin", as: role)
            }
            _ = try await server.get("/", as: nil, headers: [.authorization: "Bearer secret-of-nobody"])
            try await server.order("advance")
            await server.stop()
            for suffix in ["", "-wal"] {
                let data = FileManager.default.contents(atPath: server.folder + "/upgrades.sqlite" + suffix)
                #expect(data?.firstRange(of: Data("secret-of".utf8)) == nil)
            }
            #expect(!server.log.text.contains("secret-of"))
            #expect(server.log.text.contains("advance by operator"))
        }
    }

    @Test func `the refused requests can be read while a flood of others is refused`() async throws {
        try await TestServer.with { server in
            let refusals = try server.plane.parts.refusals
            let refused = RefusedRequest(
                at: 0,
                by: nil,
                address: "192.0.2.1",
                request: "GET /",
                status: 429,
                code: "tooMany",
                message: ""
            )
            let isOver = Shared(false)
            try await withThrowingTaskGroup { group in
                group.addTask {
                    while !isOver.current {
                        refusals.add(refused)
                        await Task.yield()
                    }
                }
                refusals.add(refused)
                for _ in 0..<5 { #expect(try await refusals.last(1).count == 1) }
                isOver.change { $0 = true }
                try await group.waitForAll()
            }
        }
    }

    @Test func `the file of tokens holds no token, and damaged ones are refused`() throws {
        let token = AccessTokens.makeToken()
        #expect(token.utf8.count == 10 + 64)
        #expect(token != AccessTokens.makeToken())
        let entry = AccessTokens.Entry(name: "amara", role: .operator, token: token)
        let path = FileManager.default.temporaryDirectory.appending(path: "tokens-\(UUID()).json").path
        defer { removeFolder(path) }
        try AccessTokens([entry]).write(toFile: path)
        #expect(try String(contentsOfFile: path, encoding: .utf8).contains(token) == false)
        let tokens = try AccessTokens(contentsOfFile: path)
        #expect(tokens.entry(of: token) == entry)
        #expect(tokens.entry(of: token + "0") == nil)
        #expect(tokens.entry(of: "") == nil)
        #expect(throws: ControlPlaneError.self) { try AccessTokens([entry, entry]) }
        for text in ["", "{}", #"{"tokens": [{"name": "a", "role": "king", "sha256": "00"}]}"#] {
            try Data(text.utf8).write(to: URL(filePath: path))
            #expect(throws: ControlPlaneError.self) { try AccessTokens(contentsOfFile: path) }
        }
        #expect(throws: ControlPlaneError.self) {
            try AccessTokens([.init(name: "a\u{1B}[2J", role: .reader, token: "x")])
        }
    }
}
#endif
