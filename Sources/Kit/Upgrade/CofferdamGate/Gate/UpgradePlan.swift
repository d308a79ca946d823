package import CofferdamSupport

/// The stages of an upgrade, and the conditions for each step. α covers the whole upgrade.
public struct UpgradePlan: Sendable, Hashable {
    /// The stages, in ascending order of what a failure of the candidate can reach.
    public let stages: [Stage]
    /// The settings.
    public let settings: GateSettings

    /// - Parameters:
    ///   - stages: at least two, ascending: `[.legacyOnly, .shadow(sample: .all), …, .candidateOnly]`.
    ///   - settings: the limits.
    ///   - baseline: the baseline of the legacy side, which determines the operations that are judged.
    /// - Throws: ``GateError``: `invalidPlan` for stages that do not ascend or count no units, or a horizon within which
    ///   no candidate can be promoted; `invalidSetting` for a number out of range.
    public init(
        _ stages: [Stage],
        settings: GateSettings = .defaults,
        against baseline: LegacyBaseline? = nil
    ) throws(GateError) {
        try settings.check()
        let text = stages.map(\.rawValue).joined(separator: ", ")
        guard stages.count >= 2 else {
            throw GateError(.invalidPlan, "a plan needs at least two stages", subject: "[\(text)]")
        }
        for (stage, next) in zip(stages, stages.dropFirst()) where !(stage < next) {
            throw GateError(.invalidPlan, "\(next) is not above \(stage)", subject: "[\(text)]")
        }
        for stage in stages
        where [.shadow(sample: .none), .canary(share: .none), .candidateShadowed(sample: .none)].contains(stage) {
            throw GateError(
                .invalidPlan,
                "\(stage) counts no units, so its gate would hold for ever",
                subject: "[\(text)]"
            )
        }
        if stages.contains(where: \.comparesBuilds) {
            let parts: Set<Stage> = [.legacyOnly, .aa, .arms, .candidateOnly]
            guard stages.allSatisfy(parts.contains), stages.contains(.arms), settings.relativeFactor != nil else {
                throw GateError(
                    .invalidPlan,
                    "a plan that compares builds with one side each needs the stage arms and a relativeFactor; its other stages may be legacyOnly, aa and candidateOnly",
                    subject: "[\(text)]"
                )
            }
        }
        self.init(checked: stages, settings, baseline)
        guard promotions == 0 || canPromote(in: settings.attempt) else {
            throw GateError(
                .invalidPlan,
                "within a horizon of \(settings.horizon) units a good candidate cannot be promoted",
                subject: "horizon"
            )
        }
    }

    /// The plan with the rates of agreed differences whose rates it does not have.
    package func tolerating(_ agreed: [AgreedDifference]) throws(GateError) -> UpgradePlan {
        var settings = settings
        settings.tolerate(agreed)
        return try UpgradePlan(stages, settings: settings, against: baseline)
    }

    /// - Parameter stages: which follow the rules of a plan.
    package init(checked stages: [Stage], _ settings: GateSettings, _ baseline: LegacyBaseline?) {
        comparesBuilds = stages.contains { $0.comparesBuilds }
        self.stages = stages
        self.settings = settings
        self.baseline = baseline
        // The last stage leads no further, and a person decides to leave the first one.
        promotions = stages.dropLast().count { $0.kind != .legacyOnly }
        let parts = UpgradePlan.parts(of: settings, promotions: promotions)
        let factor = UpgradePlan.factor(settings, baseline)
        let operations = JudgedOperation.all(settings, baseline, alpha: parts.alpha, isRelative: factor != nil)
        var terms = Gate.Terms(
            settings: settings,
            alpha: parts.alpha,
            alphaRollback: settings.alphaRollback,
            operations: operations,
            factor: factor,
            known: Set(baseline.map { Array($0.operations.keys) } ?? []),
            knowsGivingUp: baseline?.gaveUp != nil,
            comparesBuilds: comparesBuilds
        )
        let probes = stages.map { Gate(at: $0, terms) }
        // If only some installations count for a promotion, each rollback test runs a second time, on all.
        let runs = settings.promotionCounts == .all ? 1 : 2
        stoppingTests = probes.reduce(0) { sum, gate in
            let vetoes = gate.stage == .aa ? gate.tests.count { $0.role == .veto } : 0
            return sum + runs * gate.tests.count { $0.role == .rollBack } + vetoes
        }
        terms.alphaRollback = settings.alphaRollback * parts.ofAttempt / Double(max(1, stoppingTests))
        self.terms = terms
    }

