import CofferdamPages
import Cofferdam

extension ContractDocument {
    /// Returns JUnit XML: a suite for each adapter, a case for each (rule, operation, adapter), and a suite for the
    /// run's own problems, if any.
    ///
    /// A violation is a failure; a crash, a timeout and a problem of the run are errors; a known deviation is skipped,
    /// with its link.
    package func junit() -> String {
        let suites = adapters.map(suite) + (report.problems.isEmpty ? [] : [runSuite])
        let failed = report.failures
        let text: Markup = """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="\(name)" tests="\(report.rows.count + report.problems.count)" \
            failures="\(failed.count { $0.outcome == .failed })" \
            errors="\(failed.count { $0.outcome != .failed } + report.problems.count)" \
            time="\(Self.time(report.rows))">
            \(suites.joined())
            </testsuites>

            """
        return text.description
    }

    private func suite(_ adapter: String) -> Markup {
        let rows = report.rows.filter { $0.adapter == adapter }
        let failed = rows.filter(report.failures.contains)
        let skipped = rows.count { $0.outcome == .skipped || report.deviation(of: $0) != nil }
        let timestamp: Markup = report.stamp.map { " timestamp=\"\($0.date.description)T00:00:00\"" } ?? ""
        return """
            <testsuite name="\(adapter)" tests="\(rows.count)" failures="\(failed.count { $0.outcome == .failed })" \
            errors="\(failed.count { $0.outcome != .failed })" skipped="\(skipped)" time="\(Self.time(rows))"\(timestamp)>
            <properties>
            \(provenance.map { "<property name=\"\($0.name)\" value=\"\($0.value)\"/>" as Markup }.joined())
            </properties>
            \(rows.map(testCase).joined())
            </testsuite>
            """
    }

    private func testCase(_ row: ContractReport.Row) -> Markup {
        let title = title(of: row.rule)
        let name = title.isEmpty ? row.name : "\(row.name): \(title)"
        let head: Markup = "<testcase classname=\"\(row.adapter)\" name=\"\(name)\" time=\"\(Self.time([row]))\""
        guard let result = result(of: row) else { return "\(head)/>" }
        return "\(head)>\(result)</testcase>"
    }

    private func result(of row: ContractReport.Row) -> Markup? {
        let detail = row.detail ?? "no detail"
        if let known = report.deviation(of: row) { return "<skipped message=\"\(known.note): \(detail)\"/>" }
        switch row.outcome {
        case .passed: return nil
        case .skipped:
            let message = row.standing == .notJudged ? "not judged: \(detail)" : detail
            return "<skipped message=\"\(message)\"/>"
        case .failed: return "<failure type=\"failed\" message=\"\(detail)\"/>"
        case .crashed, .timedOut: return "<error type=\"\(row.outcome.rawValue)\" message=\"\(detail)\"/>"
        }
    }

    private var runSuite: Markup {
        let cases = report.problems.map { problem in
            "<testcase classname=\"run\" name=\"\(problem)\" time=\"0.000\"><error type=\"run\" message=\"\(problem)\"/></testcase>"
                as Markup
        }
        return """
            <testsuite name="run" tests="\(cases.count)" failures="0" errors="\(cases.count)" skipped="0" time="0.000">
            \(cases.joined())
            </testsuite>
            """
    }

    /// Seconds with three decimals.
    private static func time(_ rows: [ContractReport.Row]) -> String {
        let milliseconds = Int(exactly: (rows.reduce(0) { $0 + $1.seconds } * 1000).rounded()) ?? 0
        let fraction = String(milliseconds % 1000)
        return "\(milliseconds / 1000)." + String(repeating: "0", count: max(0, 3 - fraction.count)) + fraction
    }
}
