import Cofferdam
import CofferdamContracts

@testable import CofferdamRehearsal
@testable import CofferdamTool

/// Rules over a dictionary of outcomes, with which each adapter defines its behaviour.
enum Fixture {
    typealias Subject = Set<String>

    static let rules: [Rule<Subject>] = [
        Rule("LIST-01", "every item once") { subject, _ in
            subject.contains("drops") ? [Violation("item 3 is missing")] : []
        },
        Rule("AUTH-01", "one refresh", requires: ["sessionRefresh"]) { _, _ in [] },
    ]

    /// Breaks LIST-01.
    static let dropping = Mutant<Subject>("LIST-01", "drops") { _, effect in
        effect.occurred()
        return ["drops"]
    }

    static func adapter(_ name: String, _ faults: Subject = [], capabilities: Set<CapabilityTag> = [])
        -> AdapterUnderTest<Subject>
    {
        AdapterUnderTest(name: name, capabilities: capabilities, open: { faults })
    }

    static let tooling = Tooling(
        rules: rules,
        adapters: [adapter("v1"), adapter("v2", capabilities: ["sessionRefresh"])]
    )

    static func report(_ rows: [ContractReport.Row]) -> ContractReport { ContractReport(digest: "d", rows: rows) }

    static func row(
        _ rule: RuleID,
        _ adapter: String,
        _ outcome: ContractReport.Outcome,
        _ detail: String? = nil
    ) -> ContractReport.Row {
        ContractReport.Row(rule: rule, level: .must, adapter: adapter, outcome: outcome, seconds: 0.5, detail: detail)
    }

    /// The report of a rehearsal without failures.
    static var rehearsal: RehearsalReport {
        RehearsalReport(
            adapters: ["v1", "v2"].map { name in
                .init(name: name, steps: [.init(name: "sign in", outcome: .passed, detail: "amara", seconds: 0.25)])
            },
            comparisons: [
                .init(
                    name: "catalogue",
                    unit: "animals",
                    counts: ["v1": 107, "v2": 107],
                    expected: [
                        .init(
                            id: "D2",
                            subject: "asp",
                            path: "legs",
                            legacy: "0?",
                            candidate: "0",
                            reason: "0 means both"
                        ),
                        .init(
                            id: "D2",
                            subject: "eel",
                            path: "legs",
                            legacy: "0?",
                            candidate: "?",
                            reason: "0 means both"
                        ),
                    ],
                    unexpected: []
                )
            ],
            issues: [
                "v1": [],
                "v2": [
                    .init(.init("unknown group", at: "items[3].kind", raw: "dragon", severity: .warning), of: "animals")
                ],
            ],
            contracts: report([row("LIST-01", "v1", .passed), row("LIST-01", "v2", .passed)])
        )
    }
}
