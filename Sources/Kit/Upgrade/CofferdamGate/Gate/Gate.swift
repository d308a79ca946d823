import Cofferdam

/// The conditions for leaving a stage. Pure: the same reading always gives the same decision.
public struct Gate: Sendable, Hashable, Codable {
    package var stage: Stage
    package var tests: [GateTest]
    package var ceilings: [GateCeiling]
    /// Whether the gate holds without a breaker history.
    package var needsBreaker: Bool
    package var horizon: Int
    /// The age of the stage before which nothing is promoted; nil at a stage without one and in older records.
    package var shortestSeconds: Int?
    package var longestSeconds: Int
    package var minimumBaselineCalls: Int
    /// The operations that are judged separately; nil in older records.
    package var operations: [JudgedOperation]?
    /// What may go back on what begins to fail later; nil in older records.
    package var alarms: [GateAlarm]?
    /// The installations whose evidence counts for a promotion; nil for all.
    package var promotionCounts: CountedInstallations?

    /// All metrics that the gate reads.
    package var metrics: Set<Metric> {
        tests.reduce(into: Set(ceilings.map(\.metric))) { $0.formUnion($1.metrics) }
    }

    /// - Throws: ``GateError`` with `unwrittenMetric` if the gate reads a metric that is never recorded: it would
    ///   hold for ever.
    package func check(written: Set<Metric>) throws(GateError) {
        // A recorded metric is recorded for each operation too.
        let unwritten = metrics.filter { !written.contains($0) && !written.contains($0.whole) }.map(\.rawValue).sorted()
        guard let first = unwritten.first else { return }
        let known = written.map(\.rawValue).sorted().joined(separator: ", ")
        throw GateError(
            .unwrittenMetric,
            "the gate of \(stage) reads \(unwritten.joined(separator: ", ")), which are never recorded; recorded: \(known)",
            subject: first
        )
    }
}

extension Gate {
    /// Whether both gates come from the same plan, whatever its baseline. The operations of the baseline, and how α is
    /// split among their tests, are ignored.
    package func hasSamePlan(as other: Gate) -> Bool { withoutBaseline == other.withoutBaseline }

    private var withoutBaseline: Gate {
        var gate = self
        (gate.operations, gate.alarms) = (nil, nil)
        // Giving up is tested only if the baseline counts it.
        gate.tests = tests.filter { $0.metric.operation == nil && $0.metric != .gaveUp }.map { test in
            var test = test
            // A promotion's α depends on the plan alone.
            if test.role != .promote { test.alpha = 0 }
            return test
        }
        return gate
    }
}

extension Gate {
    /// Decides on a reading, in O(1): the cost depends on the number of counters, not on how much was counted.
    ///
    /// One rollback test is enough to go back, and takes precedence. A promotion needs every promotion test, and no
    /// reason to hold. A missing metric holds: it is not zero.
    ///
    /// If only some installations count for a promotion, their evidence decides as any other. In addition, the evidence
    /// of all may roll back, so that others can neither promote nor hide what those saw.
    public func decide(_ reading: GateReading) -> Decision {
        var judgement = Judgement(gate: self, reading: reading)
        if judgement.checkStage() {
            judgement.readGaps()
            judgement.readArms()
            judgement.readBreaker()
            judgement.readUncalledOperations()
            for test in tests { judgement.runAll(test) }
            for alarm in alarms ?? [] { judgement.run(alarm) }
            for ceiling in ceilings + ceilingsWithoutRate(in: judgement.metrics) { judgement.run(ceiling) }
            if promotionCounts != nil {
                judgement.readAll()
                for test in tests where test.role == .rollBack { judgement.runAll(test) }
            }
        }
        return judgement.decision
    }

    /// The ceilings for expected differences without an agreed rate: the same limit as for units that do not count.
    private func ceilingsWithoutRate(in metrics: [Metric: FailureCounts]) -> [GateCeiling] {
        guard let limit = ceilings.first(where: { $0.metric == .uncounted })?.limit else { return [] }
        return metrics.keys.filter { metric in
            metric.isExpected && !ceilings.contains { $0.metric == metric }
        }
        .sorted { $0.rawValue < $1.rawValue }
        .map { GateCeiling($0, limit: limit, estimate: .rate) }
    }
}

