#if Server
import Cofferdam
import CofferdamSupport
import CofferdamContracts
import CofferdamCurl
import CofferdamDevice
import CofferdamUpgrade
import Foundation
import HTTPTypes
import TestSupport
@testable import CofferdamServer

/// What is done to a server over and over, while others use it.
protocol SoakAttack: Sendable {
    var name: String { get }
    /// One step, which waits for nothing that the server may withhold.
    ///
    /// - Throws: if the server is away, or closes the connection.
    mutating func step(_ target: SoakTarget, _ dice: inout SplitMix64) async throws
}

/// The server that is attacked.
struct SoakTarget: Sendable {
    let port: Int
    /// The most connections of one address.
    let perAddress: Int
    /// Answers that no attack may get, with what was asked.
    let faults: Shared<[String]>

    var url: String { "http://127.0.0.1:\(port)" }
    static let capability = "/v1/capabilities/orders"

    static let all: [any SoakAttack] = [
        Flood(name: "flood with the app's token", token: TestServer.tokens[.device]),
        Flood(name: "flood without a token", token: nil), Inventions(), SlowRequests(), Streams(), BadRequests(),
        HugeReports(), StaleSteps(), Pages(),
    ]

    func fault(_ text: String) { faults.change { $0.append(text) } }

    /// A request through a proxy, in the name of that address.
    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        as role: ServerRole?,
        from address: String,
        _ body: [UInt8]? = nil,
        key: String? = nil,
        by client: CurlClient
    ) async throws -> TestServer.Answer {
        var headers = HTTPFields()
        if let role, let token = TestServer.tokens[role] { headers[.authorization] = "Bearer \(token)" }
        if let name = HTTPField.Name("X-Forwarded-For") { headers[name] = address }
        if let key, let name = HTTPField.Name("Idempotency-Key") { headers[name] = key }
        if body != nil { headers[.contentType] = "application/json" }
        let request = try HTTPRequest(method, url: url + path, headerFields: headers)
        let reply = try await client.send(request, body: body.map { .bytes($0) } ?? .empty)
        return TestServer.Answer(
            status: reply.head.status.code,
            headers: reply.head.headerFields,
            text: String(decoding: Array(reply.body), as: UTF8.self)
        )
    }

    /// As ``send(_:_:as:from:_:key:by:)``; another status than these is a fault.
    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        as role: ServerRole?,
        from address: String,
        _ body: [UInt8]? = nil,
        by client: CurlClient,
        expecting statuses: Set<Int>
    ) async throws {
        let answer = try await send(method, path, as: role, from: address, body, by: client)
        guard !statuses.contains(answer.status) else { return }
        fault("\(method) \(path) as \(role?.rawValue ?? "no one"): \(answer.status) \(answer.text.prefix(200))")
    }
}

/// One address sends as many requests as it can.
private struct Flood: SoakAttack {
    let name: String
    let token: String?

    func step(_ target: SoakTarget, _ dice: inout SplitMix64) async throws {
        let connection = try RawConnection(port: target.port)
        let count = 200
        let credentials = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        var text = ""
        for number in 0..<count {
            let path = ["/v1/capabilities/orders/stage", "/v1/capabilities", "/", "/nothing"]
                .randomElement(using: &dice)
            text += "GET \(path ?? "/") HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 203.0.113.7\r\n\(credentials)"
            text += number == count - 1 ? "Connection: close\r\n\r\n" : "\r\n"
        }
        try connection.send(text)
        let answers = try await connection.receive()
        if answers.contains("HTTP/1.1 5") { target.fault("\(name): \(answers.suffix(300))") }
    }
}

/// A stranger with the app's token reports operations, units, builds and breakers that do not exist.
private struct Inventions: SoakAttack {
    let name = "made-up reports"
    private let client = CurlClient()

