import Cofferdam
import CofferdamSupport
import CofferdamContracts
import CofferdamUpgrade
import Testing

@testable import CofferdamRehearsal
@testable import CofferdamTool

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct RehearsalReportTests {
    @Test("The JSON has the keys that machines rely on, and reads back as it was")
    func json() throws {
        let report = Fixture.rehearsal
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let data = try encoder.encode(report)
        let text = String(decoding: data, as: UTF8.self)
        #expect(text.contains(#""v1":{"animals":107},"v2":{"animals":107}"#))
        #expect(text.contains(#""differences":{"expected":[{"candidate":"0","id":"D2","#))
        #expect(text.contains(#""unexpected":[]"#))
        #expect(text.contains(#""issues":{"v1":[],"v2":[{"operation":"animals","#))
        #expect(text.contains(#""contracts":{"digest":"d","rows":[{"adapter":"v1","level":"M","outcome":"passed","#))
        #expect(text.hasPrefix(#"{"adapters":["#))
        #expect(try JSONDecoder().decode(RehearsalReport.self, from: data) == report)
    }

    @Test("A comparison or an adapter with a reserved name is refused")
    func reservedNames() {
        var report = Fixture.rehearsal
        report.comparisons[0].name = "contracts"
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(report) }
        report.comparisons[0].name = "catalogue"
        report.comparisons[0].counts["differences"] = 1
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(report) }
    }

    @Test("All is well only if nothing failed, nothing is unexpected, and something was shown")
    func problems() {
        func problems(_ change: (inout RehearsalReport) -> Void) -> [String] {
            var report = Fixture.rehearsal
            change(&report)
            return report.problems
        }
        #expect(Fixture.rehearsal.isGreen)
        #expect(
            problems { $0.adapters[1].steps.append(.init(name: "photo", outcome: .failed, detail: "404", seconds: 0)) }
                == ["v2: photo failed: 404"]
        )
        #expect(problems { $0.adapters[0].steps = [] } == ["v1: no step passed"])
        #expect(problems { $0.adapters = [] } == ["no adapter was rehearsed"])
        #expect(problems { $0.comparisons = [] } == ["nothing was compared"])
        #expect(
            problems { $0.comparisons[0].unexpected = [$0.comparisons[0].expected[0]] }
                == ["catalogue: 1 unexpected difference"]
        )
        #expect(problems { $0.comparisons[0].counts["v2"] = nil } == ["catalogue: v2 gave no animals"])
        #expect(
            problems {
                $0.contracts.rows[0].outcome = .failed
                $0.contracts.rows[0].detail = "item 3 is missing"
            } == ["the contract fails: LIST-01 on v1 failed: item 3 is missing"]
        )
        let seven = problems { report in
            let row = report.contracts.rows[0]
            report.contracts = Fixture.report(
                (1...7).map { Fixture.row(RuleID(rawValue: "LIST-0\($0)"), row.adapter, .failed, "item 3 is missing") }
            )
        }
        #expect(seven.count == 6)
        #expect(seven.last == "the contract has 2 more problems")
    }

    @Test("For people: side by side, differences by reason, issues, matrix, and one line at the end")
    func summary() {
        let style = TerminalStyle(isColoured: false)
        let text = RehearsalSummary(Fixture.rehearsal, described: Fixture.tooling).render(style)
        #expect(
            text == """
                STEP     v1  v2
                sign in  ✓   ✓   amara

                catalogue: animals, 107 on v1, 107 on v2
                expected D2: legs differs 2 times (asp: 0? → 0), because 0 means both
                no unexpected difference

                ISSUES  CALL     WHERE          WHAT                    RAW
                v1      none
                v2      animals  items[3].kind  warning: unknown group  dragon

                RULE     LEVEL  v1  v2  PROMISE
                LIST-01  M      ✓   ✓   every item once

                contracts: 2 passed

                rehearsal passed: v2 may replace v1

                """
        )
    }

    @Test("The upgrade's comparison becomes one of the rehearsal, each expected difference with its declaration")
    func comparison() {
        let asp = Difference(subject: "asp", path: "legs", legacy: "0?", candidate: "0")
        let new = Difference(subject: "yeti", path: Difference.presence, legacy: nil, candidate: "yeti")
        let declared = ExpectedDifference(
            id: "D2",
            path: "legs",
            reason: "0 means both",
            changes: [.init(from: "0?", to: ["0"])]
        )
        let report = ComparisonReport([asp, new], expecting: [declared])
        let comparison = RehearsalReport.Comparison(name: "catalogue", unit: "animals", counts: ["v1": 1], report)
        #expect(
            comparison.expected == [
                .init(id: "D2", subject: "asp", path: "legs", legacy: "0?", candidate: "0", reason: "0 means both")
            ]
        )
        #expect(
            comparison.unexpected == [
                .init(subject: "yeti", path: Difference.presence, legacy: nil, candidate: "yeti")
            ]
        )
    }

    @Test("Unexpected differences are listed, at most twenty of them, and fail the rehearsal")
    func unexpected() {
        var report = Fixture.rehearsal
        report.comparisons[0].unexpected = (1...21).map {
            .init(subject: "animal \($0)", path: "name", legacy: "a\u{1B}", candidate: "b")
        }
        let text = RehearsalSummary(report, described: Fixture.tooling).render(TerminalStyle(isColoured: false))
        #expect(text.contains("animal 20   name   a\\u{1b}  b\nand 1 more\n"))
        #expect(!text.contains("animal 21"))
        #expect(text.hasSuffix("rehearsal: catalogue: 21 unexpected differences\n"))
    }
}