/// Collects the reasons for each verdict.
private struct Judgement {
    let gate: Gate
    let reading: GateReading
    /// The metrics that are judged, and of which installations they are.
    private(set) var metrics: [Metric: FailureCounts]
    private var counted: CountedInstallations?
    private var rollBack: [GateReason] = []
    private var holds: [GateReason] = []
    private var notYet: [GateReason] = []
    private var tests: [Decision.TestResult] = []
    private var ceilings: [Decision.CeilingResult] = []
    private var alarms: [Decision.AlarmResult] = []

    init(gate: Gate, reading: GateReading) {
        self.gate = gate
        self.reading = reading
        counted = gate.promotionCounts
        metrics = counted == nil ? reading.metrics : reading.promoting ?? [:]
    }

    /// Judges the evidence of all installations from now on.
    mutating func readAll() { (metrics, counted) = (reading.metrics, .all) }

    mutating func checkStage() -> Bool {
        guard gate.stage != reading.stage else { return true }
        hold(.otherStage, nil, "the reading is for \(reading.stage), the gate for \(gate.stage)")
        return false
    }

    mutating func readGaps() {
        if let counted, reading.promoting == nil {
            let message = "only \(counted) installations count for a promotion, and only a server knows which those are"
            hold(.missing, nil, message)
        }
        guard reading.isIncomplete ?? false else { return }
        hold(.incomplete, nil, "some of what was counted is missing: it can only go back")
    }

    mutating func readArms() {
        guard gate.stage == .aa, let arms = reading.arms else { return }
        let builds = arms.filter { $0.side == .legacy }.map(\.build)
        if builds.count != 2 {
            let names = builds.isEmpty ? "" : ": " + builds.joined(separator: ", ")
            hold(.otherBuilds, nil, "\(builds.count) builds of the legacy side were counted, not two\(names)")
        }
    }

    mutating func readBreaker() {
        guard let breaker = reading.breaker else {
            if gate.needsBreaker { hold(.missing, nil, "the breaker history is missing") }
            return
        }
        let hanging = breaker.hangingTrials.map { "; \($0) trial calls hang" } ?? ""
        if breaker.openings >= 2 || breaker.longestSeconds > 60 {
            let times = "the breaker opened \(breaker.openings) times, for up to \(breaker.longestSeconds) s"
            let message = times + hanging
            rollBack.append(GateReason(.breakerTripped, nil, message))
        }
        if breaker.isOpen { hold(.breakerOpen, nil, "the breaker is open, and nothing is counted\(hanging)") }
    }

    /// Holds for an operation that units called on the legacy side, and none calls on the candidate, such as one whose
    /// screen is never reached. If q is the lower bound of its callers' share, none of n units calls it by chance with
    /// probability (1 − q)ⁿ.
    mutating func readUncalledOperations() {
        switch gate.stage.kind {
        case .canary, .candidateWithFallback, .candidateShadowed, .candidateOnly: break
        case .legacyOnly, .aa, .shadow, .arms: return
        }
        // Older records did not look at it.
        guard gate.alarms != nil else { return }
        guard let units = metrics[.activeUnits]?.failures, let before = metrics[.legacyFailures]?.total else { return }
        for operation in gate.operations ?? [] {
            let metric = Metric.candidateFailures.of(operation.name).includingOpenWindows
            guard let callers = metrics[.legacyFailures.of(operation.name)]?.total, callers <= before,
                metrics[metric]?.total ?? 0 == 0, metrics[.activeUnits.of(operation.name)]?.failures ?? 0 == 0
            else { continue }
            let share = ConfidenceBounds.lower(FailureCounts(callers, of: before), alpha: GateTest.Level.Estimate.alpha)
            guard Double(units) * ln1p(-share) < ln(Self.chanceOfNone) else { continue }
            let message =
                "\(callers) of \(before) units called it on the legacy side, and none of \(units) on the candidate"
            hold(.uncalledOperation, metric, message)
        }
    }

