import Cofferdam
import CofferdamSupport
import CofferdamContracts
import CofferdamUpgrade
import Foundation
import Testing

@testable import CofferdamRehearsal

struct ScenarioReportTests {
    @Test func `the JSON has the keys that machines rely on, and reads back as it was`() async throws {
        let report = try await ToyUpgrade.walk(.wrong)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .prettyPrinted
        let data = try encoder.encode(report)
        let text = String(decoding: data, as: UTF8.self)
        #expect(text.contains(#""scenario" : "wrong""#))
        #expect(text.contains(#""decisions" : ["#) && text.contains(#""lost" : {"#))
        let again = try JSONDecoder().decode(ScenarioReport.self, from: data)
        #expect(again.decisions.allSatisfy { $0.contradictions().isEmpty })
        #expect(again == report)
    }

    @Test func `for people: a line for each stage, why, what was lost, and how it ended`() async throws {
        let report = try await ToyUpgrade.walk(.wrong)
        let text = ScenarioSummary(report).render(TerminalStyle(isColoured: false))
        #expect(text.contains("V1 only"))
        #expect(text.contains("At V2 in the background: mismatches+open: "))
        #expect(text.hasSuffix("\nlost: nothing\nscenario wrong: rolled back, as expected\n"))
    }

    @Test func `the page is well-formed, runs nothing, and escapes what it shows`() async throws {
        var report = try await ToyUpgrade.walk(.crashing)
        report.summary = "<script>alert('x')</script> & more"
        let page = ScenarioPage([report, report]).html()
        #expect(!page.contains("<script"))
        #expect(page.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; more"))
        #expect(page.components(separatedBy: "<svg").count == 7)
        #expect(!page.contains("nan") && !page.contains("inf\""))
        let body = page.replacing("<!DOCTYPE html>", with: "")
        try WellFormed.check(body)
    }

    @Test func `a scenario that ends unexpectedly is a problem of its rehearsal`() async throws {
        var report = RehearsalReport(
            adapters: [.init(name: "v1", steps: [.init(name: "sign in", outcome: .passed, detail: "", seconds: 0)])],
            comparisons: [
                .init(name: "catalogue", unit: "animals", counts: ["v1": 1], expected: [], unexpected: [])
            ],
            issues: [:],
            contracts: ContractReport(
                digest: "d",
                rows: [.init(rule: "LIST-01", level: .must, adapter: "v1", outcome: .passed, seconds: 0)]
            )
        )
        report.scenarios = [try await ToyUpgrade.walk(.wrong)]
        #expect(report.isGreen)
        report.scenarios[0].outcome = .arrived
        #expect(report.problems == ["wrong: expected rolled back, got arrived"])
    }
}

/// Checks that every element is closed in the right order.
private enum WellFormed {
    struct Problem: Error { var tag: String }

    static func check(_ page: String) throws {
        var open: [Substring] = []
        for match in page.matches(of: /<(\/?)([a-z0-9]+)[^<>]*?(\/?)>/) {
            let (_, isEnd, name, isEmpty) = match.output
            if !isEmpty.isEmpty { continue }
            if isEnd.isEmpty {
                open.append(name)
            } else if open.popLast() != name {
                throw Problem(tag: String(name))
            }
        }
        if let left = open.last { throw Problem(tag: String(left)) }
    }
}
