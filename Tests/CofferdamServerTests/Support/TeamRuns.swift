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
