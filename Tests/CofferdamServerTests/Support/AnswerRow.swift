#if Server
import Cofferdam
import CofferdamContracts
import CofferdamDevice
import CofferdamUpgrade
import Foundation
import HTTPTypes
import Testing
import TestSupport
@testable import CofferdamServer

/// A request, with the answer that it must get.
struct AnswerRow: Sendable, CustomTestStringConvertible {
    typealias Body = @Sendable (TestServer) async throws -> Void
    typealias Send = @Sendable (TestServer) async throws -> TestServer.Answer
    typealias Effect = @Sendable (TestServer) async throws -> Bool

    var route: String
    var what: String
    var status: Int
    /// Nil if it is no refusal.
    var code: String?
    var configure: @Sendable (inout ControlPlaneConfiguration) -> Void = { _ in }
    var prepare: Body = { _ in }
    var send: Send
    /// What a GET shows afterwards; nil if nothing may have changed.
    var effect: Effect?

    var testDescription: String { "\(route): \(what): \(status) \(code ?? "")" }

    static var all: [AnswerRow] {
        moves.flatMap { $0.apiRows + $0.formRows } + evidence + enrolments + reports + reading
    }

    // MARK: Parts

    static let noLimit = RequestRate(perSecond: 0, burst: 0)
    fileprivate static let one = RequestRate(perSecond: 1, burst: 1)
    fileprivate static let capability = "/v1/capabilities/orders"

    /// What a refusal must not change.
    static func snapshot(_ server: TestServer) async throws -> [String] {
        let parts = try server.plane.parts
        let upgrade = try #require(parts.upgrades["orders"])
        let stage = try parts.hub.stage(of: "orders").map {
            String(decoding: try ServerJSON.bytes($0), as: UTF8.self)
        }
        // A database that was removed has nothing to compare.
        let log = try? await upgrade.store.history(of: "orders", last: 100).map(\.id)
        let reports = try? await parts.reports.publications(of: "orders", last: 100).map(\.id)
        var reading = ""
        if let state = try? await upgrade.status().state {
            let counts = try? await upgrade.evidence.reading(of: state, afterSeconds: 60)
            reading = "\(counts?.metrics.sorted { "\($0.key)" < "\($1.key)" } ?? [])"
        }
        return ["\(stage ?? "")", "\(log ?? [])", "\(reports ?? [])", reading]
    }

    static func publish(_ kind: String, to server: TestServer) async throws {
        let body = try kind == "drift" ? TeamRuns.json(TeamRuns.drift()) : TeamRuns.json(TeamRuns.contracts())
        let answer = try await server.send(.put, "\(capability)/\(kind)", as: .operator, body)
        #expect(answer.status == 200, "\(answer.text)")
    }

