#if Sandbox
import CommandTestSupport
import Foundation
import MenagerieService
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DriftTests {
    private let vendorctl = BuiltCommand.vendorctl

    private struct Known: Decodable {
        struct Drift: Decodable { let id: String }

        let id: String
        let drifts: [Drift]
    }

    @Test("drift --json names every difference that remains behind the adapters, each under its id (D2, D13, D17, D29)")
    func drift() async throws {
        let finished = try await vendorctl.run(["drift", "--json"])
        #expect(finished.code == 0, "\(finished.error)")
        let report = try finished.json(Differences.self)
        #expect(report.unexpected.isEmpty)
        #expect(
            report.ids.isSuperset(of: ["D2", "D5", "D13", "D16", "D17", "D18", "D19", "D29"])
        )
        #expect(report.calls.count > 15)
        #expect((report.calls.first { $0.name == "animals" }?.compared ?? 0) > 100)
    }

    @Test("drift against a service that is not running is not agreement, but ends with 70")
    func nobodyThere() async throws {
        let finished = try await vendorctl.run(["drift", "--service", "http://127.0.0.1:1"])
        #expect(finished.code == 70)
        #expect(finished.output == "")
        #expect(finished.error.contains("unreachable"))
    }

    @Test("drift against a running service is the same, without the lost link")
    func runningService() async throws {
        try await ServiceFixture.with { fixture in
            let finished = try await vendorctl.run(["drift", "--json", "--service", fixture.service.url])
            #expect(finished.code == 0, "\(finished.error)")
            #expect(try finished.json(Differences.self).drifts.allSatisfy { $0.id != nil && $0.id != "D13" })
        }
    }

    @Test("The code's list of differences and MIGRATION.md name the same ones")
    func listAndGuide() async throws {
        let finished = try await vendorctl.run(["drift", "--known", "--json"])
        let known = try finished.json([Known].self)
        #expect(known.map(\.id) == (1...32).map { "D\($0)" })
        #expect(known.allSatisfy { difference in difference.drifts.allSatisfy { $0.id == difference.id } })
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let guide = try String(contentsOf: root.appending(path: "MIGRATION.md"), encoding: .utf8)
        let rows = Set(guide.matches(of: /\n\| (D\d+) \| .+ \| [CPN] \|/).map { String($0.1) })
        #expect(rows.count > 20)
        #expect(rows.subtracting(known.map(\.id)) == [])
        let named = Set(guide.matches(of: /\bD\d+\b/).map { String($0.0) })
        #expect(Set(known.map(\.id)).subtracting(named) == [], "neither a row nor a known gap")
        // Every drift that the tool excuses has a row in the guide.
        #expect(Set(known.filter { !$0.drifts.isEmpty }.map(\.id)).subtracting(rows).subtracting(["D27"]) == [])
    }
}
#endif
