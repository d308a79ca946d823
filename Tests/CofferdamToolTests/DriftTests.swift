import Cofferdam
import CofferdamSupport
import CofferdamContracts
import CofferdamUpgrade
import Testing

@testable import CofferdamTool

struct DriftTests {
    private static let known = KnownDrift(
        id: "D2",
        call: "orders",
        path: "lines[*].quantity",
        reason: "0 means both",
        legacy: ["0?"],
        candidate: ["0", "unknown"]
    )

    private static func difference(_ path: String, _ legacy: String?, _ candidate: String?) -> Difference {
        Difference(subject: "o-1", path: path, legacy: legacy, candidate: candidate)
    }

    private static func report(_ differences: Difference..., compared: Int = 1) -> DriftReport {
        var report = DriftReport(legacy: "v1", candidate: "v2")
        report.add(call: "orders", compared: compared, differences, knowing: [known])
        return report
    }

    @Test(
        arguments: [
            (difference("lines[12].quantity", "0?", "unknown"), DriftTier.info, "D2"),
            (difference("lines[0].quantity", "0?", "7"), .warn, nil),
            (difference("lines[0].quantity", "0?", nil), .error, nil),
            (difference("lines.quantity", "0?", "0"), .warn, nil),
            (difference("name", nil, "asp"), .error, nil),
            (difference("name", "asp", "Asp"), .warn, nil),
        ] as [(Difference, DriftTier, String?)]
    )
    func `a declared difference is info under its id, another value is a warning, and a missing value is an error`(
        difference: Difference,
        tier: DriftTier,
        id: String?
    ) throws {
        let report = Self.report(difference)
        let drift = try #require(report.drifts.first)
        #expect(drift.tier == tier)
        #expect(drift.id == id)
        #expect(report.count(of: tier) == 1)
        #expect(report.isGreen == (tier == .info))
    }

    @Test func `another call's drift is not known, and a comparison of nothing is not green`() {
        var report = DriftReport(legacy: "v1", candidate: "v2")
        #expect(report.isGreen == false)
        report.add(call: "animals", compared: 0, [], knowing: [Self.known])
        #expect(report.isGreen == false)
        report.add(call: "animals", compared: 1, [], knowing: [Self.known])
        #expect(report.isGreen)
        report.add(
            call: "animals",
            compared: 1,
            [Self.difference("lines[0].quantity", "0?", "0")],
            knowing: [Self.known]
        )
        #expect(report.isGreen == false)
    }

    @Test func `the table groups known differences, lists the rest, and puts the gravest first`() {
        let report = Self.report(
            Self.difference("lines[1].quantity", "0?", "0"),
            Self.difference("name", "asp", "a\u{1B}name"),
            Self.difference("name", "eel", String(repeating: "x", count: 100)),
            Self.difference("photo", nil, "7"),
            Self.difference("lines[1].quantity", "0?", "unknown")
        )
        let text = DriftSummary(report).render(TerminalStyle(isColoured: false))
        let lines = text.split(separator: "\n")
        #expect(lines.map { $0.prefix(5) } == ["TIER ", "error", "warn ", "warn ", "info ", "drift"])
        #expect(lines[4].contains("D2") && lines[4].contains(" 2 "))
        #expect(lines.last == "drift: 1 error, 2 warn, 2 info in 1 calls, 1 things compared")
        #expect(!text.contains("\u{1B}"))
    }

    #if CommandLine
    @Test func `drift ends with 0 if every difference is declared, 1 if not, 64 without two sides`() async {
        #expect(await ["drift", "--json"].exitCode(of: DriftingTool<Green>.self) == 0)
        #expect(await ["drift"].exitCode(of: DriftingTool<Red>.self) == 1)
        #expect(await ["drift", "--known"].exitCode(of: DriftingTool<Red>.self) == 0)
        #expect(await ["drift", "--service", "http://gone"].exitCode(of: DriftingTool<Green>.self) == 70)
        #expect(await ["drift"].exitCode(of: SidelessTool.self) == 64)
    }
    #endif

    fileprivate enum Green: Drifting { static let report = DriftTests.report() }
    fileprivate enum Red: Drifting {
        static let report = DriftTests.report(DriftTests.difference("name", "asp", nil))
    }
}

private protocol Drifting: Sendable, SendableMetatype {
    static var report: DriftReport { get }
}

#if CommandLine
private enum DriftingTool<Kind: Drifting>: TeamTool {
    static var name: String { "drifting" }

    static func tooling() async throws -> Tooling {
        let known = [DriftKnowledge(id: "D1", title: "ids"), DriftKnowledge(id: "D2", title: "zero")]
        return Tooling(
            rules: Fixture.rules,
            adapters: [Fixture.adapter("v1")],
            drift: DriftTooling(known: known) { service, _ in
                if service != nil { throw Unreachable() }
                return Kind.report
            }
        )
    }
}

private enum SidelessTool: TeamTool {
    static let name = "sideless"
    static func tooling() async throws -> Tooling {
        Tooling(rules: Fixture.rules, adapters: [Fixture.adapter("v1")])
    }
}

private struct Unreachable: Error {}
#endif