    /// Whether a good candidate, with the failures that are expected of it within the horizon, can be promoted in that
    /// attempt.
    private func canPromote(in attempt: Int) -> Bool {
        var settings = settings
        settings.attempt = attempt
        let expected = Int((settings.limit * settings.targetPart * Double(settings.horizon)).rounded(.up))
        let alpha = Self.parts(of: settings, promotions: promotions).alpha
        return SequentialRule.mixture(limit: settings.limit)
            .isReached(FailureCounts(expected, of: settings.horizon), alpha: alpha)
    }

    /// The last attempt in which the gates can promote within the horizon: each attempt has a smaller part of α. In
    /// later ones they still go back, and a person takes each step up. Nil if it is beyond the hundredth.
    package var lastPromotingAttempt: Int? {
        (settings.attempt...max(settings.attempt, 100)).first { !canPromote(in: $0 + 1) }
    }

    /// The baseline of the legacy side, from which the judged operations follow; nil before it was measured.
    package let baseline: LegacyBaseline?
    /// Whether no process holds both sides, and builds are compared: see ``Arm``.
    package let comparesBuilds: Bool
    /// G: the number of transitions that evidence decides.
    package let promotions: Int
    /// The number of tests that may stop a good upgrade along the way: Σ T of the rollback tests over all stages,
    /// including the last one's alarm, and of the tests at `aa` that compare two builds, which can only hold.
    package let stoppingTests: Int
    private let terms: Gate.Terms

    /// Compares stages, settings and baseline, from which everything else follows.
    public static func == (a: Self, b: Self) -> Bool {
        a.stages == b.stages && a.settings == b.settings && a.baseline == b.baseline
    }

    /// Hashes what ``==(_:_:)`` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(stages)
        hasher.combine(settings)
        hasher.combine(baseline)
    }

    /// The same plan for another attempt, from 1, and another baseline.
    package func attempt(_ number: Int, against baseline: LegacyBaseline? = nil) -> UpgradePlan {
        var settings = settings
        settings.attempt = max(1, number)
        return UpgradePlan(checked: stages, settings, baseline)
    }

    /// Why this plan cannot compare anything with that baseline: the legacy side itself failed for more units than the
    /// limit allows. Nil if it can.
    package func problem(of baseline: LegacyBaseline) -> String? {
        guard settings.relativeFactor == nil,
            ConfidenceBounds.lower(baseline.units, alpha: GateTest.Level.Estimate.alpha) > settings.limit
        else { return nil }
        return
            "the legacy side itself failed for \(baseline.units) units, and the plan's limit is \(settings.limit): take the baseline again when it works, or set `relativeFactor` to compare with it"
    }

    /// The operations that the gates judge separately.
    package var operations: [JudgedOperation] { terms.operations }

    /// Whether failures are compared with the legacy side's own: see ``GateSettings/relativeFactor``.
    package var isRelative: Bool { terms.factor != nil }

    /// ρ, if the legacy side itself fails for more than the limit; nil otherwise.
    private static func factor(_ settings: GateSettings, _ baseline: LegacyBaseline?) -> Double? {
        guard let rate = baseline?.units.rate, rate > settings.limit else { return nil }
        return settings.relativeFactor
    }

    private static func parts(of settings: GateSettings, promotions: Int) -> (alpha: Double, ofAttempt: Double) {
        // This attempt's part of α; the parts of all attempts add up to 1.
        let j = Double(settings.attempt)
        let ofAttempt = 6 / (Double.pi * Double.pi * j * j)
        return (settings.alpha * ofAttempt / Double(max(1, promotions)), ofAttempt)
    }

    /// α of each promotion. All of its tests are needed, so each may use all of it (Berger, "Multiparameter hypothesis
    /// testing and acceptance sampling", 1982).
    package var alpha: Double { terms.alpha }
    /// α of each rollback test; one of them is enough to go back.
    package var alphaRollback: Double { terms.alphaRollback }

    /// The gate for leaving `stage`. At the last stage, and at one that is not in the plan, it can only go back.
    public func gate(at stage: Stage) -> Gate {
        var gate = Gate(at: stage, terms)
        if stage == stages.last || !stages.contains(stage) { gate.tests.removeAll { $0.role == .promote } }
        return gate
    }

    /// The gates of all stages, in their order.
    package var gates: [Gate] { stages.map(gate(at:)) }

    /// The next stage; nil after the last one, and for a stage that is not in the plan.
    package func next(after stage: Stage) -> Stage? {
        stages.firstIndex(of: stage).flatMap { stages.indices.contains($0 + 1) ? stages[$0 + 1] : nil }
    }

    /// The minimum number of units without a failure that the promotion from `stage` needs; nil if no test there has
    /// such a number. Measured limits are computed for a faultless legacy side. For an operation that is judged
    /// separately, it is the number of all units at which enough of them call the operation.
    public func cleanUnits(toLeave stage: Stage) -> Int? {
        let gate = gate(at: stage)
        let needs = gate.tests.compactMap { test -> Int? in
            guard test.role == .promote, case .mixture(let limit) = test.rule,
                let needed = SampleSizes.toPromote(failures: 0, limit: limit.fixed, alpha: test.alpha)
            else { return nil }
            return Int((Double(needed) / share(of: test.metric.operation)).rounded(.up))
        }
        return needs.max().map { gate.ceilings.compactMap(\.cleanUnits).reduce($0, max) }
    }

    /// The share of the units that calls an operation; 1 if it is unknown.
    private func share(of operation: String?) -> Double {
        guard let operation, let baseline, let callers = baseline.operations[operation]?.units.total,
            callers > 0, baseline.units.total > 0
        else { return 1 }
        return min(1, Double(callers) / Double(baseline.units.total))
    }

    /// - Throws: ``GateError`` with `unwrittenMetric`; see ``Gate/check(written:)``.
    package func check(written: Set<Metric>) throws(GateError) {
        for gate in gates { try gate.check(written: written) }
    }
}

