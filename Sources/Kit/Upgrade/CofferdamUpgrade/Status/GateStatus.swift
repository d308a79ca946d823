import Cofferdam

/// The gate's judgement of the newest evidence.
package struct GateStatus: Codable, Sendable, Hashable {
    /// Nil if there is no evidence of this epoch, or the plan has no gate for the stage.
    package var verdict: GateVerdict?
    package var reasons: [GateReason]
    /// What the evidence lacks and why, for people.
    package var gaps: [String]
    /// When the evidence was last recorded, in RFC 3339; nil if there is none.
    package var asOf: String?
    package var evidenceAgeSeconds: Int64?
    /// The metric of the promotion test that is farthest from its threshold.
    package var metric: Metric?
    /// That test's number of failures, k.
    package var failures: Int?
    /// That test's number of units, n.
    package var units: Int?
    /// The natural logarithm of that test's evidence.
    package var logEvidence: Double?
    /// The value that ``logEvidence`` must reach.
    package var threshold: Double?
    /// The number of further units without a failure that a promotion needs; nil if no number would be enough, or a
    /// person decides.
    package var moreCleanUnits: Int?
    /// The growth of the evidence over the last day of this epoch; at most 60 points.
    package var series: [Point]
    /// Whether evidence decides on a promotion from this stage.
    package var decidesNextStep: Bool
    /// The progress of all operations together, and of each one separately.
    package var operations: [DecidedOperation]
    /// What was counted of users whom V1 answers at a canary, over all operations; nil at other stages.
    package var legacy: FailureCounts?
    /// The same for each operation, by its name; nil at other stages.
    package var legacyByOperation: [String: FailureCounts]?
    /// The operations that are judged only in part or not at all, for people.
    package var remarks: [String]
    /// The seconds until there are enough units for every test, if they keep arriving as before; nil if unknown.
    package var secondsLeft: Int?
    /// The alarm that rings; nil if none does.
    package var alarm: Decision.AlarmResult?
    /// Whether a unit counts only once even after restarts; nil if unknown.
    package var isKept: Bool?
    /// Whether a unit was counted in this epoch.
    package var hasUnits: Bool
    /// Each test that could be computed, in the gate's order.
    package var tests: [Test]
    /// Each number with its threshold, for people; nil unless requested.
    package var explanation: String?

    package struct Test: Codable, Sendable, Hashable {
        package var metric: Metric
        package var role: GateTest.Role
        /// The installations whose evidence was tested; nil if the gate distinguishes none.
        package var counted: CountedInstallations?
        package var failures: Int
        package var units: Int
        /// The natural logarithm of the evidence.
        package var value: Double
        /// The threshold that ``value`` must reach.
        package var threshold: Double
        package var isReached: Bool

        package init(_ test: Decision.TestResult) {
            (metric, role, counted) = (test.metric, test.role, test.counted)
            (failures, units) = (test.counts.failures, test.counts.total)
            (value, threshold, isReached) = (test.value, test.threshold, test.isReached)
        }
    }

    package struct Point: Codable, Sendable, Hashable {
        package var at: String
        package var failures: Int
        package var units: Int
        package var logEvidence: Double
    }

    package init(
        _ plan: UpgradePlan,
        _ state: UpgradeState,
        _ snapshots: [EvidenceSnapshot],
        gaps missing: [String],
        now: Int64
    ) {
        (reasons, series, decidesNextStep, gaps, operations, remarks) = ([], [], false, [], [], [])
        (tests, hasUnits) = ([], false)
        let following = plan.following(state)
        let gate = following.gate(at: state.stage)
        let cleanUnits = following.cleanUnits(toLeave: state.stage)
        // If nothing is tested, no evidence is missing.
        if !gate.tests.isEmpty { gaps = missing }
        let promotions = gate.tests.filter { $0.role == .promote }
        decidesNextStep = !promotions.isEmpty
        guard let newest = snapshots.last else {
            moreCleanUnits = decidesNextStep ? cleanUnits : nil
            return
        }
        let decision = gate.decide(newest.reading)
        (verdict, reasons) = (decision.verdict, decision.reasons)
        asOf = ShownTime.date(millisecondsSince1970: newest.at)
        evidenceAgeSeconds = max(0, (now - newest.at) / 1_000)
        let promoting = decision.promotions
        tests = decision.tests.map(Test.init)
        hasUnits = newest.reading.metrics.values.contains { $0.total > 0 }
        operations = decision.operations ?? []
        remarks = decision.operationRemarks
        if state.stage.splitsUnits {
            legacy = newest.reading.legacyFailures(of: nil)
            legacyByOperation = operations.reduce(into: [:]) { counts, operation in
                guard let name = operation.name else { return }
                counts[name] = newest.reading.legacyFailures(of: name)
            }
        }
        if let installations = newest.reading.installations {
            remarks.append(installations.text(gate.promotionCounts ?? .all))
        }
        // A process without a ledger forgets who has visited.
        if newest.reading.isKept != false, let text = newest.reading.hours?.namedAnew { remarks.append(text) }
        alarm = decision.alarms?.filter(\.isReached).max { $0.value < $1.value }
        secondsLeft = Self.secondsLeft(operations)
        if let left = secondsLeft, let shortest = gate.shortestSeconds {
            secondsLeft = max(left, shortest - newest.reading.seconds)
        }
        if let left = secondsLeft, newest.reading.seconds + left > gate.longestSeconds {
            remarks.append(
                "At this rate the stage takes \(ShownTime.span(seconds: Int64(left))) more, and its gate gives up after "
                    + "\(ShownTime.span(seconds: Int64(gate.longestSeconds))): `upgrade plan --daily-users` offers plans that end"
            )
        }
        isKept = newest.reading.isKept
        moreCleanUnits = !hasUnits && decidesNextStep ? cleanUnits : Self.missing(promoting, promotions)
        guard let farthest = promoting.min(by: { $0.value / $0.threshold < $1.value / $1.threshold }) else { return }
        metric = farthest.metric
        (failures, units) = (farthest.counts.failures, farthest.counts.total)
        (logEvidence, threshold) = (farthest.value, farthest.threshold)
        series = snapshots.thinned(to: 60).compactMap { snapshot in
            gate.decide(snapshot.reading).promotions.first { $0.metric == farthest.metric }.map { test in
                Point(
                    at: ShownTime.date(millisecondsSince1970: snapshot.at),
                    failures: test.counts.failures,
                    units: test.counts.total,
                    logEvidence: test.value
                )
            }
        }
    }

    /// Returns the seconds until the last operation has enough units; nil if they are unknown for any operation.
    private static func secondsLeft(_ operations: [DecidedOperation]) -> Int? {
        let waited = operations.filter { $0.missing != nil }
        let seconds = waited.compactMap(\.secondsLeft)
        return seconds.count == waited.count ? seconds.max() : nil
    }

    /// Returns the largest number of units that a test still needs; nil if it is unknown for any test.
    private static func missing(_ results: [Decision.TestResult], _ tests: [GateTest]) -> Int? {
        guard !tests.isEmpty, results.count == tests.count else { return nil }
        var largest = 0
        for (result, test) in zip(results, tests) {
            // The number of future failures on the other side, which other rules need, is unknown.
            if result.isReached { continue }
            guard case .mixture(let limit) = result.rule,
                let total = SampleSizes.toPromote(failures: result.counts.failures, limit: limit, alpha: test.alpha)
            else { return nil }
            largest = max(largest, total - result.counts.total)
        }
        return largest
    }
}

