#if Server
import ArgumentParser
import Cofferdam
import CofferdamSupport
import CofferdamCurl
import CofferdamDevice
import CofferdamTesting
import CofferdamUpgrade
import Foundation
import Testing
import TestSupport
@testable import CofferdamFleet
@testable import CofferdamServer
@testable import CofferdamTool

@Suite("The team's tool at a real server") struct TeamToolTests {
    private let orders = [UpgradeTooling.Capability("orders", plan: BenchTool.plan)]
    private let plain = TerminalStyle(isColoured: false)

    private static func environment(
        _ server: TestServer,
        _ role: ServerRole = .operator
    ) throws -> ToolEnvironment {
        ToolEnvironment(
            variables: [
                "COFFERDAM_SERVER": try server.plane.url,
                "COFFERDAM_SERVER_TOKEN": TestServer.tokens[role] ?? "",
            ],
            now: { 1_800_000_000_000 },
            newID: { UUID().uuidString.lowercased() }
        )
    }

    private static func controls(_ server: TestServer, _ role: ServerRole = .operator) throws -> ServerControls {
        try ServerControls(try server.plane.url, environment: environment(server, role))
    }

    /// Moves that the rules allow or refuse, in this order.
    private static let moves: [RequestedChange] = [
        .certain(.resume), .certain(.abort), .certain(.rollBack()), .certain(.advance()),
        .certain(.advance(despiteGate: true)), .certain(.advance()), .certain(.rollBack(to: .canary(share: 1))),
        .certain(.kill(.freeze)),
        .certain(.kill(.freeze)), .certain(.abort), .promote,
        .certain(.override(operation: "place", stage: .legacyOnly)),
        .certain(.resume), .certain(.advance(despiteGate: true)),
        .certain(.override(operation: "place", stage: .legacyOnly)),
        .certain(.override(operation: "place", stage: nil)), .certain(.rollBack(to: .shadow(sample: .all))),
        .certain(.kill(.legacy)), .certain(.advance()), .certain(.resume),
    ]

