extension Gate {
    /// What these numbers allow. O(1): it depends on counters alone, not on how much was counted.
    ///
    /// One rollback test is enough to go back, and beats everything; a promotion needs every test, and nothing that holds.
    /// What is missing holds: it is not zero.
    public func decide(_ reading: GateReading) -> Decision {
        var judgement = Judgement(gate: self, reading: reading)
        if judgement.isOfThisStage() {
            judgement.readBreaker()
            for test in tests { judgement.run(test) }
            for ceiling in ceilings + ceilingsWithoutRate(in: reading) { judgement.run(ceiling) }
        }
        return judgement.decision
    }

    /// Of expected differences for which no rate was agreed: they may be as many as the units that say nothing.
    private func ceilingsWithoutRate(in reading: GateReading) -> [GateCeiling] {
        guard let limit = ceilings.first(where: { $0.metric == .uncounted })?.limit else { return [] }
        return reading.metrics.keys.filter { metric in
            metric.isExpected && !ceilings.contains { $0.metric == metric }
        }
        .sorted { $0.rawValue < $1.rawValue }
        .map { GateCeiling($0, limit: limit, estimate: .rate) }
    }
}

/// The reasons for each verdict, as they are found.
private struct Judgement {
    let gate: Gate
    let reading: GateReading
    private var rollBack: [GateReason] = []
    private var holds: [GateReason] = []
    private var notYet: [GateReason] = []
    private var tests: [Decision.TestResult] = []
    private var ceilings: [Decision.CeilingResult] = []

    init(gate: Gate, reading: GateReading) {
        self.gate = gate
        self.reading = reading
    }

    mutating func isOfThisStage() -> Bool {
        guard gate.stage != reading.stage else { return true }
        hold(.otherStage, nil, "the reading is of \(reading.stage), the gate of \(gate.stage)")
        return false
    }

    mutating func readBreaker() {
        guard let breaker = reading.breaker else {
            if gate.needsBreaker { hold(.missing, nil, "nobody says what the breaker did") }
            return
        }
        if breaker.openings >= 2 || breaker.longestSeconds > 60 {
            let message = "the breaker opened \(breaker.openings) times, at the longest for \(breaker.longestSeconds) s"
            rollBack.append(GateReason(.breakerTripped, nil, message))
        }
        if breaker.isOpen { hold(.breakerOpen, nil, "the breaker is open, and nothing is counted") }
    }

    mutating func run(_ test: GateTest) {
        guard let counts = counts(of: test.metric), let rule = rule(of: test) else { return }
        let result = Decision.TestResult(
            metric: test.metric,
            role: test.role,
            rule: rule,
            counts: counts,
            value: rule.logEvidence(counts),
            threshold: -ln(test.alpha),
            isReached: rule.isReached(counts, alpha: test.alpha)
        )
        tests.append(result)
        // Only where it is shown: most readings come to nothing.
        var numbers: String { "\(counts), \(rule): ln E \(result.value.shown(3)) of \(result.threshold.shown(3))" }
        switch (test.role, result.isReached) {
        case (.promote, false): notYet.append(GateReason(.notYet, test.metric, numbers))
        case (.rollBack, true): rollBack.append(GateReason(.testReached, test.metric, numbers))
        case (.veto, true): hold(.vetoed, test.metric, numbers)
        default: break
        }
        // A failure factor without failures is good news; any other rule without a count is no news.
        if case .bayesFactor = rule { return }
        if counts.total == 0 { hold(.nothingCounted, test.metric, "nothing was counted") }
    }

    mutating func run(_ ceiling: GateCeiling) {
        guard let counts = counts(of: ceiling.metric) else { return }
        guard let value = ceiling.estimate.value(of: counts) else {
            hold(.nothingCounted, ceiling.metric, "nothing was counted")
            return
        }
        let result = Decision.CeilingResult(
            metric: ceiling.metric,
            counts: counts,
            value: value,
            limit: ceiling.limit,
            isExceeded: value > ceiling.limit
        )
        ceilings.append(result)
        guard result.isExceeded else { return }
        let bound = ceiling.estimate == .rate ? "" : ", at most \(value.shownAsRate)"
        hold(.aboveCeiling, ceiling.metric, "\(counts)\(bound); allowed are \(ceiling.limit)")
    }