extension GateReading {
    /// Returns the users whom the legacy side answered, and for how many of them it failed; nil if there are none.
    package func legacyFailures(of operation: String?) -> FailureCounts? {
        func counts(_ metric: Metric) -> FailureCounts { metrics[operation.map(metric.of) ?? metric] ?? .none }
        // Each metric's total has the users of both sides.
        let users = counts(.activeUnits).successes
        return users > 0 ? FailureCounts(counts(.canaryFailures).successes, of: users) : nil
    }
}

extension Decision {
    /// The tests for a promotion that could be computed.
    fileprivate var promotions: [TestResult] { tests.filter { $0.role == .promote } }
}

extension GateStatus {
    /// The reasons, for people. Before the first unit is counted, one sentence replaces the reasons about missing
    /// metrics, which would add nothing.
    package var words: [String] {
        guard !hasUnits, decidesNextStep, reasons.contains(where: { $0.code == .missing }) else {
            return reasons.map(\.description)
        }
        let others = reasons.filter { $0.code != .missing && $0.code != .nothingCounted && $0.code != .notYet }
        return ["No unit has reported in this epoch yet."] + others.map(\.description)
    }
}

extension Array {
    /// Returns at most `count` of the elements, evenly spaced, including the first and the last.
    package func thinned(to count: Int) -> [Element] {
        guard self.count > count, count > 1 else { return Array(suffix(Swift.max(0, count))) }
        return (0..<count).map { self[$0 * (self.count - 1) / (count - 1)] }
    }
}
