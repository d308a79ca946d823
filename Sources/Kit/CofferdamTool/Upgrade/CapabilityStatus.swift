import Cofferdam
import CofferdamUpgrade

/// How one upgrade stands, as `status --json` prints it.
struct CapabilityStatus: Encodable, Sendable, Hashable {
    var capability: String
    var stage: Stage
    /// The stage after this one; nil at the end of the plan.
    var next: Stage?
    var epoch: Int
    var attempt: Int
    /// When the epoch began, RFC 3339; nil before the first step.
    var since: String?
    var ageSeconds: Int64?
    /// Who takes the next step: see ``Awaited``.
    var waitsFor: Awaited
    var kill: KillSwitch?
    var overrides: [String: Stage]
    /// The units that are on the candidate by their names; nil where there are none.
    var named: NamedUnitsStatus?
    var gate: GateStatus
    /// What each build counted, where no process holds both sides; nil elsewhere.
    var arms: [ArmCounts]?
    /// What the delivery must do, because no stage and no kill switch can; nil for nothing.
    var delivery: String?

    enum Awaited: String, Encodable, Sendable, Hashable {
        /// A person clears the kill switch.
        case resume
        /// A person answers for the next step: `advance`.
        case advance
        /// The gate is content: `promote`.
        case promote
        /// The gate wants to go back.
        case rollback
        /// More has to be counted.
        case evidence
        /// The end of the plan.
        case nothing
    }

    /// - Parameters:
    ///   - stored: nil if nothing ever was.
    ///   - evidence: of this epoch.
    ///   - now: milliseconds since 1970.
    init(_ capability: UpgradeTooling.Capability, _ stored: StoredUpgrade?, _ evidence: CountedEvidence, now: Int64) {
        let state = stored?.state ?? .beforeFirstStep(of: capability, now: now)
        self.capability = capability.name
        (stage, epoch, attempt) = (state.stage, state.epoch, state.attempt)
        next = capability.plan.stages.first { state.stage < $0 }
        since = stored.map { _ in ShownTime.date(millisecondsSince1970: state.since * 1_000) }
        ageSeconds = stored.map { _ in max(0, now / 1_000 - state.since) }
        kill = stored?.kill
        overrides = state.overrides
        named = NamedUnitsStatus(state.named, evidence.snapshots.last?.reading)
        gate = GateStatus(capability.plan, state, evidence, now: now)
        arms = capability.plan.isOfArms ? evidence.snapshots.last?.reading.arms ?? [] : nil
        waitsFor = Self.awaited(state, isKilled: kill != nil, isEnd: next == nil, gate)
    }

    private static func awaited(_ state: UpgradeState, isKilled: Bool, isEnd: Bool, _ gate: GateStatus) -> Awaited {
        if isKilled { return .resume }
        if gate.verdict == .rollBack { return .rollback }
        if isEnd { return .nothing }
        if state.waiting != nil || !gate.decidesNextStep || gate.verdict == .undecided { return .advance }
        return gate.verdict == .promote ? .promote : .evidence
    }
}

extension UpgradePlan {
    /// What the delivery of builds must do after a kill or a rollback, which move no user of a build with one side; nil for nothing.
    func delivery(_ stored: StoredUpgrade?, _ arms: [ArmCounts]?) -> String? {
        guard isOfArms, let stored else { return nil }
        let side: Side
        switch stored.kill?.target {
        case .legacy: side = .candidate
        case .candidate: side = .legacy
        case .freeze, nil:
            guard stored.state.waiting == .rolledBack else { return nil }
            side = .candidate
        }
        let builds = (arms ?? []).filter { $0.side == side }.map(\.build)
        let names = builds.isEmpty ? "" : " (\(builds.joined(separator: ", ")))"
        return
            "no user has moved: each build has one side. Withdraw the builds of the \(side.rawValue) side\(names) from the delivery"
    }
}

/// What the gate makes of the newest evidence.
struct GateStatus: Encodable, Sendable, Hashable {
    /// Nil where nothing was counted in this epoch, or the plan has no such stage.
    var verdict: GateVerdict?
    var reasons: [GateReason]
    /// What is missing of the evidence and why, for people.
    var gaps: [String]
    /// When the evidence was last written down, RFC 3339.
    var asOf: String?
    var evidenceAgeSeconds: Int64?
    /// Of the promotion test that has the longest way to go: k of n, and the natural logarithm of its evidence and of what it
    /// needs.
    var metric: Metric?
    var failures: Int?
    var units: Int?
    var logEvidence: Double?
    var threshold: Double?
    /// How many units without a failure the promotion needs from now on; nil where no number would be enough, or a person
    /// decides.
    var moreCleanUnits: Int?
    /// How the evidence grew in this epoch, over its last day; at most 60 points.
    var series: [Point]
    /// Whether a promotion from this stage is decided by evidence.
    var decidesNextStep: Bool
    /// How far all operations together and each by itself have come.
    var operations: [DecidedOperation]
    /// Which operations are judged in part or not at all, for people.
    var remarks: [String]
    /// In how many seconds there are enough units for every test, if they go on coming as they have; nil where that is not known.
    var secondsLeft: Int?
    /// Whether a unit counts once, whatever is restarted; nil where that is not known.
    var isKept: Bool?

    struct Point: Encodable, Sendable, Hashable {
        var at: String
        var failures: Int
        var units: Int
        var logEvidence: Double
    }

    init(_ plan: UpgradePlan, _ state: UpgradeState, _ evidence: CountedEvidence, now: Int64) {
        (reasons, series, decidesNextStep, gaps, operations, remarks) = ([], [], false, [], [], [])
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
        if !gate.tests.isEmpty { gaps = evidence.gaps }
        let promotions = gate.tests.filter { $0.role == .promote }
        decidesNextStep = !promotions.isEmpty
        guard let newest = evidence.snapshots.last else {
            moreCleanUnits = decidesNextStep ? cleanUnits : nil
            return
        }
        let decision = gate.decide(newest.reading)
        (verdict, reasons) = (decision.verdict, decision.reasons)
        asOf = ShownTime.date(millisecondsSince1970: newest.at)
        evidenceAgeSeconds = max(0, (now - newest.at) / 1_000)
        let tests = decision.promotions
        operations = decision.operations ?? []
        remarks = decision.operationRemarks
        secondsLeft = Self.secondsLeft(operations)
        isKept = newest.reading.isKept
        moreCleanUnits = Self.missing(tests, promotions)
        guard let farthest = tests.min(by: { $0.value / $0.threshold < $1.value / $1.threshold }) else { return }
        metric = farthest.metric
        (failures, units) = (farthest.counts.failures, farthest.counts.total)
        (logEvidence, threshold) = (farthest.value, farthest.threshold)
        series = Sparkline.thinned(evidence.snapshots, to: 60).compactMap { snapshot in
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