    @Test func `a tool without upgrades of its own takes the server's, and without a server says what it needs`()
        async throws
    {
        try await TestServer.with { server in
            let names = try await Self.controls(server).upgradesThere().map(\.name)
            #expect(names == ["orders"])
            let tooling = try await KitTool.tooling()
            await #expect(throws: ValidationError.self) {
                try await tooling.requiredUpgrade("cofferdam", at: .directory("x"))
            }
        }
    }

    @Test func `each move is made, or refused in the same words, as in a directory`() async throws {
        try await TestServer.with { server in
            let (here, there) = (StoreControls.inMemory(), try Self.controls(server))
            for move in Self.moves {
                let own = try await here.change(orders, move, by: "operator", reason: "a test")
                let served = try await there.change(orders, move, by: "", reason: "a test")
                #expect(served.text == own.text, "\(move)")
                if move == .promote, own.refused.first?.rule == "noEvidence" { continue }
                #expect(served.problems("tool") == own.problems("tool"), "\(move)")
            }
            let (lines, own) = (
                try await there.history(of: orders, last: 5), try await here.history(of: orders, last: 5)
            )
            #expect(lines.map(\.sentence) == own.map(\.sentence) && lines.count == 5)
        }
    }

    @Test func `a status, a history and an explanation read as in a directory`() async throws {
        try await TestServer.with { server in
            let controls = try Self.controls(server, .reader)
            try await server.order("advance")
            try await server.order("advance")
            let stage = Stage.canary(share: 2000)
            try await server.report([
                Reports.report(stage, epoch: 2, 0..<500, Reports.windows("candidate")),
                Reports.report(stage, epoch: 2, 500..<502, Reports.windows("candidate", ["failed"])),
            ])
            let table = StatusTable(statuses: try await controls.status(of: orders)).render(plain)
            #expect(table.hasPrefix("orders  20 % on V2 for "), "\(table)")
            #expect(table.contains("2 of 502 had a failure on V2"), "\(table)")
            let lines = try await controls.history(of: orders, last: 1)
            #expect(lines.map(\.what) == ["advance despite the gate"])

            let now = try await controls.explain(orders[0])
            #expect(now.decision?.verdict == .hold && now.render(plain).contains("canary(2000), epoch 2: hold"))
            let refused = try await Self.controls(server).change(orders, .promote, by: "", reason: "hope")
            #expect(refused.refused.first?.rule == "otherVerdict")
            #expect(refused.refused.first?.explanation == now.decision?.explanation, "the gate's whole table")

            let entry = try #require(lines.first?.id)
            let record = try await controls.explain(String(entry.prefix(6)), among: orders)
            #expect(record.map(\.entry?.id) == [entry])
            #expect(record.first?.render(plain).contains("No gate was asked: operator decided") == true)
            #expect(try await controls.explain("none", among: orders) == [])
        }
    }

    @Test func `a stop is confirmed by the devices that have it`() async throws {
        try await TestServer.with { server in
            let hub = try server.plane.parts.hub
            try await server.order("advance")
            let device = Shared([hub.stages(of: "orders")])
            var environment = try Self.environment(server)
            // The device polls again meanwhile.
            environment.sleep = { _ in device.change { $0 = [hub.stages(of: "orders")] } }
            let controls = try ServerControls(try server.plane.url, environment: environment)
            var report = try await controls.change(orders, .certain(.kill(.legacy)), by: "", reason: "test")
            var told: [String] = []
            try await controls.confirm(&report, of: orders) { told.append($0) }
            #expect(told == ["orders: 0 of 1 connected device has it."])
            #expect(report.text.hasSuffix("\n1 of 1 connected device has it. Others get it at their next start.\n"))
        }
    }

    @Test func `a device that does not take a stop does not hold the command`() async throws {
        try await TestServer.with { server in
            let device = try server.plane.parts.hub.stages(of: "orders")
            var environment = try Self.environment(server)
            environment.sleep = { _ in }
            let controls = try ServerControls(try server.plane.url, environment: environment)
            var report = try await controls.change(orders, .certain(.kill(.legacy)), by: "", reason: "test")
            var told = 0
            try await controls.confirm(&report, of: orders) { _ in told += 1 }
            #expect(told == 20 && report.text.contains("0 of 1 connected device has it"))
            withExtendedLifetime(device) {}
        }
    }

    @Test func `a stop that is interrupted while devices are counted is reported all the same`() async throws {
        try await TestServer.with { server in
            try await server.order("advance")
            let device = try server.plane.parts.hub.stages(of: "orders")
            var environment = try Self.environment(server)
            environment.sleep = { _ in throw CancellationError() }
            #expect(await BenchTool.exitCode(of: ["kill", "legacy", "--reason", "test"], environment) == 0)
            #expect(try server.plane.parts.hub.stage(of: "orders")?.kill == .legacy)
            withExtendedLifetime(device) {}
        }
    }

    @Test func `an interrupted change of all upgrades tells which were made`() async throws {
        try await TestServer.with({ $0.capabilities.append(HostedCapability("catalogue", plan: .small)) }) { server in
            var environment = try Self.environment(server)
            let ids = Shared(0)
            environment.newID = {
                ids.change { $0 += 1 }
                if ids.current == 2 { withUnsafeCurrentTask { $0?.cancel() } }
                return "change-\(ids.current)"
            }
            let controls = try ServerControls(try server.plane.url, environment: environment)
            let all = orders + [UpgradeTooling.Capability("catalogue", plan: BenchTool.plan)]
            let change = Task {
                try await controls.change(all, .certain(.kill(.legacy)), by: "", reason: "test")
            }
            let report = try await change.value
            #expect(report.changes.map(\.capability) == ["orders"])
            #expect(report.failed.map(\.capability) == ["catalogue"])
            #expect(report.failed.map(\.message) == ["interrupted; the change may have been made: see the history"])
        }
    }

    @Test func `the plan is the server's`() async throws {
        try await TestServer.with { server in
            let other = [UpgradeTooling.Capability("orders", plan: try .named(.strict))]
            let planned = try await Self.controls(server, .reader).planned(other)
            #expect(planned == [.init("orders", plan: try .named(.small))])
        }
    }

    @Test func `builds with one side must be withdrawn after a kill`() async throws {
        try await TestServer.with({ $0.capabilities = [HostedCapability("orders", plan: .arms)] }) { server in
            try await server.order("advance")
            let controls = try Self.controls(server)
            let report = try await controls.change(orders, .certain(.kill(.legacy)), by: "", reason: "test")
            let delivery = "no user has moved: each build has one side. Withdraw the builds with V2"
            #expect(report.withdraw?.first?.hasPrefix("orders: \(delivery)") == true)
            #expect(try await controls.status(of: orders)[0].releaseSteps?.hasPrefix(delivery) == true)
            #expect(try await controls.explain(orders[0]).releaseSteps?.hasPrefix(delivery) == true)
        }
    }

    @Test(
        arguments: [
            (["status"], 0), (["status", "--json"], 0), (["history"], 0), (["explain"], 0), (["plan"], 0),
            (["watch", "--until", "shadow(10000)"], 0), (["explain", "no-such-entry"], 64),
            (["advance", "--reason", "test"], 1), (["promote", "--reason", "test"], 1),
            (["resume", "--reason", "test"], 1),
            (["kill", "legacy", "--all", "--reason", "test"], 0), (["rollback", "--reason", "test"], 0),
            (["override", "place", "legacyOnly", "--reason", "test"], 0), (["abort", "--reason", "test"], 0),
            (["advance", "--despite-gate", "--reason", "test"], 0), (["allow", "ada", "--reason", "test"], 64),
            (["disallow", "ada", "--reason", "test"], 64),
            (["kill", "legacy", "--reason", "test", "--by", "ada"], 64),
            (["history", "--last", "1001"], 70),
        ] as [([String], Int32)]
    )
    func `each command ends with the code that it has for a directory`(
        _ arguments: [String],
        _ code: Int32
    ) async throws {
        try await TestServer.with { server in
            try await server.order("advance")
            #expect(await BenchTool.exitCode(of: arguments, try Self.environment(server)) == code)
        }
    }

    @Test func `a forbidden role, an invalid token and an unknown upgrade are named, and end with 70`()
        async throws
    {
        try await TestServer.with { server in
            var wrong = try Self.environment(server)
            wrong.variables["COFFERDAM_SERVER_TOKEN"] = "secret-of-nobody"
            let reader = try Self.environment(server, .reader)
            let device = try Self.environment(server, .device)
            let cases: [(ToolEnvironment, [String], String)] = [
                (wrong, ["status"], "the server refuses with 401: the token is not valid"),
                (device, ["status"], "the server refuses with 403: a token with the role device may not do that"),
                (
                    reader, ["kill", "legacy", "--reason", "test"],
                    "the server refuses with 403: a token with the role reader may not do that"
                ),
            ]
            for (environment, arguments, says) in cases {
                #expect(await BenchTool.exitCode(of: arguments, environment) == 70)
                let controls = try ServerControls(try server.plane.url, environment: environment)
                var message = ""
                if arguments == ["status"] {
                    do { _ = try await controls.status(of: orders) } catch { message = "\(error)" }
                } else {
                    let kill = RequestedChange.certain(.kill(.legacy))
                    message = try await controls.change(orders, kill, by: "", reason: "test").problems("tool")
                }
                #expect(message.contains(says) && !message.contains("secret-of"), "\(message)")
                #expect(message.contains(try server.plane.url))
            }
            let controls = try Self.controls(server)
            let other = [UpgradeTooling.Capability("no such/upgrade", plan: BenchTool.plan)]
            let error = await #expect(throws: UpgradeStoreError.self) { try await controls.status(of: other) }
            #expect(error?.message == "the server has no such upgrade; it has orders")
            let report = try await controls.change(orders + other, .certain(.kill(.legacy)), by: "", reason: "test")
            #expect(report.changes.count == 1, "what is there is stopped")
            #expect(
                report.failed.first?.message.hasSuffix(
                    "404: there is no upgrade \"no such/upgrade\"; there are: orders"
                ) == true
            )
        }
    }

    @Test func `an override of an operation that no user calls names the flag, which insists`() async throws {
        try await TestServer.with({ $0.capabilities[0].operations = ["place"] }) { server in
            let move = RequestedChange.certain(.override(operation: "plcae", stage: .legacyOnly, despiteGate: nil))
            let report = try await Self.controls(server).change(orders, move, by: "", reason: "a typing error")
            #expect(report.refused.map(\.rule) == ["unknownOperation"])
            let message = "no user has called plcae; there are place, and --unknown insists"
            #expect(report.refused.map(\.message) == [message])
            let environment = try Self.environment(server)
            let arguments = ["override", "plcae", "legacyOnly", "--reason", "it is new"]
            #expect(await BenchTool.exitCode(of: arguments, environment) == 1)
            #expect(try server.plane.parts.hub.stage(of: "orders")?.overrides == nil)
            #expect(await BenchTool.exitCode(of: arguments + ["--unknown"], environment) == 0)
            #expect(try server.plane.parts.hub.stage(of: "orders")?.overrides == ["plcae": .legacyOnly])
        }
    }

    @Test func `in a freeze window the server refuses a step up, and says so`() async throws {
        // 2027-01-15, a Friday.
        let window = try FreezeWindow("Fri 00:00-Sat 00:00", zone: "UTC")
        try await TestServer.with({ $0.freezes = [window] }) { server in
            for post in Reports.inPosts(1_200, Reports.baseline) { try await server.report(post) }
            let report = try await Self.controls(server).change(
                orders,
                .certain(.advance()),
                by: "",
                reason: "test"
            )
            #expect(report.refused.map(\.rule) == ["freezeWindow"])
        }
    }
}

