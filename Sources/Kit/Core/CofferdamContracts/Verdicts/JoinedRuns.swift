/// Joins the runs of several builds into one report: if no build can contain both majors, each build checks its own.
///
/// The runs must agree on the contract's digest, the rules, the fixtures, and the description of an adapter that is in
/// two of them. Any disagreement is a problem of the joined report, so that no verdict on it is `yes`. A run must be
/// whole for each adapter that it checks; otherwise the good parts of several runs could be combined. The joined report
/// has the date of its oldest run.
package struct JoinedRuns: Sendable, Hashable {
    /// A report, and its name in problems: its file.
    package struct Run: Sendable, Hashable {
        package var name: String
        package var report: ContractReport

        package init(_ name: String, _ report: ContractReport) {
            self.name = name
            self.report = report
        }
    }

    /// An adapter's description or a case's row in the joined report, and the run that it comes from.
    private struct Sourced<Value: Sendable & Hashable>: Sendable, Hashable {
        var value: Value
        var run: String
    }

    private let runs: [Run]
    private let today: CalendarDay

    /// - Parameters:
    ///   - runs: in the order in which the joined report shows their adapters.
    ///   - today: a run with a later date is a problem, although the joined report has the oldest date.
    package init(_ runs: [Run], today: CalendarDay) {
        self.runs = runs
        self.today = today
    }

    /// The runs as one report; a single run is its own report.
    package var report: ContractReport {
        if runs.count == 1, let run = runs.first { return run.report }
        var findings = runs.flatMap { run in
            (run.report.findings + run.report.coverageProblems + missing(of: run)).map { "\(run.name): \($0)" }
        }
        findings += contractProblems + stampProblems
        let adapters = joinedAdapters(&findings)
        var joined = ContractReport(digest: runs.first?.report.digest ?? "", rows: joinedRows(&findings))
        joined.stamp = stamp
        joined.rules = runs.first?.report.rules ?? []
        joined.adapters = adapters
        joined.deviations = unique(runs.flatMap(\.report.deviations))
        joined.findings = findings
        return joined
    }

    // MARK: What all runs must share

    private var contractProblems: [String] {
        let digests = runs.map { $0.report.digest.isEmpty ? "no digest" : String($0.report.digest.prefix(12)) }
        guard Set(runs.map(\.report.digest)).count == 1 else {
            return ["the runs were made with different contracts: \(listed(digests))"]
        }
        let rules = runs.map(\.report.rules)
        // The digest covers the rules, so a file with the same digest and other rules was changed, or leaves them out.
        guard Set(rules).count > 1 else { return [] }
        return ["the runs describe different rules: \(listed(rules.map { "\($0.count)" }))"]
    }

    private var stampProblems: [String] {
        var problems = runs.filter { $0.report.stamp == nil }.map {
            "\($0.name) does not state where and when it was made"
        }
        let fixtures = runs.map { $0.report.stamp?.fixtures ?? "" }
        if Set(fixtures).count > 1 {
            let digests = fixtures.map { $0.isEmpty ? "none" : String($0.prefix(12)) }
            problems.append("the runs were made with different fixtures: \(listed(digests))")
        }
        for run in runs {
            guard let date = run.report.stamp?.date, date > today else { continue }
            problems.append("\(run.name) is dated \(date), which is in the future")
        }
        return problems
    }

    /// The oldest run's date, and every system and toolchain; nil if a run has none.
    private var stamp: RunStamp? {
        let stamps = runs.compactMap(\.report.stamp)
        guard let date = stamps.map(\.date).min(), stamps.count == runs.count else { return nil }
        // Another run cannot supply what one run leaves out.
        func all(_ texts: [String]) -> String { texts.contains("") ? "" : unique(texts).joined(separator: "; ") }
        return RunStamp(
            fixtures: stamps.contains { $0.fixtures.isEmpty } ? "" : stamps[0].fixtures,
            os: all(stamps.map(\.os)),
            toolchain: all(stamps.map(\.toolchain)),
            date: date
        )
    }

    // MARK: What each run says

    /// What a run leaves out of the contract, for each adapter that it has checked.
    private func missing(of run: Run) -> [String] {
        let present = Set(run.report.rows.map(\.id))
        return unique(run.report.rows.map(\.adapter)).compactMap { adapter in
            let cases = run.report.rules.flatMap { $0.cases(on: adapter) }
            let count = cases.count { !present.contains($0) }
            return count == 0
                ? nil
                : "only a part of the contract was run on \(adapter): \(count) of \(cases.count) cases are missing"
        }
    }

    private func joinedAdapters(_ findings: inout [String]) -> [AdapterDescription] {
        var joined: [Sourced<AdapterDescription>] = []
        for run in runs {
            for adapter in run.report.adapters {
                guard let first = joined.first(where: { $0.value.name == adapter.name }) else {
                    joined.append(Sourced(value: adapter, run: run.name))
                    continue
                }
                guard first.value != adapter else { continue }
                findings.append(
                    "\(first.run) and \(run.name) describe \(adapter.name) differently: \(first.value.differences(from: adapter))"
                )
            }
        }
        return joined.map(\.value)
    }

    /// One row for each case, the worse one if two runs have it.
    private func joinedRows(_ findings: inout [String]) -> [ContractReport.Row] {
        var rows: [Sourced<ContractReport.Row>] = []
        var places: [ContractReport.Case: Int] = [:]
        for run in runs {
            for row in run.report.rows {
                guard let place = places[row.id] else {
                    places[row.id] = rows.count
                    rows.append(Sourced(value: row, run: run.name))
                    continue
                }
                let first = rows[place]
                // A case that one run has twice is already among the problems.
                if first.value.standing != row.standing, first.run != run.name {
                    findings.append(
                        "\(row.id) \(first.value.standing.pastTense) in \(first.run) and \(row.standing.pastTense) in \(run.name)"
                    )
                }
                if row.standing.isWorse(than: first.value.standing) { rows[place] = Sourced(value: row, run: run.name) }
                rows[place].value.worksUndeclared = row.worksUndeclared ?? first.value.worksUndeclared
            }
        }
        return rows.map(\.value)
    }

    /// "v1.json 3f…, v2.json 9a…".
    private func listed(_ values: [String]) -> String {
        zip(runs, values).map { "\($0.name) \($1)" }.joined(separator: ", ")
    }

    private func unique<Value: Hashable>(_ values: [Value]) -> [Value] {
        var seen: Set<Value> = []
        return values.filter { seen.insert($0).inserted }
    }
}