    private static let chanceOfNone = 0.001

    /// Runs a test; for a family of metrics, one test for each member.
    mutating func runAll(_ test: GateTest) {
        guard test.metric.isFamily else { return run(test) }
        let members = metrics.keys.filter { metric in
            metric.belongs(to: test.metric) && !(gate.operations ?? []).contains { $0.name == metric.operation }
        }
        .sorted { $0.rawValue < $1.rawValue }
        if members.count > GateTest.maxMembers {
            hold(
                .impossibleCounts,
                test.metric,
                "\(members.count) kinds were counted, at most \(GateTest.maxMembers) can be tested"
            )
        }
        for metric in members.prefix(GateTest.maxMembers) { run(test.of(metric)) }
    }

    private mutating func run(_ test: GateTest) {
        guard test.isWaitedFor || hasSomething(for: test) else { return }
        guard let counts = counts(of: test.metric), let rule = rule(of: test) else { return }
        var result = Decision.TestResult(
            metric: test.metric,
            role: test.role,
            rule: rule,
            counts: counts,
            value: rule.logEvidence(counts),
            threshold: -ln(test.alpha),
            isReached: rule.isReached(counts, alpha: test.alpha)
        )
        result.counted = counted
        if let floor = test.floor {
            guard let units = self.counts(of: floor.units) else { return }
            let isCandidate = Double(counts.failures) > rule.expectedShare * Double(counts.total)
            let own = floor.counts(counts, units, isCandidate: isCandidate)
            result.floor = .init(rule: floor.rule, counts: own, value: floor.rule.logEvidence(own))
            result.isReached = result.isReached && floor.rule.isReached(own, alpha: test.alpha)
        }
        tests.append(result)
        // Formatted only if a reason needs it.
        var numbers: String { result.numbers }
        switch (test.role, result.isReached) {
        case (.promote, false): notYet.append(GateReason(.notYet, test.metric, tooMany(result) ?? numbers))
        case (.rollBack, true): rollBack.append(GateReason(.testReached, test.metric, numbers))
        case (.veto, true) where test.metric.whole == .activeUnits:
            hold(.unexpectedShare, test.metric, counts.missing(atShare: rule.expectedShare))
        case (.veto, true) where test.metric == .canaryUnseen:
            let message =
                "of \(counts.total) units that were not heard of again, \(counts.failures) used the candidate, where a share of \(rule.expectedShare.shownAsRate) was expected"
            hold(.unexpectedShare, test.metric, message)
        case (.veto, true): hold(.vetoed, test.metric, numbers)
        default: break
        }
        // If no unit failed, a rule of failures alone has nothing to test, and that is no reason to hold. A veto without
        // anything to speak against is none.
        if counts.total == 0, test.role != .veto, !rule.countsOnlyFailures || test.role == .promote {
            hold(.nothingCounted, test.metric, "nothing was counted")
        }
    }

    /// What stands against a promotion for which no number of units will be enough, for people; nil if more may be.
    private func tooMany(_ test: Decision.TestResult) -> String? {
        guard let limit = test.limitPassed, let rate = test.counts.rate else { return nil }
        let text = "\(test.counts) failed, which is \(rate.shownAsRate), and the limit is \(limit.shownAsRate)"
        guard let legacy = legacyRate(of: test.metric.operation), legacy > limit, gate.stage.kind != .shadow else {
            return text
        }
        return text
            + "; of the legacy side's, \(legacy.shownAsRate) did: no plan without `relativeFactor` tells them apart"
    }

    /// The rate at which the legacy side fails: now if it answers, or else in the baseline.
    private func legacyRate(of operation: String?) -> Double? {
        func named(_ metric: Metric) -> Metric { operation.map(metric.of) ?? metric }
        if let failures = metrics[named(.canaryFailures)], let units = metrics[named(.activeUnits)], units.successes > 0
        {
            return Double(failures.successes) / Double(units.successes)
        }
        return metrics[named(.legacyFailures)]?.rate
    }