// MARK: Servers that do not answer

@Suite("The team's tool at a server that does not answer well") struct SilentServerTests {
    private let kill = RequestedChange.certain(.kill(.legacy))

    /// Returns a client whose waits take no time.
    private func upgrades(at address: String, _ waits: Waits = Waits()) -> ServerUpgrades {
        let server = UpgradeServer("http://\(address)", token: "secret-of-operator", transport: .curl(CurlClient()))
        return ServerUpgrades(server, pacing: Pacing(pause: { waits.add($0) }))
    }

    private final class Waits: Sendable {
        private let all = Mutex([Duration]())
        func add(_ wait: Duration) { all.withLock { $0.append(wait) } }
        var count: Int { all.withLock(\.count) }
    }

    private func error<Value>(_ body: () async throws -> Value) async -> UpgradeStoreError? {
        do { _ = try await body() } catch {
            #expect(!"\(error)".contains("secret-of"))
            return error as? UpgradeStoreError
        }
        return nil
    }

    @Test func `a server that cannot be reached is named, and nothing was changed`() async throws {
        let waits = Waits()
        let upgrades = upgrades(at: "127.0.0.1:1", waits)
        let looked = await error { try await upgrades.statuses() }
        #expect(looked?.code == .unavailable && looked?.subject == "http://127.0.0.1:1")
        let moved = await error { try await upgrades.carryOut(kill, of: "orders", reason: "test", id: "x") }
        #expect(moved?.code == .unavailable && moved?.message.hasPrefix("the server does not answer") == true)
        #expect(waits.count == 4, "each was tried three times")
    }

