#if Server
import Cofferdam
import CofferdamCurl
import CofferdamTesting
import CofferdamUpgrade
import Foundation
import Testing
import TestSupport
@testable import CofferdamDevice
@testable import CofferdamFleet
@testable import CofferdamServer

/// Servers for devices that share a real etcd and a real Prometheus.
@Suite(
    .needsEtcd,
    .enabled(if: Programs.prometheus != nil, "Prometheus is not installed: ./dev setup fleet"),
    .timeLimit(.minutes(5))
)
struct SharedServersTests {
    private static let tokens = [ServerRole: String](
        uniqueKeysWithValues: ServerRole.allCases.map { ($0, "secret-of-\($0.rawValue)") }
    )
    private static let canary = Stage.canary(share: 2000)

    /// Two servers, each with its own database.
    private final class Servers: Sendable {
        let folder: TemporaryFolder
        let etcd: EtcdServer
        let prometheus: PrometheusServer
        let ports: [Int]
        let clock: (any Clock<Duration>)?
        let webhooks: [Webhook]
        let client = CurlClient()
        private let running = Mutex([Int: ControlPlane]())

        init(
            _ etcd: EtcdServer,
            _ prometheus: PrometheusServer,
            _ ports: [Int],
            _ clock: (any Clock<Duration>)?,
            _ webhooks: [Webhook]
        ) throws {
            (self.etcd, self.prometheus, self.ports) = (etcd, prometheus, ports)
            (self.clock, self.webhooks) = (clock, webhooks)
            folder = try TemporaryFolder()
        }

        var instances: [String] { ports.map { "127.0.0.1:\($0)" } }

        func start(_ number: Int) async throws {
            var configuration = ControlPlaneConfiguration(
                database: folder.path + "/\(number).sqlite",
                tokens: try AccessTokens(
                    tokens.map { .init(name: "\($0.key.rawValue) \(number)", role: $0.key, token: $0.value) }
                ),
                capabilities: [HostedCapability("orders", plan: .small)]
            )
            configuration.port = ports[number]
            configuration.webhooks = webhooks
            // With a clock that stands still, a limit is never lifted.
            configuration.addressRate = RequestRate(perSecond: 0, burst: 0)
            if let clock { configuration.clock = clock }
            configuration.shared = SharedUpgrades(
                store: etcd.store { $0.watchLimit = .seconds(600) },
                evidence: prometheus.evidence(from: Set(instances))
            )
            let plane = try await ControlPlane.start(configuration)
            running.withLock { $0[number] = plane }
        }

        func stop(_ number: Int) async {
            let plane = running.withLock { $0.removeValue(forKey: number) }
            await plane?.stop()
        }

        private func server(_ number: Int, _ role: ServerRole) -> UpgradeServer {
            UpgradeServer("http://\(instances[number])", token: tokens[role] ?? "", transport: .curl(client))
        }

        func device(at number: Int) -> UpgradeServer { server(number, .device) }
        func upgrades(at number: Int) -> ServerUpgrades { ServerUpgrades(server(number, .operator)) }

        @discardableResult
        func move(_ action: UpgradeAction, at number: Int, id: String = UUID().uuidString) async throws
            -> HistoryLine
        {
            let server = upgrades(at: number)
            let status = try await server.statuses()[0]
            let seen = UpgradeRequest.Seen(stage: status.stage, revision: status.revision ?? 0)
            return try await server.carryOut(
                .certain(action),
                of: "orders",
                reason: "a test",
                id: id,
                from: seen
            ).entry
        }

        private var tokens: [ServerRole: String] { SharedServersTests.tokens }
    }

    /// - Parameter clock: the servers' clock; nil for the system's.
    private static func with(
        clock: (any Clock<Duration>)? = nil,
        webhooks: [Webhook] = [],
        _ body: (Servers) async throws -> Void
    ) async throws {
        let ports = [try LoopbackSocket.freePort(), try LoopbackSocket.freePort()]
        let targets = ports.map { "127.0.0.1:\($0)" }
        try await EtcdServer.with { etcd in
            try await PrometheusServer.with(targets: targets, token: tokens[.reader]) { prometheus in
                let servers = try Servers(etcd, prometheus, ports, clock, webhooks)
                do {
                    for number in ports.indices { try await servers.start(number) }
                    try await body(servers)
                } catch {
                    for number in ports.indices { await servers.stop(number) }
                    throw error
                }
                for number in ports.indices { await servers.stop(number) }
            }
        }
    }

