extension ContractReport {
    /// Problems of the run itself, besides failed rows (KIT-01, KIT-04 to KIT-07, KIT-10).
    public var problems: [String] {
        findings + coverageProblems + skipProblems + capabilityProblems + fakeProblems + deviationProblems
    }

    /// What a verdict must know about the run but the report lacks (KIT-08).
    package var gaps: [String] {
        var gaps: [String] = []
        func demand(_ value: String?, _ what: String) {
            if (value ?? "").isEmpty { gaps.append("the report does not state \(what)") }
        }
        demand(digest, "the contract's digest")
        demand(stamp?.fixtures, "the fixtures' digest")
        demand(stamp?.os, "the operating system")
        demand(stamp?.toolchain, "the toolchain")
        demand(stamp?.date.description, "the date of the run")
        if adapters.isEmpty { gaps.append("the report does not state which adapters were run") }
        for adapter in adapters {
            demand(adapter.identity.version, "the version of the adapter \(adapter.name)")
            demand(adapter.identity.sdk, "the SDK's version behind \(adapter.name)")
        }
        return gaps
    }

    /// KIT-01: exactly the declared cases have a row each, and at least one was run.
    var coverageProblems: [String] {
        var problems: [String] = []
        if let stop { problems.append("the run is incomplete: \(stop)") }
        if !rows.contains(where: { $0.outcome != .skipped }) { problems.append("no rule was run") }
        let counts = Dictionary(rows.map { ($0.id, 1) }, uniquingKeysWith: +)
        for id in declared.union(counts.keys).sorted(by: { $0.description < $1.description }) {
            switch (counts[id] ?? 0, declared.contains(id)) {
            case (1, true): break
            case (0, _) where stop != nil: break
            case (0, _): problems.append("\(id) was declared and is not in the report")
            case (_, false): problems.append("\(id) was not declared")
            case (let count, true): problems.append("\(id) is in the report \(count) times")
            }
        }
        return problems
    }

    /// KIT-04: every skipped row has a reason.
    private var skipProblems: [String] {
        rows.filter { $0.outcome == .skipped && ($0.detail ?? "").isEmpty }
            .map { "\($0.id) was skipped without a reason" }
    }

    /// KIT-05: each declared capability is checked by a rule. Only a complete run can tell.
    private var capabilityProblems: [String] {
        guard isWhole else { return [] }
        let known = Set(rules.flatMap { $0.requires + $0.consults })
        let knownHarnessCapabilities = Set(rules.flatMap { $0.harnessCapabilities + $0.consultedHarnessCapabilities })
        let index = RowIndex(self)
        func isExecuted(_ tag: CapabilityTag, by adapter: String) -> Bool {
            rules.contains { rule in
                (rule.requires + rule.consults).contains(tag)
                    && index.rows(of: rule.id, on: adapter).contains { $0.outcome != .skipped }
            }
        }
        let waived = Set(deviations.compactMap(\.subject.uncheckedCapability))
        var problems: [String] = []
        for adapter in adapters {
            for tag in adapter.capabilities where !waived.contains(tag) {
                if !known.contains(tag) {
                    problems.append("\(adapter.name) declares \(tag), which no rule knows")
                } else if !isExecuted(tag, by: adapter.name) {
                    problems.append("\(adapter.name) declares \(tag), and no rule that asks for it was executed")
                }
            }
            for capability in adapter.harnessCapabilities where !knownHarnessCapabilities.contains(capability) {
                problems.append("the harness of \(adapter.name) has \(capability), which no rule knows")
            }
        }
        return problems
    }

    /// KIT-10: a fake declares only what some live adapter declares.
    private var fakeProblems: [String] {
        let live = adapters.filter { $0.identity.kind == .live }
        guard !live.isEmpty else { return [] }
        let possible = Set(live.flatMap(\.capabilities))
        return adapters.filter { $0.identity.kind == .fake }.flatMap { fake in
            fake.capabilities.filter { !possible.contains($0) }
                .map { "\(fake.name) is a fake and declares \($0), which no live adapter does" }
        }
    }

    /// KIT-06: a known deviation still fails as known, and must be reviewed when it expires.
    private var deviationProblems: [String] {
        guard !deviations.isEmpty else { return [] }
        guard let today = stamp?.date else { return ["known deviations cannot be judged without the date of the run"] }
        var problems: [String] = []
        var seen: Set<KnownDeviation.Subject> = []
        for deviation in deviations {
            if !seen.insert(deviation.subject).inserted { problems.append("\(deviation.subject) is known twice") }
            if !deviation.hasLink { problems.append("\(deviation.subject): a known deviation needs a link") }
            if deviation.hasExpired(on: today) {
                problems.append("\(deviation.subject) was known until \(deviation.expires): \(deviation.link)")
            }
            if let problem = staleness(of: deviation) { problems.append(problem) }
        }
        return problems
    }

    private func staleness(of deviation: KnownDeviation) -> String? {
        switch deviation.subject {
        case .rule(let rule, let operation, let adapter):
            let rows = rows(of: rule, on: adapter).filter { operation == nil || $0.operation == operation }
            if rows.isEmpty { return isWhole ? "\(deviation.subject) is known, and there is no such case" : nil }
            let isSkip = deviation.outcome == .skipped
            let deviates = rows.contains { isSkip ? $0.outcome == .skipped : $0.outcome.isFailure }
            if deviation.isIntermittent || deviates { return nil }
            let isPass = rows.contains { $0.outcome == .passed }
            let outcome = isPass ? "passed" : isSkip ? "failed" : "was skipped"
            return "\(deviation.subject) is known to deviate, and \(outcome): \(deviation.link)"
        case .uncheckedCapability(let tag):
            guard isWhole else { return nil }
            guard adapters.contains(where: { $0.capabilities.contains(tag) }) else {
                return "\(deviation.subject) is known, but not declared"
            }
            return rules.contains { $0.requires.contains(tag) }
                ? "\(deviation.subject) is known, and there is a rule now: \(deviation.link)" : nil
        case .lostCapability(let tag, let adapter):
            return adapters.first { $0.name == adapter }?.capabilities.contains(tag) == true
                ? "\(deviation.subject) is known, and it is declared: \(deviation.link)" : nil
        }
    }
}