    /// Whether a test that no decision waits for can be computed: the operation was called, on both sides if the test
    /// needs both.
    private func hasSomething(for test: GateTest) -> Bool {
        guard let counts = metrics[test.metric], counts.isPossible, counts.total > 0 else { return false }
        return test.levels.allSatisfy { level in
            guard let metric = level.measured else { return true }
            guard let counts = metrics[metric], let measured = level.estimate.value(of: counts) else {
                return false
            }
            let rate = level.rate(measured)
            return level.estimate != .rate || rate > 0 && rate < 1
        }
    }

    mutating func run(_ alarm: GateAlarm) {
        guard let hours = reading.hours, let limit = gate.limit(of: alarm, in: reading),
            let result = alarm.result(of: hours, limit: limit)
        else { return }
        alarms.append(result)
        guard result.isReached else { return }
        rollBack.append(GateReason(.alarm, alarm.metric(of: .candidate), result.message))
    }

    mutating func run(_ ceiling: GateCeiling) {
        // Older evidence does not tell it.
        if ceiling.metric == .failedOnBoth, metrics[.failedOnBoth]?.total ?? 0 == 0 { return }
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
        hold(.aboveCeiling, ceiling.metric, "\(counts)\(bound); the limit is \(ceiling.limit)")
    }

    /// Notes a reason to hold, once.
    private mutating func hold(_ code: GateReason.Code, _ metric: Metric?, _ message: String) {
        let reason = GateReason(code, metric, message)
        if !holds.contains(reason) { holds.append(reason) }
    }

    /// The counts of a metric; nil after noting a reason to hold.
    private mutating func counts(of metric: Metric) -> FailureCounts? {
        guard let counts = metrics[metric] else {
            hold(.missing, metric, "the metric is missing")
            return nil
        }
        guard counts.isPossible else {
            hold(.impossibleCounts, metric, "\(counts)")
            return nil
        }
        return counts
    }

    /// The rule with the measured rates inserted; nil if it cannot be computed.
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
            case .twoSidedBayesFactor: .twoSidedBayesFactor(share: rates[0])
            case .ratio(_, let factor): .ratio(share: rates[0], factor: factor)
            }
        guard rule.isPossible else {
            guard test.isWaitedFor else { return nil }
            hold(.uselessBaseline, test.metric, "the measured rates leave no room for a test: \(rule)")
            return nil
        }
        return rule
    }

    private mutating func rate(of level: GateTest.Level) -> Double? {
        guard let metric = level.measured else { return level.fixed }
        guard let counts = counts(of: metric) else { return nil }
        // The bounds of a single operation need no minimum: they are wide if it has few callers.
        let isBaseline = level.estimate != .rate && metric.operation == nil
        guard !isBaseline || counts.total >= gate.minimumBaselineCalls, let value = level.estimate.value(of: counts)
        else {
            let message = "\(counts.total) counted, \(isBaseline ? gate.minimumBaselineCalls : 1) needed"
            hold(.uselessBaseline, metric, message)
            return nil
        }
        return level.rate(value)
    }

    var decision: Decision {
        let (verdict, reasons) = conclusion
        return Decision(
            gate: gate,
            reading: reading,
            verdict: verdict,
            reasons: reasons,
            tests: tests,
            ceilings: ceilings,
            operations: gate.operations.map { _ in DecidedOperation.all(gate, reading, tests) },
            alarms: alarms.isEmpty ? nil : alarms
        )
    }

    private var conclusion: (GateVerdict, [GateReason]) {
        if !rollBack.isEmpty { return (.rollBack, rollBack) }
        let against = holds + notYet
        let promotions = gate.tests.filter { $0.role == .promote }
        guard !promotions.isEmpty else {
            return (.hold, holds + [GateReason(.noPromotion, nil, "no gate promotes from \(gate.stage)")])
        }
        if against.isEmpty {
            if reading.isKept == false {
                let message =
                    "a unit that comes back after a restart counts again: a person must say whether the evidence is enough"
                return (.undecided, [GateReason(.unitsNotKept, nil, message)])
            }
            if let shortest = gate.shortestSeconds, reading.seconds < shortest {
                let message =
                    "every test is reached; the plan keeps a stage for at least \(ShownTime.span(seconds: Int64(shortest))), since a fault of the evening is not seen in the morning"
                return (.hold, [GateReason(.tooEarly, nil, message)])
            }
            let names = promotions.map(\.metric.rawValue).joined(separator: ", ")
            let seen = reading.hours?.partOfDay.map { "; the candidate was seen from \($0) UTC only" } ?? ""
            return (.promote, [GateReason(.allReached, nil, "every test is reached: \(names)\(seen)")])
        }
        let passed = limitsPassed
        return passed.isEmpty ? (.hold, against) : (.undecided, passed + against)
    }

    private var limitsPassed: [GateReason] {
        var reasons: [GateReason] = []
        let metrics = gate.promotionCounts == nil ? reading.metrics : reading.promoting ?? [:]
        let counted = metrics[gate.countedMetric]?.total ?? 0
        if counted >= gate.horizon {
            reasons.append(
                GateReason(
                    .horizonPassed,
                    nil,
                    "\(counted) units were counted; \(gate.horizon) should have been enough"
                )
            )
        }
        if reading.seconds >= gate.longestSeconds {
            reasons.append(
                GateReason(
                    .tooOld,
                    nil,
                    "\(ShownTime.span(seconds: Int64(reading.seconds))) have passed; \(ShownTime.span(seconds: Int64(gate.longestSeconds))) should have been enough"
                )
            )
        }
        return reasons
    }
}