    private static func report(_ units: Range<Int>, _ marks: [String] = []) -> EvidenceReport {
        let windows = [String?.some("place"), nil].map { operation in
            EvidenceReport.Window(tally: "candidate", operation: operation, marks: marks, isSettled: true)
        }
        return EvidenceReport(
            stage: canary,
            epoch: 2,
            window: 600,
            build: "1.0",
            side: nil,
            units: units.map { number in
                let digits = String(number, radix: 16)
                let zeros = String(repeating: "0", count: 16 - digits.count)
                return .init(unit: zeros + digits, windows: windows)
            }
        )
    }

    @Test func `a kill at one server reaches a device that waits at the other`() async throws {
        // It stands still, so no server polls, and only etcd's watch can report the change.
        try await Self.with(clock: TestClock()) { servers in
            try await servers.move(.advance(despiteGate: true), at: 0)
            let device = servers.device(at: 1)
            try await eventually("the other server follows") {
                try await device.stage(of: "orders", known: nil)?.epoch == 1
            }
            var slowest = Duration.zero
            for target in [KillSwitch.Target.legacy, .freeze, .legacy] {
                let known = try #require(try await device.stage(of: "orders", known: nil)).tag
                let waiting = Task { try await device.stage(of: "orders", known: known, wait: 50) }
                let start = ContinuousClock.now
                try await servers.move(.kill(target), at: 0)
                #expect(try await waiting.value?.kill == target)
                slowest = max(slowest, start.duration(to: .now))
            }
            print("3 kills at one server reached a device at the other within \(slowest) at the most")
            let lines = try await servers.upgrades(at: 1).history(of: "orders", last: 9)
            #expect(lines.map(\.by) == ["operator 0", "operator 0", "operator 0", "operator 0"])
        }
    }

    @Test func `one server at a time notifies a webhook, and the other goes on when that one is gone`() async throws {
        let receiver = try LoopbackServer()
        let received = Mutex<[String]>([])
        receiver.answers { request in
            let id = request.firstMatch(of: #/(?i)cofferdam-id: (\S+)/#).map { String($0.output.1) }
            received.withLock { $0.append(id ?? "none") }
            return (200, "")
        }
        let webhook = try Webhook(url: "http://\(receiver.address)/hook", secret: "0123456789abcdef")
        try await Self.with(webhooks: [webhook]) { servers in
            func change(_ id: String, at number: Int) async throws {
                try await servers.move(.kill(.legacy), at: number, id: id)
                try await eventually("\(id) is sent") { received.withLock { $0.contains(id) } }
            }
            try await change("both", at: 1)
            for number in 0..<2 {
                await servers.stop(number)
                try await change("without-\(number)", at: 1 - number)
                try await servers.start(number)
            }
            #expect(received.withLock(\.self) == ["both", "without-0", "without-1"])
        }
    }

    @Test func `a key at one server belongs to one holder at all servers`() async throws {
        try await Self.with(clock: TestClock()) { servers in
            for _ in 0..<2 {
                let line = try await servers.move(.kill(.legacy), at: 0, id: "incident-7")
                #expect(line.by == "operator 0")
            }
            // The other server's operator is somebody else.
            let refused = await #expect(throws: RefusedChange.self) {
                try await servers.move(.kill(.legacy), at: 1, id: "incident-7")
            }
            #expect(refused?.refusal.code == .keyUsed)
            #expect(try await servers.upgrades(at: 1).history(of: "orders", last: 9).count == 1)
        }
    }