    func step(_ target: SoakTarget, _ dice: inout SplitMix64) async throws {
        struct Post: Encodable { var reports: [EvidenceReport] }
        let address = "198.51.100.\(Int.random(in: 1...250, using: &dice))"
        let path = SoakTarget.capability + "/stage"
        let answer = try await target.send(.get, path, as: .device, from: address, by: client)
        guard answer.status == 200 else { return }
        let stage = try answer.json(ServedStage.self)
        let first = Int.random(in: 1_000_000_000...2_000_000_000, using: &dice)
        let names = (0..<20).map { _ in "invented-\(Int.random(in: 0...100_000, using: &dice))" }
        let windows = (names + ["list"]).map {
            EvidenceReport.Window(tally: "candidate", operation: $0, marks: [], isSettled: true)
        }
        let epoch = stage.epoch + (Int.random(in: 0...4, using: &dice) == 0 ? -1 : 0)
        var units = Reports.report(stage.stage, epoch: epoch, first..<first + 20, windows)
        units.build = "build-\(Int.random(in: 0...100, using: &dice))"
        let device = Int.random(in: 1...1_000_000, using: &dice)
        let breakers = Reports.breakers(
            stage.stage,
            epoch: stage.epoch,
            device: device,
            (names + ["list"]).map { Reports.breaker(1, open: true, $0) }
        )
        let latencies = Reports.latencies(
            stage.stage,
            epoch: stage.epoch,
            device: device,
            of: "list",
            [(1, Int64.random(in: 1...1_000_000_000, using: &dice))]
        )
        let body = try JSONEncoder().encode(Post(reports: [units, breakers, latencies]))
        try await target.send(
            .post,
            SoakTarget.capability + "/evidence",
            as: .device,
            from: address,
            Array(body),
            by: client,
            expecting: [200, 400, 429, 503]
        )
    }
}

/// Heads and bodies that come byte by byte, and connections whose client is gone or goes.
private struct SlowRequests: SoakAttack {
    let name = "slow and half-open requests"
    private var open: [(connection: RawConnection, rest: ArraySlice<UInt8>)] = []

    private static let post =
        "POST \(SoakTarget.capability)/evidence HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
        + "Authorization: Bearer \(TestServer.tokens[.device] ?? "")\r\nContent-Length: 100000\r\n\r\n"
        + #"{"reports": ["# + String(repeating: " ", count: 1_000)

    mutating func step(_ target: SoakTarget, _ dice: inout SplitMix64) async throws {
        if open.count < target.perAddress / 2 {
            let connection = try RawConnection(port: target.port, from: "127.0.0.66")
            let bytes = Array(Self.post.utf8)
            let begun = Int.random(in: 0..<bytes.count, using: &dice)
            try connection.send(String(decoding: bytes[..<begun], as: UTF8.self))
            open.append((connection, bytes[begun...]))
        }
        open.removeAll { !$0.connection.isOpen }
        for place in open.indices where Int.random(in: 0..<4, using: &dice) == 0 {
            guard let byte = open[place].rest.popFirst() else { continue }
            // Sent or not: a connection that the server has closed goes in the next step.
            try? open[place].connection.send(String(UnicodeScalar(byte)))
        }
        if open.count > 10, Int.random(in: 0..<10, using: &dice) == 0 {
            open.remove(at: Int.random(in: open.indices, using: &dice)).connection.reset()
        }
        try await Task.sleep(for: .milliseconds(5))
    }
}

/// Event streams and long polls that are never read, up to the limit of their address and beyond.
private struct Streams: SoakAttack {
    let name = "streams up to the limit"
    private var open: [RawConnection] = []

    mutating func step(_ target: SoakTarget, _ dice: inout SplitMix64) async throws {
        open.removeAll { !$0.isOpen }
        for number in 0..<10 where open.count < target.perAddress + 10 {
            let connection = try RawConnection(port: target.port, from: "127.0.0.67")
            let isStream = number.isMultiple(of: 2)
            try connection.send(
                "GET \(SoakTarget.capability)/stage\(isStream ? "" : "?wait=60") HTTP/1.1\r\nHost: a\r\n"
                    + (isStream ? "Accept: text/event-stream\r\n" : "If-None-Match: \"0-\"\r\n")
                    + "Authorization: Bearer \(TestServer.tokens[.device] ?? "")\r\n\r\n"
            )
            open.append(connection)
        }
        if Int.random(in: 0..<20, using: &dice) == 0 { open.removeFirst(open.count / 4) }
        try await Task.sleep(for: .milliseconds(20))
    }
}

/// Requests that are not HTTP, or not what the address expects.
private struct BadRequests: SoakAttack {
    let name = "bad requests"

