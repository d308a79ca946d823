#if CommandLine
import Cofferdam
import CofferdamSupport
import CofferdamUpgrade
import Foundation
import Testing

@testable import CofferdamTool

/// Checks `upgrade allow` and `disallow`, and what status, history and explain print about named units.
struct NamedUnitsCommandTests {
    private static let plain = TerminalStyle(isColoured: false)

    @Test(
        arguments: [
            (["allow", "--reason", "test"], 64), (["allow", "ada", "", "--reason", "test"], 64),
            (["allow", "ada", "  ", "--reason", "test"], 64), (["allow", "ada"], 64),
            (["disallow", "--reason", "test"], 64), (["allow", "ada", "-c", "orders", "--reason", "test"], 64),
            (["allow", "ada", "--all", "-c", "catalogue", "--reason", "test"], 64),
            (["disallow", "ada", "--reason", "test"], 1),
            (["allow", String(repeating: "n", count: 257), "--reason", "test"], 1),
        ] as [([String], Int32)]
    )
    func `Bad input is refused and changes nothing`(_ arguments: [String], _ code: Int32) async throws {
        let bench = UpgradeBench()
        #expect(await exitCode(of: arguments, bench) == code)
        #expect(try await bench.store.read("catalogue") == nil)
    }

    @Test func `The list is changed with a name and a reason, for one upgrade or for all`() async throws {
        var bench = UpgradeBench()
        bench.names = ["catalogue", "orders"]
        #expect(await exitCode(of: ["allow", "ben", "ada", "--all", "--reason", "our own team"], bench) == 0)
        #expect(await exitCode(of: ["disallow", "ben", "-c", "orders", "--reason", "left"], bench) == 0)
        #expect(try await bench.store.read("catalogue")?.state.named.units == ["ada", "ben"])
        #expect(try await bench.store.read("orders")?.state.named.units == ["ada"])
        let entry = try #require(try await bench.store.history(of: "orders", last: 1).first)
        #expect(entry.request.by == "amara" && entry.request.reason == "left")
        #expect(await exitCode(of: ["disallow", "ben", "-c", "orders", "--reason", "again"], bench) == 1)
    }

    private func count(_ bench: UpgradeBench) async {
        var reading = UpgradeBench.reading(0, of: 9)
        reading.metrics[.namedFailures] = FailureCounts(3, of: 12)
        reading.metrics[.namedFailures.of("placeOrder")] = FailureCounts(3, of: 9)
        await bench.evidence.append(
            EvidenceSnapshot(
                capability: "catalogue",
                at: UpgradeBench.now - 10_000,
                reading: reading,
                outcomes: OutcomeCounts()
            )
        )
    }

    private func change(_ action: UpgradeAction, _ bench: UpgradeBench) async throws -> ChangeReport {
        try await bench.controls.change(bench.capabilities, .certain(action), by: "amara", reason: "r")
    }

    private func status(_ bench: UpgradeBench) async throws -> (text: String, json: String) {
        let statuses = try await bench.controls.status(of: bench.capabilities)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (
            StatusTable(statuses: statuses).render(Self.plain),
            String(decoding: try encoder.encode(statuses), as: UTF8.self)
        )
    }

    @Test func `status shows where named units are and what they met, and names them in JSON`() async throws {
        let bench = UpgradeBench()
        #expect(try await !status(bench).json.contains("\"named\""))
        _ = try await change(.allow(units: ["ben", "ada"]), bench)
        #expect(
            try await status(bench).text.contains(
                "  2 named users are on V2: none seen at this stage\n"
            )
        )
        try await bench.walk(to: .shadow(sample: .all))
        await count(bench)
        let (text, json) = try await status(bench)
        #expect(
            text.contains("  2 named users are on V2: 12 seen, 3 failed at placeOrder\n"),
            "\(text)"
        )
        #expect(
            json.contains(
                #""named":{"counts":{"answers":{},"failed":3,"failedAt":{"placeOrder":3},"seen":12},"isHeldBack":false,"units":["ada","ben"]}"#
            ),
            "\(json)"
        )
        let explained = try await bench.controls.explain(try #require(bench.capabilities.first))
        #expect(
            explained.render(Self.plain).contains("Named units, in no test: 12 seen, 3 failed at placeOrder\n")
        )
    }

    @Test(
        arguments: [
            (UpgradeAction.kill(.legacy), "on V1, because V2 is stopped"),
            (.kill(.candidate), "on V2, with all others"),
            (.kill(.freeze), "on V2"),
            (.abort, "held back on V1 until the next step or `allow`"),
        ]
    )
    func `status says why named units are elsewhere`(_ action: UpgradeAction, _ place: String) async throws {
        let bench = UpgradeBench()
        // Only a candidate that has answered users may get them all.
        try await bench.walk(to: action == .kill(.candidate) ? .canary(share: 500) : .shadow(sample: .all))
        _ = try await change(.allow(units: ["ada"]), bench)
        _ = try await change(action, bench)
        let text = try await status(bench).text
        let line = text.replacing("\n  ", with: " ")
        #expect(line.contains("1 named user is \(place): none seen at this stage\n"), "\(text)")
    }

    @Test func `counted named units are shown after the last one has left the list`() async throws {
        let bench = UpgradeBench()
        try await bench.walk(to: .shadow(sample: .all))
        await count(bench)
        let text = try await status(bench).text
        #expect(text.contains("  no user is named any more: 12 seen, 3 failed at placeOrder\n"))
        try await bench.walk(to: .candidateOnly)
        _ = try await change(.allow(units: ["ada"]), bench)
        #expect(
            try await status(bench).text.contains("1 named user is on V2, with all others: none seen")
        )
    }

    @Test func `history names some of the units, and how many there are afterwards`() async throws {
        let bench = UpgradeBench()
        let first = try await change(.allow(units: ["ada", "ben", "cleo", "dan", "eve"]), bench)
        #expect(
            first.text == """
                catalogue: named users added: ada, ben, cleo and 2 more, by amara: V1 only → V1 only, 5 named users

                """
        )
        let back = try await change(.abort, bench)
        #expect(back.text.hasSuffix("V1 only, 5 named users held back\n"))
        _ = try await change(.disallow(units: ["ada", "ben", "cleo", "dan", "eve"]), bench)
        let lines = try await bench.controls.history(of: bench.capabilities, last: 9)
        #expect(lines.map(\.action) == ["disallow", "abort", "allow"])
        #expect(lines.first?.after.named == nil && lines.first?.before.named == 5)
    }
}
#endif
