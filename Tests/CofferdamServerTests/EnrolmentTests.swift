#if Server
import Cofferdam
import CofferdamDevice
import CofferdamTesting
import CofferdamUpgrade
import Foundation
import GRDB
import HTTPTypes
import Testing
import TestSupport
@testable import CofferdamServer

@Suite("Installations that enrol") struct EnrolmentTests {
    private struct Receipt: Decodable, Equatable {
        var counted: Int
        var dropped: Int
        var outdated: Int
        var reason: String?
    }

    private static let shadow = Stage.shadow(sample: .all)
    private static let surplus = "units: an installation counts for at most 8 units in an epoch"

    private static func compared(_ units: Range<Int>, _ outcome: String = "match", epoch: Int = 1) -> EvidenceReport {
        Reports.report(shadow, epoch: epoch, units, Reports.windows("comparisons", [outcome]))
    }

    /// Runs the body with a server in the shadow, whose plan counts those.
    private static func withShadow(
        counting counted: CountedInstallations = .all,
        _ change: @escaping @Sendable (inout ControlPlaneConfiguration) -> Void = { _ in },
        baseline: (TestServer) async throws -> Void = { _ in },
        _ body: (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.with({ configuration in
            configuration.capabilities[0].promotionCounts = counted
            configuration.enrolmentsPerHour = 10_000
            change(&configuration)
        }) { server in
            try await baseline(server)
            try await server.order("advance")
            try await body(server)
        }
    }

    private static func decide(_ server: TestServer) async throws -> Decision {
        try #require(try await server.plane.parts.upgrades["orders"]?.engine?.decide())
    }

    // MARK: The gate

    @Test func `made-up units promote nothing where only enrolled installations count, but send back`() async throws {
        for counted in CountedInstallations.allCases where counted != .attested {
            try await Self.withShadow(
                counting: counted,
                baseline: { server in
                    for post in Reports.inPosts(1_200, Reports.baseline) { try await server.report(post) }
                }
            ) { server in
                for post in Reports.inPosts(2_500, { Self.compared($0) }) { try await server.report(post) }
                let decision = try await Self.decide(server)
                #expect(decision.verdict == (counted == .all ? .promote : .hold))
                #expect(decision.contradictions().isEmpty)
                for post in Reports.inPosts(
                    500,
                    { Self.compared($0.lowerBound + 5_000..<$0.upperBound + 5_000, "mismatch") }
                ) {
                    try await server.report(post)
                }
                let bad = try await Self.decide(server)
                #expect(bad.verdict == .rollBack)
                let read = try JSONDecoder().decode(Decision.self, from: JSONEncoder().encode(bad))
                #expect(read.recomputed() == bad, "the counts alone give the decision")
            }
        }
    }

    @Test func `enrolled installations promote, whatever others make up`() async throws {
        // More than with everyone's evidence alone, because the error is shared between both.
        var installations = Array(repeating: 0, count: 500).map { _ in Installation() }
        try await Self.withShadow(
            counting: .enrolled,
            { ($0.addressRate, $0.tokenRate) = (AnswerRow.noLimit, AnswerRow.noLimit) },
            baseline: { server in
                for number in installations.indices {
                    let enrolled = try await installations[number].enrol(at: server)
                    try #require(enrolled.status == 200, "\(enrolled.text)")
                    let units = number * 8..<number * 8 + 8
                    if number < 150 {
                        try await installations[number].report([Reports.baseline(units)], to: server)
                    }
                }
            }
        ) { server in
            for (number, installation) in installations.enumerated() {
                let answer = try await installation.report(
                    [Self.compared(number * 8..<number * 8 + 8)],
                    to: server
                )
                try #require(answer.status == 200, "\(answer.text)")
            }
            let decision = try await Self.decide(server)
            #expect(decision.verdict == .promote, "\(decision.explanation)")
            #expect(decision.explanation.contains("Only enrolled installations count for a promotion."))
        }
    }

    @Test func `what made-up units hide among all, those of enrolled installations show`() async throws {
        try await Self.withShadow(counting: .enrolled) { server in
            for post in Reports.inPosts(2_500, { Self.compared($0) }) { try await server.report(post) }
            for number in 0..<5 {
                var installation = Installation()
                try await installation.enrol(at: server)
                // Even if a stranger has reported the same units before.
                try await installation.report([Self.compared(number * 8..<number * 8 + 8, "mismatch")], to: server)
            }
            let decision = try await Self.decide(server)
            #expect(decision.verdict == .rollBack)
            #expect(decision.reasons.first?.description.contains("of enrolled installations") == true)
            let all = decision.tests.filter { $0.role == .rollBack && $0.counted == .all }
            #expect(!all.isEmpty && all.allSatisfy { !$0.isReached })
        }
    }

    @Test func `the baseline is that of the installations that count`() async throws {
        for counted in CountedInstallations.allCases where counted != .attested {
            try await TestServer.with({ $0.capabilities[0].promotionCounts = counted }) { server in
                for post in Reports.inPosts(1_200, Reports.baseline) { try await server.report(post) }
                try await server.order("advance")
                let baseline = try server.plane.parts.hub.stage(of: "orders")?.baseline
                #expect((baseline == nil) == (counted == .enrolled))
            }
        }
    }

    @Test func `100,000 units of others promote nothing, and 3,000 failures among them send it back`() throws {
        let plan = try UpgradePlan.named(.small, counting: .enrolled)
        #expect(plan.stoppingTests == 2 * (try UpgradePlan.named(.small).stoppingTests))
        let gate = plan.gate(at: Self.shadow)
        let names: [Metric] = [
            .comparison, .mismatches, .pairedFailures, .pairedSlow, .uncounted, .noise,
        ]
        func counts(_ failures: Int, of units: Int) -> [Metric: FailureCounts] {
            var metrics: [Metric: FailureCounts] = [:]
            for name in names {
                let isBad = name == .comparison || name == .mismatches
                metrics[name] = FailureCounts(isBad ? failures : 0, of: units)
                metrics[name.includingOpenWindows] = metrics[name]
            }
            return metrics
        }
        var reading = GateReading(stage: Self.shadow, metrics: counts(0, of: 100_000))
        #expect(try UpgradePlan.named(.small).gate(at: Self.shadow).decide(reading).verdict != .hold)
        #expect(gate.decide(reading).verdict == .hold, "only a server knows installations")
        reading.promoting = counts(0, of: 0)
        #expect(gate.decide(reading).verdict == .hold)
        reading.promoting = counts(0, of: 40_000)
        #expect(gate.decide(reading).verdict == .promote)
        reading.metrics = counts(3_000, of: 100_000)
        #expect(gate.decide(reading).verdict == .rollBack)
    }

    // MARK: Who posted

    @Test func `the status says what share comes from which installations, and who can move the gate`() async throws {
        try await Self.withShadow { server in
            let before = try await server.status()
            #expect(before.remarks.contains { $0.hasSuffix("Anyone with the app's token can move this gate.") })
            var installation = Installation()
            try await installation.enrol(at: server)
            try await installation.report([Self.compared(0..<1)], to: server)
            try await server.report([Self.compared(1..<4)])
            // A unit that others report too belongs to the installation that signed.
            try await server.report([Self.compared(0..<1)])
            let text =
                "Users by installation: 0 attested (0 %), 1 enrolled (25 %), 3 plain (75 %). "
                + "Anyone with the app's token can move this gate."
            let status = try await server.status()
            #expect(status.remarks.contains(text))
            #expect(status.gate.explanation?.contains(text) == true)
            #expect(try await server.get("/capabilities/orders").text.contains("1 enrolled (25 %), 3 plain (75 %)"))
            #expect(
                try await server.reading().installations
                    == InstallationCounts(plain: 3, enrolled: 1, attested: 0)
            )
        }
    }

