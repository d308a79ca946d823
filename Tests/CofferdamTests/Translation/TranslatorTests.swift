import Cofferdam
import Testing
import TestSupport

@Suite struct TranslatorTests {
    /// Reads whole numbers; "~7" is 7 with a warning, "?7" has no value and only an informational issue.
    private let number = Translator<String, Int> { text, report throws(TranslationIssue) in
        if text.hasPrefix("~"), let number = Int(text.dropFirst()) {
            report.add(TranslationIssue("approximate", at: "value", raw: text, severity: .warning))
            return number
        }
        guard let number = Int(text) else {
            throw TranslationIssue("no number", at: "value", raw: text, severity: text.hasPrefix("?") ? .info : .error)
        }
        return number
    }

    @Test func `each source ends as a value or as an issue of severity error`() throws {
        var report = TranslationReport()
        let sources = ["1", "two", "~3", "?4", "5"]
        let values = try number.translate(sources, at: "items", into: &report)
        #expect(values == [1, 3, 5])
        #expect(values.count + report.issues.filter { $0.severity == .error }.count == sources.count)
        #expect(report.issues.map(\.path) == ["items[1].value", "items[2].value", "items[3].value"])
        #expect(report.issues.map(\.severity) == [.error, .warning, .error])
        #expect(report.issues.map(\.raw) == ["two", "~3", "?4"])
    }

    @Test(arguments: [("items", "items[0].value"), ("", "[0].value"), ("a.b", "a.b[0].value")])
    func `paths are complete, wherever the list is`(path: String, expected: String) throws {
        var report = TranslationReport()
        _ = try number.translate(["x"], at: path, into: &report)
        #expect(report.issues.map(\.path) == [expected])
    }

    @Test func `a nested list is reported with both indices`() throws {
        let number = number
        let row = Translator<[String], [Int]> { cells, report throws(TranslationIssue) in
            try number.translate(cells, at: "cells", into: &report)
        }
        var report = TranslationReport()
        #expect(try row.translate([["1"], ["2", "x"], ["3"]], at: "rows", into: &report) == [[1], [2], [3]])
        #expect(report.issues.map(\.path) == ["rows[1].cells[1].value"])
    }

    struct PolicyCase: Sendable, CustomTestStringConvertible {
        var policy: TranslationPolicy
        var sources: [String]
        var values: [Int]?
        var testDescription: String { "\(policy) of \(sources)" }
    }

    @Test func `an issue that ends a nested translation is reported once, with its whole path`() {
        let list = Translator<[String], [Int]> { sources, report throws(TranslationIssue) in
            try number.translate(sources, at: "lines", into: &report, policy: .failOnFirst)
        }
        var report = TranslationReport()
        let thrown = #expect(throws: TranslationIssue.self) {
            try list.translate([["1"], ["2", "x"]], at: "items", into: &report, policy: .failOnFirst)
        }
        #expect(thrown?.path == "items[1].lines[1].value")
        #expect(report.issues.map(\.path) == ["items[1].lines[1].value"])

        var one = TranslationReport()
        #expect(throws: TranslationIssue.self) { try list.translate(["x"], into: &one) }
        #expect(one.issues.map(\.path) == ["lines[0].value"])
    }

    @Test(arguments: [
        PolicyCase(policy: .collect, sources: ["x", "y"], values: []),
        PolicyCase(policy: .collect, sources: [], values: []),
        PolicyCase(policy: .failOnFirst, sources: ["1", "2"], values: [1, 2]),
        PolicyCase(policy: .failOnFirst, sources: ["1", "x", "y"], values: nil),
        PolicyCase(policy: .failAbove(share: 0.5), sources: ["1", "x"], values: [1]),
        PolicyCase(policy: .failAbove(share: 0.5), sources: ["1", "x", "y"], values: nil),
        PolicyCase(policy: .failAbove(share: 0), sources: ["1"], values: [1]),
        PolicyCase(policy: .failAbove(share: 0), sources: ["1", "x"], values: nil),
        PolicyCase(policy: .failAbove(share: .nan), sources: ["1", "x"], values: nil),
        PolicyCase(policy: .failAbove(share: 1), sources: ["x"], values: []),
    ])
    func `the policy decides which losses a page tolerates, and the report has every issue met`(row: PolicyCase) {
        var report = TranslationReport()
        let result = Result { () throws(TranslationIssue) in
            try number.translate(row.sources, at: "items", into: &report, policy: row.policy)
        }
        switch result {
        case .success(let values):
            #expect(values == row.values)
        case .failure(let issue):
            #expect(row.values == nil)
            #expect(issue == report.issues.first)
            #expect(issue.path == "items[1].value")
        }
        let failures = row.sources.filter { Int($0) == nil }.count
        #expect(report.issues.count == (row.policy == .failOnFirst ? min(1, failures) : failures))
    }

    @Test func `the report's path is restored after a failure, so that later issues have the right path`() {
        var report = TranslationReport()
        _ = Result { () throws(TranslationIssue) in
            try number.translate(["x"], at: "items", into: &report, policy: .failOnFirst)
        }
        report.add(TranslationIssue("late", at: "next", raw: ""))
        #expect(report.issues.map(\.path) == ["items[0].value", "next"])
    }

    @Test func `one value throws the very issue that the report holds`() {
        var report = TranslationReport()
        let error = #expect(throws: TranslationIssue.self) { try number.translate("?", into: &report) }
        #expect(error == report.issues.first)
        #expect(error?.severity == .error)
    }

    @Test func `a chain reports what either part found, and fails where either fails`() throws {
        let even = Translator<Int, String> { number, report throws(TranslationIssue) in
            guard number.isMultiple(of: 2) else { throw TranslationIssue("odd", at: "", raw: "\(number)") }
            return "#\(number)"
        }
        var report = TranslationReport()
        let values = try number.then(even).translate(["~2", "3", "x", "4"], into: &report)
        #expect(values == ["#2", "#4"])
        #expect(report.issues.map(\.what) == ["approximate", "odd", "no number"])
        #expect(report.issues.map(\.path) == ["[0].value", "[1]", "[2].value"])
    }

    @Test func `a sink gets a call's issues once, and none of a clean call`() {
        let log = Log<String>()
        let sink = IssueSink { issues, operation in log.add("\(operation): \(issues.count)") }
        sink.report([], of: "animals")
        sink.report([TranslationIssue("a", at: "", raw: ""), TranslationIssue("b", at: "", raw: "")], of: "animals")
        #expect(log.entries == ["animals: 2"])
    }

    @Test func `issues go to several places, and are counted by severity for a metric`() {
        let log = Log<String>()
        let sink = IssueSink.all(
            IssueSink { issues, _ in log.add("\(issues.count) issues") },
            .count { number, severity, operation in log.add("\(operation) \(severity) \(number)") }
        )
        let warning = TranslationIssue("a", at: "", raw: "", severity: .warning)
        sink.report([warning, TranslationIssue("b", at: "", raw: ""), warning], of: "animals")
        #expect(log.entries == ["3 issues", "animals warning 2", "animals error 1"])
    }
}
