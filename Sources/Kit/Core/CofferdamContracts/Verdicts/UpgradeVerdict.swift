/// The answer to "may we upgrade?", with its reasons, its basis and its expiry date.
public struct UpgradeVerdict: Sendable, Hashable {
    /// Whether the candidate may replace the old adapter.
    public var verdict: Answer
    /// The obstacles for `no`, what is missing for `unknown`, the arguments for `yes`.
    public var reasons: [String]
    /// Facts worth knowing that are no obstacle.
    public var notes: [String]
    /// The digest of the contract.
    package var digest: String
    /// The last day on which the answer is valid; nil if the run has no date.
    package var expires: CalendarDay?
    package var legacy: AdapterDescription?
    package var candidate: AdapterDescription?
    package var stamp: RunStamp?

    /// Unknown is not yes.
    public enum Answer: String, Sendable, Hashable, Codable {
        case yes, no, unknown
    }

    /// Judges whether one adapter of a report may replace another.
    ///
    /// - Parameters:
    ///   - today: the date of the question.
    ///   - digest: the digest of the current contract; a report of another contract gives `unknown`. Nil for the
    ///     report's own.
    ///   - days: for how many days a run is valid; at least 0.
    package init(
        _ report: ContractReport,
        from legacy: String,
        to candidate: String,
        today: CalendarDay,
        digest: String? = nil,
        validFor days: Int = 14
    ) {
        let comparison = UpgradeComparison(report, from: legacy, to: candidate)
        let accepted = report.acceptedLosses(by: candidate, today)
        self.digest = report.digest
        stamp = report.stamp
        self.legacy = report.adapters.first { $0.name == legacy }
        self.candidate = report.adapters.first { $0.name == candidate }
        let knownUntil = (accepted + report.rows.filter { $0.adapter == candidate }.compactMap(report.deviation))
            .map(\.expires).min()
        expires = report.stamp.map { stamp in
            let end = stamp.date.adding(days: max(0, days))
            return knownUntil.map { min($0, end) } ?? end
        }

        let against = comparison.objections(in: report, accepting: accepted)
        let unknown = report.doubts(of: comparison, today: today, digest: digest, expires: expires)
        notes = comparison.notes(accepting: accepted)
        if !against.isEmpty {
            verdict = .no
            reasons = against + unknown
        } else if !unknown.isEmpty {
            verdict = .unknown
            reasons = unknown
        } else {
            verdict = .yes
            let fixed = comparison.rules(.fixed).count
            reasons = [
                "\(comparison.rules(.passes).count) rules pass, \(fixed) fixed, none regressed; no capability is lost except known ones"
            ]
        }
    }
}

extension UpgradeComparison {
    /// Obstacles: a binding rule that no longer passes, a capability that is lost.
    fileprivate func objections(in report: ContractReport, accepting accepted: [KnownDeviation]) -> [String] {
        let regressions = rows.filter { $0.verdict == .regressed && $0.level != .should && $0.known == nil }
            .map { "\($0.name) has regressed: \($0.detail ?? "no detail")" }
        let broken = rows.filter { row in
            row.verdict == .notComparable && row.level != .should && row.known == nil
                && report.row(of: row.rule, row.operation, on: candidate)?.outcome.isFailure == true
        }.map { row in
            let scope = row.isUnjudged ? "was judged on" : "applies to"
            return "\(row.name) \(scope) \(candidate) only, and fails there: \(row.detail ?? "no detail")"
        }
        let losses = capabilities.lost.filter { tag in
            !accepted.contains { $0.subject == .lostCapability(tag, by: candidate) }
        }.map { "\(candidate) lacks \($0), which \(legacy) has" }
        return regressions + broken + losses
    }

    fileprivate func notes(accepting accepted: [KnownDeviation]) -> [String] {
        func note(_ what: String, _ rules: [String]) -> [String] {
            rules.isEmpty ? [] : ["\(what): \(rules.joined(separator: ", "))"]
        }
        let unjudged = lines { row in
            guard row.verdict == .notComparable || row.isUnjudged, !row.isUnproven, row.known == nil else { return nil }
            return "\(row.verdict.words): \(row.skipped ?? "no reason")"
        }
        return note("fixed", rules(.fixed)) + note("both fail", rules(.bothFail))
            + note("run on neither", rules(.notRun))
            + note("regressed, of level S", names { $0.verdict == .regressed && $0.level == .should })
            + unjudged + lines(\.known)
            + accepted.map { "\($0.subject) is \($0.note)" }
            + capabilities.gained.map { "\(candidate) gains \($0)" }
            + capabilities.proposed.map { "\(candidate) does not declare \($0), and it works: declare it?" }
    }
}

extension ContractReport {
    fileprivate func acceptedLosses(by candidate: String, _ today: CalendarDay) -> [KnownDeviation] {
        deviations.filter { deviation in
            guard case .lostCapability(_, by: candidate) = deviation.subject else { return false }
            return !deviation.hasExpired(on: today) && deviation.hasLink
        }
    }

    /// Why this report cannot answer the question.
    fileprivate func doubts(
        of comparison: UpgradeComparison,
        today: CalendarDay,
        digest: String?,
        expires: CalendarDay?
    ) -> [String] {
        var doubts = gaps
        for name in [comparison.legacy, comparison.candidate] where !rows.contains(where: { $0.adapter == name }) {
            doubts.append("\(name) was not run")
        }
        // A side that cannot be opened fails every rule; if neither can be opened, no rule has regressed.
        for name in [comparison.legacy, comparison.candidate]
        where rows.contains(where: { $0.adapter == name })
            && !rows.contains(where: { $0.adapter == name && $0.outcome == .passed })
        {
            doubts.append("\(name) passes no rule")
        }
        // What the old adapter keeps may be broken on the candidate.
        doubts += comparison.lines { row in
            guard row.isUnproven else { return nil }
            return "kept by \(comparison.legacy) and unknown on \(comparison.candidate): \(row.skipped ?? "no reason")"
        }
        if let digest, digest != self.digest { doubts.append("the run was made with another contract") }
        if let date = stamp?.date, date > today { doubts.append("the run is dated \(date), which is in the future") }
        if let expires, expires < today { doubts.append("the run was valid until \(expires)") }
        if !isWhole { doubts.append("only a part of the contract was run") }
        return doubts + problems
    }
}

extension UpgradeVerdict: Codable {
    private enum CodingKeys: String, CodingKey {
        case verdict, reasons, notes, digest, expires, legacy, candidate, stamp
    }

    /// Encodes the verdict; `expires` is always present, if need be as null.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(verdict, forKey: .verdict)
        try container.encode(reasons, forKey: .reasons)
        try container.encode(notes, forKey: .notes)
        try container.encode(digest, forKey: .digest)
        try container.encode(expires, forKey: .expires)
        try container.encodeIfPresent(legacy, forKey: .legacy)
        try container.encodeIfPresent(candidate, forKey: .candidate)
        try container.encodeIfPresent(stamp, forKey: .stamp)
    }
}
