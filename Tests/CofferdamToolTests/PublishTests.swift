#if CommandLine
import ArgumentParser
import Cofferdam
import CofferdamContracts
import CofferdamUpgrade
import Foundation
import Testing

@testable import CofferdamTool

@Suite("contracts --publish and drift --publish") struct PublishTests {
    /// The reports that a tool has published, and whether its server accepts them.
    final class Server: Sendable {
        private let state = Mutex<(reports: [TeamReport], isGone: Bool)>(([], false))

        var reports: [TeamReport] { state.withLock { $0.reports } }

        func take(_ report: TeamReport) throws {
            try state.withLock { state in
                if state.isGone { throw Gone() }
                state.reports.append(report)
            }
        }

        func leave() { state.withLock { $0.isGone = true } }
    }

    struct Gone: Error, CustomStringConvertible {
        let description = "the server has gone"
    }

    private static func run(_ arguments: [String], at server: Server) async -> Int32 {
        await PublishingTool.$server.withValue(server) { await arguments.exitCode(of: PublishingTool.self) }
    }

    @Test func `a whole run is published with its drift, as --json prints them`() async throws {
        let server = Server()
        #expect(await Self.run(["contracts", "--publish"], at: server) == 0)
        #expect(server.reports.map(\.kind) == [.contracts, .drift])
        #expect(server.reports.allSatisfy { $0.capability == "orders" })
        let contracts = try JSONDecoder().decode(ContractReport.self, from: Data(server.reports[0].json))
        #expect(contracts.isWhole && contracts.isGreen)
        #expect(contracts.upgrade == UpgradePath(from: "v1", to: "v2"))
        let drift = try JSONDecoder().decode(DriftReport.self, from: Data(server.reports[1].json))
        #expect(drift.isGreen)
        #expect(await Self.run(["drift", "--publish"], at: server) == 0)
        #expect(server.reports.map(\.kind) == [.contracts, .drift, .drift])
        #expect(await Self.run(["contracts"], at: server) == 0)
        #expect(server.reports.count == 3)
    }

    @Test(
        arguments: [
            ["contracts", "--rule", "LIST-01"], ["contracts", "--operation", "x"], ["contracts", "--fail-fast"],
            ["contracts", "--adapter", "v1"], ["drift", "--known"],
        ]
    )
    func `a part is not published`(_ arguments: [String]) async {
        let server = Server()
        #expect(await Self.run(arguments + ["--publish"], at: server) == 64)
        #expect(server.reports.isEmpty)
    }

    @Test func `a tool without a publisher says so, and a server that does not answer is an error of the tool`()
        async
    {
        #expect(await ["contracts", "--publish"].exitCode(of: SoundTool.self) == 64)
        let server = Server()
        server.leave()
        #expect(await Self.run(["contracts", "--publish"], at: server) == 70)
        #expect(await Self.run(["drift", "--publish"], at: server) == 70)
        // Without a server, the command ends before the run.
        #expect(await ["contracts", "--publish"].exitCode(of: PublishingTool.self) == 70)
        #expect(await ["drift", "--publish"].exitCode(of: PublishingTool.self) == 70)
    }
}

private enum PublishingTool: TeamTool {
    static let name = "publishing"
    @TaskLocal static var server: PublishTests.Server?

    static func tooling() async throws -> Tooling {
        let server = server
        return Tooling(
            rules: Fixture.rules,
            adapters: [Fixture.adapter("v1"), Fixture.adapter("v2")],
            drift: DriftTooling(known: []) { _, _ in
                if server == nil { Issue.record("nothing is to be run without a server") }
                var report = DriftReport(legacy: "v1", candidate: "v2")
                report.add(call: "orders", compared: 3, [])
                return report
            },
            publisher: ReportPublisher(for: "orders") {
                guard let server else { throw PublishTests.Gone() }
                return { try server.take($0) }
            }
        )
    }
}
#endif