    private static let token = TestServer.tokens[.operator] ?? ""
    private static let requests = [
        "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "GET", "\r\n\r\n\r\n",
        "GET http://[::1 HTTP/1.1\r\nHost: [::1\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "GET /%zz/%00/%ff HTTP/1.1\r\nHost: a\r\n\r\n", "GET /v1/capabilities/%2e%2e HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST \(SoakTarget.capability)/kill HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
        "POST \(SoakTarget.capability)/kill HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "POST \(SoakTarget.capability)/kill HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n"
            + "Content-Length: 3\r\n\r\nzz\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "x", count: 100_000) + "\r\n\r\n",
        "BREW /healthz HTTP/1.1\r\nHost: a\r\n\r\n", "GET /healthz HTTP/9.9\r\nHost: a\r\n\r\n",
        change(#"{"reason": "a test", "target": "nowhere"}"#), change("{"), change("[]"), change("null"),
        change(#"{"reason": 1, "target": []}"#), change(#"{"reason": "\ud800", "target": "legacy"}"#),
        change(String(repeating: "[", count: 5_000)),
    ]

    private static func change(_ body: String) -> String {
        "POST \(SoakTarget.capability)/kill HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
            + "Authorization: Bearer \(token)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    func step(_ target: SoakTarget, _ dice: inout SplitMix64) async throws {
        let text = Self.requests.randomElement(using: &dice) ?? ""
        let connection = try RawConnection(port: target.port, from: "127.0.0.68")
        try connection.send(text)
        connection.finish()
        let answer = try await connection.receive()
        let isYes = answer.hasPrefix("HTTP/1.1 2") && text.contains("/kill")
        if answer.hasPrefix("HTTP/1.1 5") || isYes {
            target.fault("\(text.prefix(100)): \(answer.prefix(300))")
        }
    }
}

/// Reports of megabytes, some of them valid.
private struct HugeReports: SoakAttack {
    let name = "reports of megabytes"
    private let client = CurlClient()
    private let bodies: [[UInt8]] = [
        HugeReports.valid(rows: 8_000), Array(repeating: UInt8(ascii: "["), count: 2 << 20),
        Array(repeating: UInt8(ascii: " "), count: 5 << 20),
        Array("{\"rows\": \"".utf8) + Array(repeating: 97, count: 3 << 20),
    ]

    private static func valid(rows: Int) -> [UInt8] {
        var report = TeamRuns.contracts()
        let rules = report.rules.map(\.id)
        for number in 0..<rows {
            report.rows.append(report.rows[number % 6])
            report.rows[report.rows.count - 1].operation = "operation-\(number)"
            report.rows[report.rows.count - 1].detail = String(repeating: "detail ", count: 20)
            report.rows[report.rows.count - 1].rule = rules[number % rules.count]
        }
        // Encoding such a report cannot fail; an empty one would be refused, and the step would be a fault.
        return (try? Array(TeamRuns.json(report).utf8)) ?? []
    }

    func step(_ target: SoakTarget, _ dice: inout SplitMix64) async throws {
        let body = bodies.randomElement(using: &dice) ?? []
        let statuses: Set = [200, 400, 413, 429, 503]
        let path = SoakTarget.capability + "/contracts"
        try await target.send(.put, path, as: .operator, from: "192.0.2.200", body, by: client, expecting: statuses)
        let page = "/capabilities/orders/contracts"
        try await target.send(.get, page, as: .reader, from: "192.0.2.201", by: client, expecting: [200, 429])
        let evidence = SoakTarget.capability + "/evidence"
        try await target.send(
            .post,
            evidence,
            as: .device,
            from: "198.51.100.251",
            body,
            by: client,
            expecting: [400, 413, 429]
        )
    }
}

/// A person presses "Next step" on a page of yesterday.
private struct StaleSteps: SoakAttack {
    let name = "steps from an old page"
    private let client = CurlClient()

    func step(_ target: SoakTarget, _ dice: inout SplitMix64) async throws {
        let move = ["advance", "promote"].randomElement(using: &dice) ?? ""
        let body =
            #"{"reason": "a test", "despiteGate": true, "from": {"stage": "canary(2000)", "revision": 0}}"#
        try await target.send(
            .post,
            SoakTarget.capability + "/" + move,
            as: .operator,
            from: "192.0.2.202",
            Array(body.utf8),
            by: client,
            expecting: [409, 429, 503]
        )
        try await Task.sleep(for: .milliseconds(20))
    }
}

/// A person has every page open, and an orchestrator asks for the server's health.
private struct Pages: SoakAttack {
    let name = "pages and health"
    private let client = CurlClient()

    func step(_ target: SoakTarget, _ dice: inout SplitMix64) async throws {
        for path in ["/", "/capabilities/orders", "/v1/capabilities", "/metrics", "/v1/refusals?last=100"] {
            try await target.send(.get, path, as: .admin, from: "192.0.2.203", by: client, expecting: [200, 429])
        }
        for path in ["/healthz", "/readyz"] {
            try await target.send(.get, path, as: nil, from: "203.0.113.7", by: client, expecting: [200])
        }
    }
}
#endif
