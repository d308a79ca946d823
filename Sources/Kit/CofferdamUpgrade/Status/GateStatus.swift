import Cofferdam

/// What the gate makes of the newest evidence.
package struct GateStatus: Codable, Sendable, Hashable {
    /// Nil where nothing was counted in this epoch, or the plan has no such stage.
    package var verdict: GateVerdict?
    package var reasons: [GateReason]
    /// What is missing of the evidence and why, for people.
    package var gaps: [String]
    /// When the evidence was last written down, RFC 3339.
    package var asOf: String?
    package var evidenceAgeSeconds: Int64?
    /// Of the promotion test that has the longest way to go: k of n, and the natural logarithm of its evidence and of what it
    /// needs.
    package var metric: Metric?
    package var failures: Int?
    package var units: Int?
    package var logEvidence: Double?
    package var threshold: Double?
    /// How many units without a failure the promotion needs from now on; nil where no number would be enough, or a person
    /// decides.
    package var moreCleanUnits: Int?
    /// How the evidence grew in this epoch, over its last day; at most 60 points.
    package var series: [Point]
    /// Whether a promotion from this stage is decided by evidence.
    package var decidesNextStep: Bool
    /// How far all operations together and each by itself have come.
    package var operations: [DecidedOperation]
    /// Which operations are judged in part or not at all, for people.
    package var remarks: [String]
    /// In how many seconds there are enough units for every test, if they go on coming as they have; nil where that is not known.
    package var secondsLeft: Int?
    /// Whether a unit counts once, whatever is restarted; nil where that is not known.
    package var isKept: Bool?
    /// Whether a unit was counted in this epoch.
    package var hasUnits: Bool
    /// Each test that could be computed, in the gate's order.
    package var tests: [Test]
    /// Each number with its threshold, for people; nil where it is not asked for.
    package var explanation: String?

    package struct Test: Codable, Sendable, Hashable {
        package var metric: Metric
        package var role: GateTest.Role
        package var failures: Int
        package var units: Int
        /// ln E, and what it must reach.
        package var value: Double
        package var threshold: Double
        package var isReached: Bool

        package init(_ test: Decision.TestResult) {
            (metric, role) = (test.metric, test.role)
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
        let gate: Gate
        let cleanUnits: Int?
        do {
            let following = try plan.following(state)
            gate = try following.gate(at: state.stage)
            cleanUnits = following.cleanUnits(toLeave: state.stage)
        } catch {
            reasons = [GateReason(.otherStage, nil, error.message)]
            return
        }
        // Where nothing is tested, nothing is missing.
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
        secondsLeft = Self.secondsLeft(operations)
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

    /// When the last of them is there; nil if one cannot be told.
    private static func secondsLeft(_ operations: [DecidedOperation]) -> Int? {
        let waited = operations.filter { $0.missing != nil }
        let seconds = waited.compactMap(\.secondsLeft)
        return seconds.count == waited.count ? seconds.max() : nil
    }

    /// The largest number that one of the tests still needs; nil if one cannot be told.
    private static func missing(_ results: [Decision.TestResult], _ tests: [GateTest]) -> Int? {
        guard !tests.isEmpty, results.count == tests.count else { return nil }
        var most = 0
        for (result, test) in zip(results, tests) {
            // How many failures of the other side will come is not known.
            if result.isReached { continue }
            guard case .mixture(let limit) = result.rule,
                let total = SampleSizes.toPromote(failures: result.counts.failures, limit: limit, alpha: test.alpha)
            else { return nil }
            most = max(most, total - result.counts.total)
        }
        return most
    }
}

extension Decision {
    /// The tests for a promotion that could be computed.
    fileprivate var promotions: [TestResult] { tests.filter { $0.role == .promote } }
}

extension GateStatus {
    /// The reasons for people. Before the first unit there is one: the metrics that are missing then say no more.
    package var words: [String] {
        guard !hasUnits, decidesNextStep, reasons.contains(where: { $0.code == .missing }) else {
            return reasons.map(\.description)
        }
        let others = reasons.filter { $0.code != .missing && $0.code != .nothingCounted && $0.code != .notYet }
        return ["No unit has reported in this epoch yet."] + others.map(\.description)
    }
}

extension Array {
    /// At most `count` of the elements, evenly spread, the first and the last among them.
    package func thinned(to count: Int) -> [Element] {
        guard self.count > count, count > 1 else { return Array(suffix(Swift.max(0, count))) }
        return (0..<count).map { self[$0 * (self.count - 1) / (count - 1)] }
    }
}
