#if Server
import Cofferdam
import CofferdamContracts
import Foundation

/// Runs of a contract, and drift, as a team's tool prints them.
enum TeamRuns {
    /// - Parameter date: the run's date; a test's server starts on 2027-01-15.
    static func contracts(_ date: CalendarDay = "2027-01-14", failing: Bool = false) -> ContractReport {
        let operations = ["animal", "order"]
        var report = ContractReport(digest: "d16e57")
        report.rules = [
            RuleDescription(id: "LIST-01", title: "Every item comes once"),
            RuleDescription(id: "GET-01", title: "An item that is there is found"),
            RuleDescription(
                id: "GET-08",
                title: "A cached item needs no network",
                level: .optional,
                requires: ["cache"]
            ),
        ]
        report.rules[1].operations = operations
        report.adapters = ["v1", "v2", "fake"].map { name in
            AdapterDescription(
                name: name,
                identity: AdapterIdentity(name == "fake" ? .fake : .live, version: "1", sdk: "Vendor \(name)")
            )
        }
        report.upgrade = UpgradePath(from: "v1", to: "v2")
        report.stamp = RunStamp(fixtures: "f00d", os: "Debian 12", toolchain: "Swift 6.3.1", date: date)
        func add(_ rule: RuleID, _ operation: String?, _ adapter: String, _ outcome: ContractReport.Outcome) {
            var row = ContractReport.Row(
                rule: rule,
                operation: operation,
                level: rule == "GET-08" ? .optional : .must,
                adapter: adapter,
                outcome: outcome,
                seconds: 0.25
            )
            row.detail =
                outcome == .passed
                ? nil : outcome == .skipped ? "\(adapter) does not declare cache" : "item 3 is missing"
            report.rows.append(row)
        }
        for adapter in report.adapters.map(\.name) {
            add("LIST-01", nil, adapter, .passed)
            for operation in operations {
                add(
                    "GET-01",
                    operation,
                    adapter,
                    failing && adapter == "v2" && operation == "order" ? .failed : .passed
                )
            }
            add("GET-08", nil, adapter, .skipped)
        }
        report.declared = Set(report.rows.map(\.id))
        return report
    }

    /// As many rules and cases as a real contract has: 102 rules in 12 families, 299 cases that do not apply.
    static func large() -> ContractReport {
        var report = contracts()
        (report.rules, report.rows) = ([], [])
        let families = [
            "AUTH", "BIN", "CANCEL", "CHANGE", "ERR", "FIELD", "GET", "LIFE", "LIST", "STREAM", "TIME", "VALUE",
        ]
        for number in 0..<102 {
            let id = RuleID(rawValue: "\(families[number % 12])-\(number / 12 < 9 ? "0" : "")\(number / 12 + 1)")
            var rule = RuleDescription(
                id: id,
                title: "A promise that is about as long as those of the kit are, number \(number)"
            )
            rule.operations = ["animal", "animals", "order", "place", "search"]
            report.rules.append(rule)
            for (adapter, operation) in ["v1", "v2", "fake"].flatMap({ a in rule.operations.map { (a, $0) } }) {
                let place = report.rows.count
                let outcome: ContractReport.Outcome = place % 5 == 0 ? .skipped : place % 97 == 0 ? .failed : .passed
                var row = ContractReport.Row(
                    rule: id,
                    operation: operation,
                    level: .must,
                    adapter: adapter,
                    outcome: outcome,
                    seconds: 0.1
                )
                row.detail =
                    outcome == .skipped
                    ? "\(adapter) does not declare capability \(number % 3)" : "item \(place) is missing"
                if outcome == .passed { row.detail = nil }
                report.rows.append(row)
            }
        }
        report.declared = Set(report.rows.map(\.id))
        return report
    }

    static func drift(_ subject: String = "o-1") -> DriftReport {
        var report = DriftReport(legacy: "v1", candidate: "v2")
        let known = KnownDrift(id: "D2", call: "orders", path: "lines[*].quantity", reason: "0 means both")
        let differences = [
            Difference(subject: subject, path: "lines[2].quantity", legacy: "0?", candidate: "0"),
            Difference(subject: subject, path: "name", legacy: "asp", candidate: nil),
        ]
        report.add(call: "orders", compared: 7, differences, knowing: [known])
        return report
    }

    static func json(_ report: some Encodable) throws -> String {
        String(decoding: try JSONEncoder().encode(report), as: UTF8.self)
    }
}
#endif