extension Gate {
    /// The rate above which an alarm rings; without a baseline, what its plan adds to that.
    func limit(of alarm: GateAlarm, in reading: GateReading) -> Double? {
        var measured: Double?
        if let metric = alarm.limit.measured, let counts = reading.metrics[metric], counts.isPossible,
            metric.operation != nil || counts.total >= minimumBaselineCalls
        {
            measured = alarm.limit.estimate.value(of: counts)
        }
        let limit = alarm.limit.measured == nil ? alarm.limit.fixed : alarm.limit.rate(measured ?? 0)
        return limit > 0 && limit < 1 ? limit : nil
    }

    /// Whether an alarm rings on a reading, without its tests.
    package func rings(on reading: GateReading) -> Bool {
        guard let hours = reading.hours else { return false }
        return (alarms ?? []).contains { alarm in
            limit(of: alarm, in: reading).flatMap { alarm.result(of: hours, limit: $0)?.isReached } ?? false
        }
    }

    /// The metric whose units the horizon limits: the compared units, or else the candidate's.
    package var countedMetric: Metric {
        switch stage.kind {
        case .shadow, .candidateShadowed: .comparison
        case .legacyOnly, .aa, .canary, .arms, .candidateWithFallback, .candidateOnly: .candidateFailures
        }
    }
}

extension FailureCounts {
    /// What is missing from the units of two sides, for people.
    ///
    /// - Parameter share: the candidate's share of the units, above 0 and below 1.
    fileprivate func missing(atShare share: Double) -> String {
        let ratio = share / (1 - share)
        let here = Double(successes) * ratio - Double(failures)
        let side = here > 0 ? "candidate" : "legacy"
        let units = here > 0 ? here : -here / ratio
        return "\(failures) of \(total) units used the candidate, where a share of \(share.shownAsRate) was expected: "
            + "about \(Int(units.rounded())) are missing on the \(side) side"
    }
}

extension GateTest.Level.Estimate {
    /// The estimate from those counts; nil if nothing was counted.
    package func value(of counts: FailureCounts) -> Double? {
        guard counts.total > 0 else { return nil }
        return switch self {
        case .rate: counts.rate
        case .upper: ConfidenceBounds.upper(counts, alpha: Self.alpha)
        case .lower: ConfidenceBounds.lower(counts, alpha: Self.alpha)
        }
    }
}