    fileprivate static func removeDatabase(_ server: TestServer) {
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: server.folder + "/upgrades.sqlite" + suffix)
        }
    }

    fileprivate static func key(_ value: String) -> HTTPFields {
        HTTPField.Name("Idempotency-Key").map { [$0: value] } ?? [:]
    }

    fileprivate static let large = String(repeating: " ", count: 256 << 10) + "{}"

    // MARK: Changes

    struct Move: Sendable {
        var name: String
        /// Makes it possible.
        var prepare: Body = { _ in }
        /// The fields beside the reason.
        var fields: [String: String] = [:]
        /// What a device is given afterwards.
        var isMade: @Sendable (ServedStage) -> Bool

        var isStop: Bool { UpgradeRequestBody.stops.contains(name) }
        var isStepUp: Bool { ["advance", "promote", "override"].contains(name) }
    }

    static let moves = [
        Move(
            name: "advance",
            prepare: { for post in Reports.inPosts(1_200, Reports.baseline) { try await $0.report(post) } }
        ) { $0.stage == .shadow(sample: .all) },
        Move(
            name: "promote",
            prepare: { server in
                for post in Reports.inPosts(1_200, Reports.baseline) { try await server.report(post) }
                try await server.order("advance")
                let clean = {
                    Reports.report(.shadow(sample: .all), epoch: 1, $0, Reports.windows("comparisons", ["match"]))
                }
                for post in Reports.inPosts(2_500, clean) { try await server.report(post) }
            }
        ) { $0.stage == .canary(share: 2000) },
        Move(name: "rollback", prepare: { try await $0.order("advance") }, fields: ["to": "legacyOnly"]) {
            $0.stage == .legacyOnly && $0.attempt == 2
        },
        Move(name: "abort", prepare: { try await $0.order("advance") }) {
            $0.stage == .legacyOnly && $0.attempt == 2
        },
        Move(name: "kill", fields: ["target": "legacy"]) { $0.kill == .legacy },
        Move(name: "resume", prepare: { try await $0.order("kill", #""reason": "a test", "target": "freeze""#) }) {
            $0.kill == nil && $0.revision == 2
        },
        Move(name: "override", fields: ["operation": "place", "stage": "legacyOnly"]) {
            $0.overrides == ["place": .legacyOnly]
        },
        Move(
            name: "replan",
            prepare: { server in
                // Begun by a server with another plan.
                let upgrade = try #require(try server.plane.parts.upgrades["orders"])
                let begin = UpgradeRequest(
                    .advance(despiteGate: true),
                    by: "amara",
                    reason: "a test",
                    at: 1_000,
                    id: "begun"
                )
                let plan = try UpgradePlan(NamedPlan.small.stages, settings: .defaults { $0.limit = 0.02 })
                await upgrade.engine?.adopt(try await upgrade.store.carryOut(begin, for: "orders", plan: plan))
            }
        ) { $0.stage == .shadow(sample: .all) && $0.attempt == 2 },
    ]
}

extension AnswerRow.Move {
    private var route: String { "POST /v1/capabilities/{name}/\(name)" }
    private var path: String { "\(AnswerRow.capability)/\(name)" }

    /// The body of the API, as of the present stage.
    private func body(
        _ server: TestServer,
        reason: String? = "a test",
        from seen: String? = nil,
        without missing: String = ""
    ) throws -> String {
        var parts = fields.map { "\"\($0)\": \"\($1)\"" }
        if let reason { parts.append("\"reason\": \"\(reason)\"") }
        parts.append(try seen ?? server.seen())
        return "{\(parts.filter { missing.isEmpty || !$0.hasPrefix("\"\(missing)\"") }.joined(separator: ", "))}"
    }

    private func isMade(at server: TestServer) async throws -> Bool {
        let stage: ServedStage = try await server.get("\(AnswerRow.capability)/stage", as: .device).json()
        return isMade(stage)
    }

    private func row(
        _ what: String,
        _ status: Int,
        _ code: String?,
        configure: @escaping @Sendable (inout ControlPlaneConfiguration) -> Void = { _ in },
        prepare: @escaping AnswerRow.Body = { _ in },
        effect: AnswerRow.Effect? = nil,
        body: @escaping @Sendable (TestServer) throws -> String,
        headers: HTTPFields = [:]
    ) -> AnswerRow {
        AnswerRow(
            route: route,
            what: what,
            status: status,
            code: code,
            configure: configure,
            prepare: prepare,
            send: { [path] in try await $0.send(.post, path, as: .operator, try body($0), headers: headers) },
            effect: effect
        )
    }

    var apiRows: [AnswerRow] {
        let (move, path) = (self, path)
        let made: AnswerRow.Effect = { try await move.isMade(at: $0) }
        let long = String(repeating: "x", count: 1_001)
        var rows = [
            row("a yes", 200, nil, prepare: prepare, effect: made) { try move.body($0) },
            row("not JSON", 400, "invalidBody") { _ in "{" },
            row("JSON of another form", 400, "invalidBody") { _ in "[1]" },
            row("no reason", 400, "shortReason") { try move.body($0, reason: nil) },
            row("a reason of two letters", 400, "shortReason") { try move.body($0, reason: "ok") },
            row("a reason of 1,001 bytes", 400, "invalidBody") { try move.body($0, reason: long) },
            row("an odd key", 400, "invalidHeader", body: { try move.body($0) }, headers: AnswerRow.key("a b")),
            row("plain text", 415, "notJSON", body: { try move.body($0) }, headers: [.contentType: "text/plain"]),
            row("a large body", 413, "tooLarge") { _ in AnswerRow.large },
            row(
                "the key of another change",
                422,
                "keyUsed",
                prepare: { server in
                    let body = #"{"reason": "a test", "target": "freeze"}"#
                    let kill = "\(AnswerRow.capability)/kill"
                    let answer = try await server.send(
                        .post,
                        kill,
                        as: .operator,
                        body,
                        headers: AnswerRow.key("k")
                    )
                    #expect(answer.status == 200)
                },
                body: { try move.body($0) },
                headers: AnswerRow.key("k")
            ),
            row(
                "too many requests",
                429,
                "tooMany",
                configure: { $0.tokenRate = AnswerRow.one },
                prepare: { server in _ = try await server.post(path, "{") },
                body: { try move.body($0) }
            ),
            row(
                "no database",
                isStop ? 202 : 503,
                isStop ? nil : "unavailable",
                prepare: { server in
                    if move.isStop { try await move.prepare(server) }
                    AnswerRow.removeDatabase(server)
                },
                effect: isStop ? made : nil
            ) { try move.body($0) },
        ]
        rows.append(
            AnswerRow(
                route: route,
                what: "no such upgrade",
                status: 404,
                code: "unknownCapability",
                send: { try await $0.post("/v1/capabilities/nothing/\(move.name)", try move.body($0)) }
            )
        )
        if isStepUp {
            let old = #""from": {"stage": "canary(2000)", "revision": 7}"#
            rows += [
                row("without what it is based on", 400, "incomplete") { try move.body($0, without: "from") },
                row("from an older stage", 409, "movedOn", prepare: prepare) { try move.body($0, from: old) },
            ]
        }
        if name == "advance", let window = try? FreezeWindow("Mon 00:00-Sun 23:59", zone: "UTC") {
            // A promotion needs a verdict first, and an override above the upgrade goes despite the gate.
            rows.append(
                row(
                    "in a freeze window",
                    409,
                    "freezeWindow",
                    configure: { $0.freezes = [window] },
                    prepare: prepare
                ) { try move.body($0) }
            )
        }
        return rows + ownRows
    }

    /// The rules that only this move has.
    private var ownRows: [AnswerRow] {
        let move = self
        func own(
            _ what: String,
            _ status: Int,
            _ code: String?,
            as role: ServerRole = .operator,
            _ fields: String = "",
            prepare: @escaping AnswerRow.Body = { _ in },
            effect: AnswerRow.Effect? = nil
        ) -> AnswerRow {
            let all = #""reason": "a test""# + (fields.isEmpty ? "" : ", " + fields)
            return AnswerRow(
                route: route,
                what: what,
                status: status,
                code: code,
                prepare: prepare,
                send: {
                    try await $0.order(move.name, all, as: role)
                },
                effect: effect
            )
        }
        let toCanary: AnswerRow.Body = { server in
            try await server.order("advance")
            try await server.order("advance")
        }
        let confirmed = #""target": "candidate", "everybodyToV2": true"#
        let place = #""operation": "place""#
        switch name {
        case "advance":
            return [
                own("where the gate decides", 409, "gateDecides", prepare: { try await $0.order("advance") }),
                own("without a baseline", 409, "noBaseline"),
                own(
                    "from a baseline of failures",
                    409,
                    "failingBaseline",
                    prepare: { server in
                        let windows = Reports.windows("legacy", ["failed"], nanoseconds: 1_000_000)
                        let posts = Reports.inPosts(1_200) { Reports.report(.legacyOnly, epoch: 0, $0, windows) }
                        for post in posts { try await server.report(post) }
                    }
                ),
                own(
                    "under the kill switch",
                    409,
                    "frozen",
                    prepare: { try await $0.order("kill", #""reason": "a test", "target": "freeze""#) }
                ),
                own(
                    "at the end",
                    409,
                    "alreadyThere",
                    #""despiteGate": true"#,
                    prepare: { server in
                        for _ in 0..<9 {
                            try await server.order("advance")
                        }
                    }
                ),
            ]
        case "promote":
            return [own("without evidence", 409, "otherVerdict", prepare: { try await $0.order("advance") })]
        case "rollback":
            return [
                own("to no stage", 400, "invalidBody", #""to": "nowhere""#),
                own("to a stage of another plan", 409, "unplanned", #""to": "canary(777)""#, prepare: toCanary),
                own("at the beginning", 409, "alreadyThere"),
            ]
        case "abort": return [own("at the beginning", 409, "alreadyThere")]
        case "replan": return [own("of the plan that it follows", 409, "alreadyThere")]
        case "resume": return [own("without a kill switch", 409, "alreadyThere")]
        case "kill":
            return [
                own("to no side", 400, "invalidBody", #""target": "nowhere""#),
                own("of everyone, unconfirmed", 400, "invalidBody", as: .admin, #""target": "candidate""#),
                own("of everyone, by an operator", 403, "forbidden", confirmed),
                own("of everyone, before V2 answered", 409, "neverAnswered", as: .admin, confirmed),
                own(
                    "of everyone",
                    200,
                    nil,
                    as: .admin,
                    confirmed,
                    prepare: toCanary,
                    effect: {
                        let stage: ServedStage = try await $0.get("\(AnswerRow.capability)/stage", as: .device)
                            .json()
                        return stage.kill == .candidate
                    }
                ),
            ]
        default:
            return [
                own("neither a stage nor clear", 400, "invalidBody", place),
                own("without a name", 400, "invalidBody", #""operation": "", "clear": true"#),
                own("above the upgrade", 409, "gateDecides", place + #", "stage": "candidateOnly""#),
                own(
                    "of an unknown operation",
                    409,
                    "unknownOperation",
                    #""operation": "x", "stage": "legacyOnly""#,
                    prepare: { server in
                        for post in Reports.inPosts(1_200, Reports.baseline) { try await server.report(post) }
                        try await server.order("advance")
                    }
                ),
            ]
        }
    }

    // MARK: Forms

    var formRows: [AnswerRow] {
        let move = self
        let route = "POST /capabilities/{name}/\(name)"
        let path = "/capabilities/orders/\(name)"
        let fields = "reason=a+test&" + fields.map { "\($0)=\($1)" }.joined(separator: "&")
        let type: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        let made: AnswerRow.Effect = { try await move.isMade(at: $0) }
        func form(
            _ what: String,
            _ status: Int,
            _ code: String?,
            configure: @escaping @Sendable (inout ControlPlaneConfiguration) -> Void = { _ in },
            prepare: @escaping AnswerRow.Body = { _ in },
            effect: AnswerRow.Effect? = nil,
            send: @escaping AnswerRow.Send
        ) -> AnswerRow {
            AnswerRow(
                route: route,
                what: what,
                status: status,
                code: code,
                configure: configure,
                prepare: prepare,
                send: send,
                effect: effect
            )
        }
        /// The page must have the move's form, with a stage and a switch that allow it.
        let ready: AnswerRow.Body = { server in
            guard move.name != "promote" else {
                try await server.order("advance")
                return
            }
            try await move.prepare(server)
        }
        var rows = [
            form("a yes", 303, nil, prepare: prepare, effect: made) {
                try await ConsoleTests.submit(move.name, fields, to: $0)
            },
            form("not a form", 415, "notForm") { try await $0.post(path, "{}") },
            form("a field that is no text", 400, "invalidBody") {
                try await $0.send(.post, path, as: .operator, "a=%ff", headers: type)
            },
            form("a large form", 413, "tooLarge") {
                try await $0.send(.post, path, as: .operator, AnswerRow.large, headers: type)
            },
            form("no such upgrade", 404, "unknownCapability") {
                try await $0.send(.post, "/capabilities/nothing/\(move.name)", as: .operator, "", headers: type)
            },
            form("of another site", 403, "foreignForm", prepare: ready) {
                try await ConsoleTests.submit(move.name, fields, to: $0, site: "cross-site")
            },
            form("without its token", 403, "foreignForm", prepare: ready) {
                try await ConsoleTests.submit(move.name, fields, to: $0, form: "")
            },
            form("without its id", 400, "invalidBody", prepare: ready) {
                try await ConsoleTests.submit(move.name, fields, to: $0, id: "")
            },
            form("without a reason", 400, "shortReason", prepare: ready) {
                try await ConsoleTests.submit(move.name, fields.replacing("a+test", with: ""), to: $0)
            },
            form(
                "at another host",
                421,
                "otherHost",
                configure: { $0.publicURL = "https://upgrades.example.com" }
            ) { try await $0.send(.post, path, as: .operator, "", headers: type) },
            form(
                "too many forms",
                429,
                "tooMany",
                configure: { $0.tokenRate = AnswerRow.one },
                prepare: { server in _ = try await server.post(path, "{}") }
            ) { try await $0.send(.post, path, as: .operator, "", headers: type) },
        ]
        if !isStop {
            rows.append(
                form(
                    "used before",
                    409,
                    "formUsed",
                    prepare: { server in
                        try await ready(server)
                        for (key, rest) in [("old", #""stage": "legacyOnly""#), ("new", #""clear": true"#)] {
                            let body =
                                #"{"reason": "a test", "operation": "place", \#(rest), \#(try server.seen())}"#
                            let headers = AnswerRow.key(key)
                            let override = "\(AnswerRow.capability)/override"
                            let answer = try await server.send(
                                .post,
                                override,
                                as: .operator,
                                body,
                                headers: headers
                            )
                            #expect(answer.status == 200, "\(answer.text)")
                        }
                    }
                ) { try await ConsoleTests.submit(move.name, fields, to: $0, id: "old") }
            )
        }
        return rows
    }
}

// MARK: Evidence, reports and reading

extension AnswerRow {
    private static func posted(_ units: Int) -> [EvidenceReport] {
        [Reports.report(.shadow(sample: .all), epoch: 1, 0..<units, Reports.windows("comparisons", ["match"]))]
    }

    fileprivate static var evidence: [AnswerRow] {
        let path = "\(capability)/evidence"
        func row(
            _ what: String,
            _ status: Int,
            _ code: String?,
            configure: @escaping @Sendable (inout ControlPlaneConfiguration) -> Void = { _ in },
            prepare: @escaping Body = { try await $0.order("advance") },
            effect: Effect? = nil,
            send: @escaping Send
        ) -> AnswerRow {
            AnswerRow(
                route: "POST /v1/capabilities/{name}/evidence",
                what: what,
                status: status,
                code: code,
                configure: configure,
                prepare: prepare,
                send: send,
                effect: effect
            )
        }
        return [
            row("a yes", 200, nil, effect: { try await $0.status().gate.hasUnits }) {
                try await $0.report(posted(3))
            },
            row("not JSON", 400, "invalidBody") { try await $0.post(path, as: .device, "{") },
            row("too many units", 400, "invalidReport") { try await $0.report(posted(1_001)) },
            row("plain text", 415, "notJSON") {
                try await $0.send(.post, path, as: .device, "{}", headers: [.contentType: "text/plain"])
            },
            row("a large body", 413, "tooLarge") { try await $0.post(path, as: .device, large) },
            row("no such upgrade", 404, "unknownCapability") {
                try await $0.post("/v1/capabilities/nothing/evidence", as: .device, "{}")
            },
            row("too many of an address", 429, "tooMany", configure: { $0.addressRate = one }) {
                _ = try await $0.post(path, as: .device, "{")
                return try await $0.report(posted(3))
            },
            row("too many of all devices", 429, "tooMany", configure: { $0.tokenRate = one }) {
                _ = try await $0.post(path, as: .device, "{")
                return try await $0.report(posted(3))
            },
            row(
                "no database",
                503,
                "unavailable",
                prepare: {
                    try await $0.order("advance")
                    removeDatabase($0)
                }
            ) { try await $0.report(posted(3)) },
            row(
                "of an upgrade of the process",
                409,
                "notPosted",
                configure: { configuration in
                    guard let plan = try? UpgradePlan.named(.small) else { return }
                    configuration.capabilities = []
                    configuration.watched = [
                        WatchedUpgrade(
                            "orders",
                            planName: "a try",
                            plan: plan,
                            store: MemoryUpgradeStore(),
                            evidence: NoEvidence()
                        )
                    ]
                }
            ) { try await $0.report(posted(3)) },
            row("half a body", 400, "incompleteBody") { server in
                let connection = try RawConnection(port: try server.plane.port)
                try connection.send(
                    "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n"
                        + "Authorization: Bearer secret-of-device\r\n\r\n{"
                )
                connection.finish()
                // The client is gone, so only the audit log has the answer.
                let refusals = try server.plane.parts.refusals
                await until { ((try? await refusals.last(1)) ?? []).first?.code == "incompleteBody" }
                let status = try await refusals.last(1).first?.status ?? 0
                return TestServer.Answer(status: status, headers: [:], text: "")
            },
        ]
    }

    private struct NoEvidence: EvidenceSource {
        func reading(of state: UpgradeState, afterSeconds seconds: Int) async throws -> GateReading {
            GateReading(stage: state.stage, epoch: state.epoch, seconds: seconds, metrics: [:])
        }
    }

    fileprivate static var enrolments: [AnswerRow] {
        let path = "\(capability)/enrolments"
        let installation = Installation()
        func row(
            _ what: String,
            _ status: Int,
            _ code: String?,
            at place: String = "enrolments",
            configure: @escaping @Sendable (inout ControlPlaneConfiguration) -> Void = { _ in },
            prepare: @escaping Body = { _ in },
            effect: Effect? = nil,
            send: @escaping Send
        ) -> AnswerRow {
            AnswerRow(
                route: "POST /v1/capabilities/{name}/\(place)",
                what: what,
                status: status,
                code: code,
                configure: configure,
                prepare: prepare,
                send: send,
                effect: effect
            )
        }
        let enrol: Send = { try await installation.enrolment(at: $0) }
        let long = String(repeating: "x", count: (32 << 10) + 1)
        return [
            row(
                "a yes",
                200,
                nil,
                effect: { server in
                    // It may sign its posts from now on.
                    var enrolled = installation
                    try await enrolled.enrol(at: server)
                    try await server.order("advance")
                    return try await enrolled.report(posted(3), to: server).status == 200
                },
                send: enrol
            ),
            row("not offered", 404, "notOffered", configure: { $0.enrolmentsPerHour = 0 }, send: enrol),
            row("no such upgrade", 404, "unknownCapability") {
                try await $0.post("/v1/capabilities/nothing/enrolments", as: .device, "{}")
            },
            row("not JSON", 400, "invalidBody") { try await $0.post(path, as: .device, "{") },
            row("no key", 400, "invalidKey") { try await $0.post(path, as: .device, #"{"publicKey": "AAAA"}"#) },
            row("a long attestation", 400, "invalidAttestation") {
                try await installation.enrolment(at: $0, attestation: long)
            },
            row("unsigned", 403, "invalidSignature") {
                let key = installation.key.publicKey.base64EncodedString()
                return try await $0.post(path, as: .device, #"{"publicKey": "\#(key)"}"#)
            },
            row("plain text", 415, "notJSON") {
                try await $0.send(.post, path, as: .device, "{}", headers: [.contentType: "text/plain"])
            },
            row("a large body", 413, "tooLarge") { try await $0.post(path, as: .device, large) },
            row(
                "too many from an address",
                429,
                "tooMany",
                configure: { $0.enrolmentsPerHour = 1 },
                prepare: { server in
                    let answer = try await Installation().enrolment(at: server)
                    #expect(answer.status == 200)
                },
                send: enrol
            ),
            row("no database", 503, "unavailable", prepare: { removeDatabase($0) }, send: enrol),
            row("by one that has not enrolled", 403, "unknownInstallation", at: "evidence") {
                try await installation.report(posted(3), to: $0, as: "unknown")
            },
            row(
                "signed for another address",
                403,
                "invalidSignature",
                at: "evidence",
                prepare: { server in
                    let answer = try await installation.enrolment(at: server)
                    #expect(answer.status == 200)
                    try await server.order("advance")
                }
            ) { server in
                var enrolled = installation
                try await enrolled.enrol(at: server)
                return try await enrolled.report(posted(3), to: server, signing: "/elsewhere")
            },
        ]
    }

    fileprivate static var reports: [AnswerRow] {
        ["contracts", "drift"].flatMap { kind -> [AnswerRow] in
            let (path, route) = ("\(capability)/\(kind)", "PUT /v1/capabilities/{name}/\(kind)")
            func row(
                _ what: String,
                _ status: Int,
                _ code: String?,
                configure: @escaping @Sendable (inout ControlPlaneConfiguration) -> Void = { _ in },
                prepare: @escaping Body = { _ in },
                effect: Effect? = nil,
                send: @escaping Send
            ) -> AnswerRow {
                AnswerRow(
                    route: route,
                    what: what,
                    status: status,
                    code: code,
                    configure: configure,
                    prepare: prepare,
                    send: send,
                    effect: effect
                )
            }
            @Sendable func put(_ server: TestServer, _ body: String, _ headers: HTTPFields = [:]) async throws
                -> TestServer.Answer
            { try await server.send(.put, path, as: .operator, body, headers: headers) }
            @Sendable func good() throws -> String {
                try kind == "drift" ? TeamRuns.json(TeamRuns.drift()) : TeamRuns.json(TeamRuns.contracts())
            }
            @Sendable func excessive() throws -> String {
                guard kind == "contracts" else {
                    let calls = #"[{"name": "a", "compared": 9223372036854775807}, {"name": "b", "compared": 1}]"#
                    return #"{"legacy": "a", "candidate": "b", "drifts": [], "calls": \#(calls)}"#
                }
                var many = TeamRuns.contracts()
                many.adapters = (1...17).map { AdapterDescription(name: "\($0)") }
                return try TeamRuns.json(many)
            }
            return [
                row("a yes", 200, nil, effect: { try await $0.get(path).status == 200 }) {
                    try await put($0, good())
                },
                row("not JSON", 400, "invalidBody") { try await put($0, "{") },
                row("above a limit", 400, "invalidReport") { try await put($0, excessive()) },
                row("an odd key", 400, "invalidHeader") { try await put($0, good(), key("a b")) },
                row("plain text", 415, "notJSON") { try await put($0, good(), [.contentType: "text/plain"]) },
                row("a large body", 413, "tooLarge", configure: { $0.maxReport = 100 }) {
                    try await put($0, good())
                },
                row("no such upgrade", 404, "unknownCapability") {
                    try await $0.send(.put, "/v1/capabilities/nothing/\(kind)", as: .operator, good())
                },
                row("too many requests", 429, "tooMany", configure: { $0.tokenRate = one }) {
                    _ = try await put($0, "{")
                    return try await put($0, good())
                },
                row("no database", 503, "unavailable", prepare: { removeDatabase($0) }) {
                    try await put($0, good())
                },
            ]
        }
    }

    fileprivate static var reading: [AnswerRow] {
        func row(
            _ path: String,
            _ what: String,
            _ status: Int,
            _ code: String?,
            as role: ServerRole? = .admin,
            headers: HTTPFields = [:],
            configure: @escaping @Sendable (inout ControlPlaneConfiguration) -> Void = { _ in },
            prepare: @escaping Body = { _ in }
        ) -> AnswerRow {
            AnswerRow(
                route: "GET \(path)",
                what: what,
                status: status,
                code: code,
                configure: configure,
                prepare: prepare,
                send: { try await $0.get(path, as: role, headers: headers) }
            )
        }
        let (ofNone, stage) = ("/v1/capabilities/nothing", "\(capability)/stage")
        let parameters = [
            "\(stage)?wait=61", "\(stage)?wait=x", "\(capability)?history=1001",
            "\(capability)/decisions?entry=%20",
            "\(capability)/publications?last=-1", "/v1/refusals?last=x",
        ]
        var rows = parameters.map { row($0, "an odd parameter", 400, "invalidParameter") }
        rows += ["", "/decisions", "/publications", "/contracts", "/drift", "/stage"].map {
            row(ofNone + $0, "no such upgrade", 404, "unknownCapability")
        }
        rows += ["\(capability)/contracts", "\(capability)/drift"].map {
            row($0, "before the first report", 404, "notPublished")
        }
        rows += ["\(capability)/contracts", "\(capability)/drift", "/v1/refusals", "/readyz"].map {
            row($0, "no database", 503, "unavailable", prepare: { removeDatabase($0) })
        }
        rows += ["/nothing", "/v1", "/capabilities", "//v1/nothing"].map {
            row($0, "no such address", 404, "notFound")
        }
        rows += [
            row(stage, "a known stage", 304, nil, headers: [.ifNoneMatch: "\"0-\""]),
            row(stage, "too many requests", 429, "tooMany", as: .device, configure: { $0.addressRate = one }) {
                _ = try await $0.get(stage, as: .device)
            },
            row(
                stage,
                "too many that wait",
                503,
                "busy",
                headers: [.accept: "text/event-stream"],
                configure: { $0.maxSubscribers = 1 },
                prepare: { server in
                    let hub = try server.plane.parts.hub
                    let stages = try #require(hub.stages(of: "orders"))
                    held.change { $0.append(stages) }
                }
            ),
        ]
        rows.append(
            AnswerRow(
                route: "GET /v1/capabilities",
                what: "two hosts",
                status: 400,
                code: "invalidHost",
                send: { server in
                    let connection = try RawConnection(port: try server.plane.port)
                    try connection.send(
                        "GET /v1/capabilities HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n"
                    )
                    let text = try await connection.receive()
                    let status = Int(text.dropFirst(9).prefix(3)) ?? 0
                    let body = text.components(separatedBy: "\r\n\r\n").last ?? ""
                    return TestServer.Answer(status: status, headers: [:], text: body)
                }
            )
        )
        return rows
    }

    /// Waiting clients that must not go before the test ends.
    private static let held = Shared<[AsyncStream<ServedStage>]>([])
}
#endif