    @Test func `a change is sent again with the same key, and made once`() async throws {
        let store = MemoryUpgradeStore()
        let request = UpgradeRequest(.kill(.legacy), by: "operator", reason: "test", at: 0, id: "incident-7")
        _ = try await store.carryOut(request, for: "orders", plan: BenchTool.plan)
        let line = HistoryLine(try #require(try await store.entry("incident-7", of: "orders")))
        let made = #"{"entry": \#(String(decoding: try JSONEncoder().encode(line), as: UTF8.self))}"#
        let receiver = try LoopbackServer()
        let keys = Mutex([String]())
        receiver.answers { request in
            let key = request.lowercased().firstMatch(of: /idempotency-key: (\S+)/).map { String($0.1) } ?? ""
            let count = keys.withLock { keys in
                keys.append(key)
                return keys.count
            }
            return count < 3 ? (count == 1 ? 503 : 429, "") : (200, made)
        }
        let answer = try await upgrades(at: receiver.address)
            .carryOut(kill, of: "orders", reason: "test", id: "incident-7")
        #expect(answer.entry == line)
        #expect(keys.withLock { $0 } == ["incident-7", "incident-7", "incident-7"])
    }

    @Test(arguments: [(503, "outcomeUnknown"), (500, "outcomeUnknown"), (429, "unavailable"), (302, "unavailable")])
    func `an invalid answer says whether the change may have been made`(
        _ status: Int,
        _ code: String
    ) async throws {
        let receiver = try LoopbackServer()
        receiver.answers { _ in (status, "<p>not for you</p>") }
        let upgrades = upgrades(at: receiver.address)
        let moved = await error { try await upgrades.carryOut(kill, of: "orders", reason: "test", id: "x") }
        #expect(moved?.code.rawValue == code)
        let doubt = code == "outcomeUnknown" ? "; the change may have been made: see the history" : ""
        #expect(moved?.message == "the server refuses with \(status)\(doubt)")
        #expect(await error { try await upgrades.statuses() }?.code == .unavailable)
    }

    @Test func `a page of something else is not an answer`() async throws {
        let receiver = try LoopbackServer()
        receiver.answers { _ in (200, "<p>hello</p>") }
        let upgrades = upgrades(at: receiver.address)
        #expect(await error { try await upgrades.statuses() }?.code == .unreadable)
        receiver.answers { _ in (409, "<p>no</p>") }
        let moved = await error { try await upgrades.carryOut(kill, of: "orders", reason: "test", id: "x") }
        #expect(moved?.message == "the server refuses with 409")
    }

    @Test func `after too many requests the server's wait is kept, and a long one is reported`() async throws {
        try await TestServer.with({ $0.tokenRate = RequestRate(perSecond: 1, burst: 1) }) { server in
            let waits = Waits()
            let access = UpgradeServer(
                try server.plane.url,
                token: TestServer.tokens[.reader] ?? "",
                transport: .curl(server.client)
            )
            let pacing = Pacing(pause: { wait in
                waits.add(wait)
                #expect(wait >= .seconds(1))
                server.clock.advance(by: wait)
            })
            let upgrades = ServerUpgrades(access, pacing: pacing)
            for _ in 0..<3 { #expect(try await upgrades.statuses().count == 1) }
            #expect(waits.count == 2)
            let hasty = ServerUpgrades(access, pacing: Pacing(pause: { _ in }))
            let refused = await error { try await hasty.statuses() }
            let says =
                "the server refuses with 429: this token sends too many requests; it accepts the next one in 1 s"
            #expect(refused?.message == says)
        }
    }
}
#endif
