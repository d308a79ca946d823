/// The way from the old side to the new one, stage by stage, and what each step must show. α is for all of it together.
public struct UpgradePlan: Sendable, Hashable {
    /// Each raises what the candidate can reach.
    public let stages: [Stage]
    public let settings: GateSettings

    /// - Parameter stages: rising, at least two: `[.legacyOnly, .shadow(sample: .all), …, .candidateOnly]`.
    /// - Throws: ``GateError``: `invalidPlan` for stages that do not rise or count nobody, `invalidSetting` for a number out of its range.
    public init(_ stages: [Stage], settings: GateSettings = .defaults) throws(GateError) {
        try settings.check()
        let text = stages.map(\.rawValue).joined(separator: ", ")
        guard stages.count >= 2 else {
            throw GateError(.invalidPlan, "a plan needs at least two stages", subject: "[\(text)]")
        }
        for (stage, next) in zip(stages, stages.dropFirst()) where !(stage < next) {
            throw GateError(.invalidPlan, "\(next) does not rise above \(stage)", subject: "[\(text)]")
        }
        for stage in stages
        where [.shadow(sample: .none), .canary(share: .none), .candidateShadowed(sample: .none)].contains(stage) {
            throw GateError(
                .invalidPlan,
                "\(stage) counts nobody, and so its gate would hold for ever",
                subject: "[\(text)]"
            )
        }
        self.stages = stages
        self.settings = settings
        let probes = stages.map { Gate(at: $0, settings, alpha: settings.alpha, alphaRollback: settings.alphaRollback) }
        // The last stage raises nothing any more, and the first one is left when a person says so.
        promotions = probes.dropLast().count { gate in gate.tests.contains { $0.role == .promote } }
        rollbackTests = probes.reduce(0) { $0 + $1.tests.count { $0.role == .rollBack } }
    }

    /// G: how many transitions are decided by evidence.
    public let promotions: Int
    /// How many rollback tests there are on the whole way: Σ T over the stages, the last one's alarm too.
    public let rollbackTests: Int

    /// The same way, tried for the `number`th time.
    public func attempt(_ number: Int) throws(GateError) -> UpgradePlan {
        var settings = settings
        settings.attempt = number
        return try UpgradePlan(stages, settings: settings)
    }

    /// What is left for this attempt: all attempts add up to 1.
    private var attemptPart: Double {
        let j = Double(settings.attempt)
        return 6 / (Double.pi * Double.pi * j * j)
    }

    /// α of each promotion.
    public var alpha: Double { settings.alpha * attemptPart / Double(max(1, promotions)) }
    /// α of each rollback test.
    public var alphaRollback: Double { settings.alphaRollback * attemptPart / Double(max(1, rollbackTests)) }

    /// What must be shown before the stage after `stage`.
    ///
    /// - Throws: ``GateError`` with `unplannedStage`.
    public func gate(at stage: Stage) throws(GateError) -> Gate {
        guard stages.contains(stage) else {
            let text = stages.map(\.rawValue).joined(separator: ", ")
            throw GateError(.unplannedStage, "the plan has no such stage; it has \(text)", subject: stage.rawValue)
        }
        return gate(planned: stage)
    }

    private func gate(planned stage: Stage) -> Gate {
        var gate = Gate(at: stage, settings, alpha: alpha, alphaRollback: alphaRollback)
        if stage == stages.last { gate.tests.removeAll { $0.role == .promote } }
        return gate
    }

    /// The gates of all stages, in their order.
    public var gates: [Gate] { stages.map(gate(planned:)) }

    /// The stage after that one; nil at the end, and for a stage that is not in the plan.
    public func next(after stage: Stage) -> Stage? {
        stages.firstIndex(of: stage).flatMap { stages.indices.contains($0 + 1) ? stages[$0 + 1] : nil }
    }

    /// How many units without a single failure the promotion from `stage` needs, at least. With a measured limit it is what
    /// a faultless legacy side asks for.
    public func cleanUnits(toLeave stage: Stage) -> Int? {
        let gate = gate(planned: stage)
        let needs = gate.tests.compactMap { test -> Int? in
            guard case .mixture(let limit) = test.rule else { return nil }
            return SampleSizes.toPromote(failures: 0, limit: limit.fixed, alpha: test.alpha)
        }
        return needs.max().map { gate.ceilings.compactMap(\.cleanUnits).reduce($0, max) }
    }

    /// - Throws: ``GateError`` with `unwrittenMetric`; see ``Gate/check(written:)``.
    public func check(written: Set<Metric>) throws(GateError) {
        for gate in gates { try gate.check(written: written) }
    }
}