    /// Notes a reason to hold, once.
    private mutating func hold(_ code: GateReason.Code, _ metric: Metric?, _ message: String) {
        let reason = GateReason(code, metric, message)
        if !holds.contains(reason) { holds.append(reason) }
    }

    /// The counts of a metric, or a reason to hold.
    private mutating func counts(of metric: Metric) -> FailureCounts? {
        guard let counts = reading.metrics[metric] else {
            hold(.missing, metric, "nobody has written it")
            return nil
        }
        guard counts.isPossible else {
            hold(.impossibleCounts, metric, "\(counts)")
            return nil
        }
        return counts
    }

    /// The rule with what was measured put in, or a reason to hold.
    private mutating func rule(of test: GateTest) -> SequentialRule? {
        var rates: [Double] = []
        for level in test.levels {
            guard let rate = rate(of: level) else { return nil }
            rates.append(rate)
        }
        let rule: SequentialRule =
            switch test.rule {
            case .mixture: .mixture(limit: rates[0])
            case .probabilityRatio: .probabilityRatio(target: rates[0], limit: rates[1])
            case .bayesFactor: .bayesFactor(share: rates[0])
            }
        guard rule.isPossible else {
            hold(.uselessBaseline, test.metric, "what was measured leaves no room: \(rule)")
            return nil
        }
        return rule
    }

    private mutating func rate(of level: GateTest.Level) -> Double? {
        guard let metric = level.measured else { return level.fixed }
        guard let counts = counts(of: metric) else { return nil }
        let isBaseline = level.estimate != .rate
        guard !isBaseline || counts.total >= gate.fewestForBaseline, let value = level.estimate.value(of: counts) else {
            let message = "\(counts.total) counted, \(isBaseline ? gate.fewestForBaseline : 1) needed"
            hold(.uselessBaseline, metric, message)
            return nil
        }
        return level.fixed + value
    }

    var decision: Decision {
        let (verdict, reasons) = conclusion
        return Decision(
            gate: gate,
            reading: reading,
            verdict: verdict,
            reasons: reasons,
            tests: tests,
            ceilings: ceilings
        )
    }

    private var conclusion: (GateVerdict, [GateReason]) {
        if !rollBack.isEmpty { return (.rollBack, rollBack) }
        let against = holds + notYet
        let promotions = gate.tests.filter { $0.role == .promote }
        guard !promotions.isEmpty else {
            return (.hold, holds + [GateReason(.noPromotion, nil, "no gate leads further from \(gate.stage)")])
        }
        if against.isEmpty {
            let names = promotions.map(\.metric.rawValue).joined(separator: ", ")
            return (.promote, [GateReason(.allReached, nil, "every test is reached: \(names)")])
        }
        let passed = limitsPassed
        return passed.isEmpty ? (.hold, against) : (.undecided, passed + against)
    }

    private var limitsPassed: [GateReason] {
        var reasons: [GateReason] = []
        let most = tests.filter { $0.role == .promote }.map(\.counts.total).max() ?? 0
        if most >= gate.horizon {
            reasons.append(GateReason(.horizonPassed, nil, "\(most) were counted, \(gate.horizon) should be enough"))
        }
        if reading.seconds >= gate.longestSeconds {
            reasons.append(GateReason(.tooOld, nil, "\(reading.seconds) s, \(gate.longestSeconds) should be enough"))
        }
        return reasons
    }
}

extension GateTest.Level.Estimate {
    /// Of what was counted; nil where nothing was.
    fileprivate func value(of counts: FailureCounts) -> Double? {
        guard counts.total > 0 else { return nil }
        return switch self {
        case .rate: counts.rate
        case .upper: ConfidenceBounds.upper(counts, alpha: Self.alpha)
        case .lower: ConfidenceBounds.lower(counts, alpha: Self.alpha)
        }
    }
}