extension RowStanding {
    /// "passed", "was skipped".
    fileprivate var pastTense: String {
        switch self {
        case .passed, .failed, .crashed, .timedOut: word
        case .skipped, .notJudged: "was \(word)"
        }
    }

    fileprivate func isWorse(than other: RowStanding) -> Bool {
        let order = Self.allCases
        guard let own = order.firstIndex(of: self), let others = order.firstIndex(of: other) else { return false }
        return own > others
    }
}

extension AdapterDescription {
    /// The differences between two descriptions of one adapter: "SDK Vendor 2.0 or Vendor 2.1".
    fileprivate func differences(from other: AdapterDescription) -> String {
        func difference(_ what: String, _ own: String?, _ others: String?) -> String? {
            own == others ? nil : "\(what) \(own ?? "unknown") or \(others ?? "unknown")"
        }
        func difference(
            _ what: String,
            _ own: [some CustomStringConvertible & Hashable],
            _ others: [some CustomStringConvertible & Hashable]
        )
            -> String?
        {
            let (own, others) = (Set(own.map(\.description)), Set(others.map(\.description)))
            let different = own.symmetricDifference(others).sorted()
            return different.isEmpty ? nil : "\(what) \(different.joined(separator: ", "))"
        }
        return [
            difference("kind", identity.kind.rawValue, other.identity.kind.rawValue),
            difference("version", identity.version, other.identity.version),
            difference("SDK", identity.sdk, other.identity.sdk),
            difference("capabilities", capabilities, other.capabilities),
            difference("harness capabilities", harnessCapabilities, other.harnessCapabilities),
        ].compactMap(\.self).joined(separator: "; ")
    }
}