    @Test func `each gate reads what all servers count, and holds while one is missing`() async throws {
        try await Self.with { servers in
            try await servers.move(.advance(despiteGate: true), at: 0)
            try await servers.move(.advance(despiteGate: true), at: 1)
            for number in 0..<2 {
                try await eventually("server \(number) follows") {
                    try await servers.device(at: number).stage(of: "orders", known: nil)?.epoch == 2
                }
            }
            func post(_ report: EvidenceReport, at number: Int) async throws {
                guard case .taken = try await servers.device(at: number).post(report, of: "orders") else {
                    throw TestError("the report was refused")
                }
            }
            func decision(at number: Int) async throws -> (DecisionReport, FailureCounts?) {
                let report = try #require(try await servers.upgrades(at: number).decisions(of: "orders").first)
                return (report, report.decision?.reading.metrics[.candidateFailures])
            }
            try await post(Self.report(0..<300), at: 0)
            try await eventually("both are scraped, of which one has met no unit yet") {
                let (report, counts) = try await decision(at: 1)
                return report.gaps == [] && counts == FailureCounts(0, of: 300)
            }

            try await post(Self.report(300..<498), at: 1)
            try await post(Self.report(498..<500, ["failed"]), at: 1)
            // Ten units post to both servers, twice.
            for _ in 0..<2 { for number in 0..<2 { try await post(Self.report(0..<10), at: number) } }
            for number in 0..<2 {
                try await eventually("server \(number) reads what both count: ten units at each") {
                    try await decision(at: number).1 == FailureCounts(2, of: 510)
                }
            }
            let (report, _) = try await decision(at: 0)
            #expect(report.decision?.reading.isKept == true)

            await servers.stop(1)
            let missing = servers.instances[1]
            try await eventually("the missing server is named") {
                let status = try await servers.upgrades(at: 0).statuses()[0]
                return status.gate.gaps.contains { $0.hasPrefix("\(missing) is not up") }
                    && status.gate.verdict == .hold
            }
            try await servers.start(1)
            try await eventually("after a restart it goes on where it stood") {
                let (report, counts) = try await decision(at: 0)
                return report.gaps == [] && counts == FailureCounts(2, of: 510)
                    && report.decision?.reading.isKept == true
            }
        }
    }

    @Test func `the first step freezes what was reported to all servers about the legacy side`() async throws {
        try await Self.with { servers in
            let windows = [String?.some("place"), nil].map { operation in
                EvidenceReport.Window(
                    tally: "legacy",
                    operation: operation,
                    marks: [],
                    isSettled: true,
                    isRead: operation.map { _ in true },
                    nanoseconds: operation.map { _ in 1_000_000 }
                )
            }
            for number in 0..<2 {
                var report = Self.report(number * 700..<(number + 1) * 700)
                (report.stage, report.epoch) = (.legacyOnly, 0)
                for unit in report.units.indices { report.units[unit].windows = windows }
                guard case .taken = try await servers.device(at: number).post(report, of: "orders") else {
                    throw TestError("the report was refused")
                }
            }
            try await eventually("both are scraped") {
                let report = try await servers.upgrades(at: 1).decisions(of: "orders").first
                return report?.decision?.reading.metrics[.legacyFailures] == FailureCounts(0, of: 1_400)
            }
            try await servers.move(.advance(despiteGate: true), at: 0)
            let baseline = try #require(try await servers.device(at: 0).stage(of: "orders", known: nil)?.baseline)
            #expect(baseline.units == FailureCounts(0, of: 1_400))
            #expect(baseline.operations["place"]?.isRead == true)
        }
    }

    @Test func `features of a single server are refused for several`() async throws {
        let shared = SharedUpgrades(
            store: try EtcdAccess("http://127.0.0.1:1").store(prefix: "/a"),
            evidence: try PrometheusAccess("http://127.0.0.1:1").evidence(job: "j", instances: ["a"])
        )
        let tokens = try AccessTokens([])
        func failure(_ plan: NamedPlan) async -> String {
            var configuration = ControlPlaneConfiguration(
                database: "/nonexistent/x.sqlite",
                tokens: tokens,
                capabilities: [HostedCapability("orders", plan: plan)]
            )
            configuration.shared = shared
            do {
                await (try ControlPlane.start(configuration)).stop()
                return ""
            } catch { return "\(error)" }
        }
        #expect(await failure(.arms).hasPrefix("orders: the plan arms compares builds"))
    }
}
#endif