extension UpgradePlan {
    /// The stages and limits that most teams want: at most 0.1 % of the users may meet a failure of the candidate, on the
    /// way from the shadow through canaries of 5 % and 50 %.
    public static let standard = UpgradePlan(checked: NamedPlan.standard.stages, NamedPlan.standard.settings, nil)

    /// The standard stages with other limits: `try .standard { $0.limit = 0.005 }`.
    ///
    /// - Throws: ``GateError`` for a number out of range.
    public static func standard(_ change: (inout GateSettings) -> Void) throws(GateError) -> UpgradePlan {
        try UpgradePlan(NamedPlan.standard.stages, settings: .defaults(change))
    }

    /// The plan as text: how α is split, and how many units each stage needs.
    public var summary: String { summary(TerminalStyle(isColoured: false)) }

    package func summary(_ style: TerminalStyle) -> String {
        let counted = settings.promotionCounts
        let limits =
            "At most \(settings.limit) of the units may fail; attempt \(settings.attempt).\n"
            + "Promote: α \(settings.alpha), of which \(alpha.shown(6)) for each of \(promotions) transitions.\n"
            + "Roll back: α \(settings.alphaRollback), of which \(alphaRollback.shown(6)) for each of "
            + "\(stoppingTests) tests.\n"
            + (counted == .all ? "" : "Only \(counted) installations count for a promotion.\n")
            + (lastPromotingAttempt.map { "After attempt \($0), a person takes each step up.\n" } ?? "")
        var table = TextTable([
            .init("STAGE"), .right("CLEAN UNITS"), .init("PROMOTE"), .init("ROLL BACK"), .init("VETO"),
        ])
        for gate in gates {
            table.add([
                .init(gate.stage.rawValue), .init(cleanUnits(toLeave: gate.stage).map { "\($0)" } ?? "–"),
                .init(gate.names(.promote)), .init(gate.names(.rollBack)), .init(gate.names(.veto)),
            ])
        }
        return limits + "\n" + table.render(style)
    }
}

extension Gate {
    fileprivate func names(_ role: GateTest.Role) -> String {
        let names = tests.filter { $0.role == role }.map(\.metric.rawValue)
        return names.isEmpty ? "–" : names.joined(separator: ", ")
    }
}