    @Test func `an installation counts for eight units in an epoch, and the receipt says so`() async throws {
        try await Self.withShadow { server in
            var installation = Installation()
            try await installation.enrol(at: server)
            let ten = [Self.compared(0..<6), Self.compared(4..<10)]
            for _ in 0..<2 {
                // Sent again, as by someone who recorded it, it changes nothing.
                let receipt = try await installation.report(ten, to: server).json(Receipt.self)
                #expect(receipt == Receipt(counted: 10, dropped: 2, outdated: 0, reason: "2 " + Self.surplus))
                #expect(try await server.reading().metrics[.comparison]?.total == 8)
            }
            let more = try await installation.report([Self.compared(20..<21)], to: server)
            #expect(
                try more.json() == Receipt(counted: 0, dropped: 1, outdated: 0, reason: "1 " + Self.surplus)
            )
            // Others, and those that have not enrolled, count as before.
            var other = Installation()
            try await other.enrol(at: server)
            try await other.report([Self.compared(20..<21)], to: server)
            try await server.report([Self.compared(30..<60)])
            let counts = InstallationCounts(plain: 30, enrolled: 9, attested: 0)
            #expect(try await server.reading().installations == counts)
            // A new epoch begins anew.
            try await server.order("rollback")
            try await server.order("advance")
            let stage = try #require(try server.plane.parts.hub.stage(of: "orders"))
            let next = try await installation.report([Self.compared(40..<48, epoch: stage.epoch)], to: server)
            #expect(try next.json() == Receipt(counted: 8, dropped: 0, outdated: 0))
        }
    }

    @Test func `a post with a signature that is not its installation's counts nowhere`() async throws {
        try await Self.withShadow { server in
            var (one, other) = (Installation(), Installation())
            try await one.enrol(at: server)
            try await other.enrol(at: server)
            #expect(one.id != other.id)
            let report = Self.compared(0..<1)
            let answers = [
                ("another's id", "invalidSignature", try await one.report([report], to: server, as: other.id)),
                (
                    "another body", "invalidSignature",
                    try await one.report([report], to: server, sending: [Self.compared(0..<2)])
                ),
                (
                    "another path", "invalidSignature",
                    try await one.report([report], to: server, signing: PostSignature.path("evidence", of: "x"))
                ),
                (
                    "an id that is not known", "unknownInstallation",
                    try await one.report([report], to: server, as: String(repeating: "0", count: 32))
                ),
            ]
            for (what, code, answer) in answers {
                #expect(answer.status == 403, "\(what)")
                #expect(answer.code == code, "\(what)")
            }
            let body =
                #"{"reports": [{"stage": "legacyOnly", "epoch": 0, "window": 600, "build": "", "units": []}]}"#
            for fields in [(one.id, nil), (one.id, "?"), (one.id, ""), (nil, "AAAA")] as [(String?, String?)] {
                let headers = try Installation.fields(fields.0, fields.1)
                let path = "/v1/capabilities/orders/evidence"
                let answer = try await server.send(.post, path, as: .device, body, headers: headers)
                #expect(answer.code == "invalidSignature")
            }
            #expect(try await server.reading().installations == InstallationCounts())
        }
    }

    // MARK: Enrolling

    @Test func `the same key gives the same id, and an enrolment must be signed with it`() async throws {
        try await TestServer.with { server in
            var installation = Installation()
            let first = try await installation.enrol(at: server).json(Installation.Enrolled.self)
            #expect(first.id.utf8.count == 32)
            #expect(!first.attested)
            #expect(try await installation.enrol(at: server).json(Installation.Enrolled.self) == first)
            func post(_ key: String, signature: String?, more: String = "") async throws -> String? {
                try await server.send(
                    .post,
                    "/v1/capabilities/orders/enrolments",
                    as: .device,
                    #"{"publicKey": "\#(key)"\#(more)}"#,
                    headers: Installation.fields(nil, signature)
                ).code
            }
            let key = installation.key.publicKey.base64EncodedString()
            #expect(try await post(key, signature: nil) == "invalidSignature")
            #expect(try await post(key, signature: "AAAA") == "invalidSignature")
            #expect(try await post("AAAA", signature: nil) == "invalidKey")
            let noPoint = Data([4] + [UInt8](repeating: 1, count: 64)).base64EncodedString()
            #expect(try await post(noPoint, signature: nil) == "invalidKey")
            #expect(try await post("?", signature: nil) == "invalidBody")
            let long = #", "attestation": "\#(String(repeating: "x", count: 32_769))""#
            #expect(try await post(key, signature: nil, more: long) == "invalidAttestation")
            let asPerson = try await server.post("/v1/capabilities/orders/enrolments", as: .admin, "{}")
            #expect(asPerson.status == 403)
        }
    }

    @Test func `an address enrols so many in an hour`() async throws {
        try await TestServer.with({
            $0.enrolmentsPerHour = 2
            $0.trustedProxies = (try? TrustedProxies(["127.0.0.1"])) ?? TrustedProxies()
        }) { server in
            func status(_ address: String) async throws -> Int {
                try await Installation().enrolment(at: server, from: address).status
            }
            for _ in 0..<2 { #expect(try await status("192.0.2.1") == 200) }
            let refused = try await Installation().enrolment(at: server, from: "192.0.2.1")
            #expect(refused.status == 429)
            #expect(refused.headers[.retryAfter] == "1800")
            #expect(try await status("192.0.2.2") == 200)
            server.clock.advance(by: .seconds(1_801))
            #expect(try await status("192.0.2.1") == 200)
            #expect(try await status("192.0.2.1") == 429)
        }
    }

    @Test func `a server that enrols none takes posts as before`() async throws {
        try await TestServer.with({ $0.enrolmentsPerHour = 0 }) { server in
            try await server.order("advance")
            let answer = try await Installation().enrolment(at: server)
            #expect(answer.status == 404)
            #expect(answer.code == "notOffered")
            let receipt = try await server.report([Self.compared(0..<20)]).json(Receipt.self)
            #expect(receipt == Receipt(counted: 20, dropped: 0, outdated: 0))
        }
    }

    // MARK: The database

    @Test func `installations outlast a restart and a restored backup`() async throws {
        let server = try TestServer()
        defer { removeFolder(server.folder) }
        try await server.start()
        var installation = Installation()
        try await installation.enrol(at: server)
        await server.stop()
        try await server.start()
        #expect(try await installation.report([Reports.baseline(0..<1)], to: server).status == 200)
        let (database, copy) = (server.folder + "/upgrades.sqlite", server.folder + "/copy.sqlite")
        try ServerBackup.write(database, to: copy)
        await server.stop()
        try ServerBackup.restore(copy, to: database, replacing: true)
        try await server.start()
        #expect(try await installation.report([Reports.baseline(0..<1)], to: server).status == 200)
        await server.stop()
    }

    @Test func `a database from before enrolments is carried over`() async throws {
        let server = try TestServer()
        defer { removeFolder(server.folder) }
        try await server.start()
        try await server.order("advance")
        try await server.report([Self.compared(0..<3)])
        await server.stop()
        let database = try DatabaseQueue(path: server.folder + "/upgrades.sqlite")
        try await database.write { database in
            try database.execute(
                sql: """
                    DROP TABLE installation;
                    DROP TABLE installationUnit;
                    DELETE FROM grdb_migrations WHERE identifier = 'enrolled installations';
                    """
            )
        }
        try database.close()
        try await server.start()
        var installation = Installation()
        try await installation.enrol(at: server)
        try await installation.report([Self.compared(3..<4)], to: server)
        let counts = InstallationCounts(plain: 3, enrolled: 1, attested: 0)
        #expect(try await server.reading().installations == counts)
        await server.stop()
    }

    // MARK: Attestation

    /// A program that decides on what it reads.
    private static func verifier(_ server: String, _ script: String) async throws -> AttestationVerifier {
        let path = "\(server)/verifier-\(UUID())"
        try await writeScript(script + "\n", to: path, mode: "700")
        return try .command(path)
    }

    /// Runs the body with a server whose verifier is that script, in a new folder.
    private static func withVerifier(_ script: String, _ body: (TestServer) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "verifier-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { removeFolder(folder) }
        let verifier = try await verifier(folder, script)
        try await Self.withShadow(counting: .attested, { $0.attestation = verifier }, body)
    }

    @Test func `an attested installation counts where only those do`() async throws {
        try await Self.withVerifier(#"grep -q '"attestation":"genuine","publicKey":"B'"#) { server in
            var (genuine, fake, silent) = (Installation(), Installation(), Installation())
            let yes = try await genuine.enrol(at: server, attestation: "genuine").json(Installation.Enrolled.self)
            #expect(yes.attested)
            let no = try await fake.enrol(at: server, attestation: "fake").json(Installation.Enrolled.self)
            #expect(!no.attested, "it may enrol as one that says nothing")
            #expect(try await !silent.enrol(at: server).json(Installation.Enrolled.self).attested)
            // Enrolling again without an attestation takes none away.
            #expect(try await genuine.enrol(at: server).json(Installation.Enrolled.self).attested)
            try await genuine.report([Self.compared(0..<1)], to: server)
            try await fake.report([Self.compared(1..<3)], to: server)
            try await silent.report([Self.compared(3..<6)], to: server)
            let reading = try await server.reading()
            #expect(reading.installations == InstallationCounts(plain: 0, enrolled: 5, attested: 1))
            #expect(reading.promoting?[.comparison] == FailureCounts(0, of: 1))
            #expect(reading.metrics[.comparison] == FailureCounts(0, of: 6))
        }
    }

    @Test func `a verifier that fails enrols nothing, and the installation may come back`() async throws {
        for script in ["exit 3", "kill -9 $$", "yes | head -c 100000000; exit 2"] {
            try await Self.withVerifier(script) { server in
                let answer = try await Installation().enrolment(at: server, attestation: "x")
                #expect(answer.status == 503)
                #expect(answer.headers[.retryAfter] == "60")
                #expect(server.log.text.contains("the attestation's verifier: it ended with"))
                let silent = try await Installation().enrolment(at: server)
                #expect(silent.status == 200, "it is not asked about one that proves nothing")
            }
        }
    }

    @Test func `a verifier that hangs is ended after five seconds, with what it started`() async throws {
        try await Self.withVerifier(#"sleep 600 & echo $! > "$0.pid"; wait"#) { server in
            // No other task of the server sleeps until then.
            server.clock.advance(by: .milliseconds(77))
            async let answer = Installation().enrolment(at: server, attestation: "x")
            await server.clock.waitForSleeper(until: .milliseconds(5_077))
            server.clock.advance(by: .seconds(5))
            let refusal = try await answer
            #expect(refusal.status == 503)
            #expect(server.log.text.contains("it gave no answer within 5.0 seconds"))
        }
    }

    @Test func `an address verifies too`() async throws {
        for (status, expected) in [(200, 200), (403, 200), (500, 503)] {
            let receiver = try LoopbackServer()
            receiver.answers { request in
                (request.contains(#""attestation":"x","publicKey":"B"#) ? status : 500, "")
            }
            let verifier = try AttestationVerifier.address("http://\(receiver.address)/verify")
            try await Self.withShadow({ $0.attestation = verifier }) { server in
                let answer = try await Installation().enrolment(at: server, attestation: "x")
                #expect(answer.status == expected)
                if expected == 200 {
                    #expect(try answer.json(Installation.Enrolled.self).attested == (status == 200))
                }
            }
        }
    }

    @Test func `a configuration under which nothing would ever be promoted is refused`() async throws {
        await #expect(throws: ControlPlaneError.self) {
            try await TestServer.with({ $0.capabilities[0].promotionCounts = .attested }) { _ in }
        }
        await #expect(throws: ControlPlaneError.self) {
            try await TestServer.with({ $0.enrolmentsPerHour = -1 }) { _ in }
        }
        #expect(throws: ControlPlaneError.self) { try AttestationVerifier.command("bin/verify") }
        #expect(throws: ControlPlaneError.self) { try AttestationVerifier.command("/etc/passwd") }
        #expect(throws: ControlPlaneError.self) { try AttestationVerifier.address("verify") }
    }
}
#endif
