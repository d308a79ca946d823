extension Gate {
    /// What the gates of one plan have in common.
    struct Terms {
        var settings: GateSettings
        /// For each promotion.
        var alpha: Double
        /// For each rollback test.
        var alphaRollback: Double
        var operations: [JudgedOperation]
        /// Whether failures are held against the legacy side's own: see ``GateSettings/relativeFactor``.
        var factor: Double?
        /// The operations that the legacy side was seen to do.
        var known: Set<String> = []

        var limit: Double { settings.limit }
        var target: Double { settings.limit * settings.targetPart }
    }

    /// The gate at a stage: which test where.
    init(at stage: Stage, _ terms: Terms) {
        let settings = terms.settings
        var tests = Tests(terms)
        switch stage.kind {
        case .legacyOnly: break
        case .shadow, .candidateShadowed: tests.addComparisons()
        case .canary:
            tests.addCanary(isWhole: stage == .canary(share: .all))
        case .candidateWithFallback: tests.addAgainstBaseline(promotes: true)
        case .candidateOnly: tests.addAgainstBaseline(promotes: false)
        }
        if stage.opensBothSides {
            for (metric, limit) in settings.additionalLimits.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                tests.promoteBelow(.fixed(limit), metric)
                tests.rollBack(metric, target: .fixed(limit * settings.targetPart), limit: .fixed(limit))
            }
        }
        self.init(
            stage: stage,
            tests: tests.tests,
            ceilings: stage.kind == .shadow || stage.kind == .candidateShadowed ? Self.ceilings(settings) : [],
            needsBreaker: stage.kind != .legacyOnly && stage.kind != .shadow,
            horizon: settings.horizon,
            longestSeconds: settings.longestSeconds,
            fewestForBaseline: settings.fewestForBaseline,
            operations: terms.operations
        )
    }

    private static func ceilings(_ settings: GateSettings) -> [GateCeiling] {
        let rates = settings.expectedRates.sorted { $0.key < $1.key }
        return [
            GateCeiling(.uncounted, limit: settings.uncountedLimit),
            GateCeiling(.noise, limit: settings.noiseLimit, estimate: .upper),
        ] + rates.map { GateCeiling(.expected($0.key), limit: $0.value) }
    }
}

/// The tests of one gate, as they are chosen.
private struct Tests {
    let terms: Gate.Terms
    private(set) var tests: [GateTest] = []

    init(_ terms: Gate.Terms) { self.terms = terms }

    // MARK: Stages

    /// Both sides are asked, and compared pair by pair.
    mutating func addComparisons() {
        // A call that the network lost on the candidate's side alone is no difference between the sides.
        let metric = terms.factor == nil ? Metric.comparison : .mismatches
        promoteBelow(.fixed(terms.limit), metric)
        if let factor = terms.factor { promoteAtRatio(below: factor, .pairedFailures, share: .fixed(0.5)) }
        rollBack(metric.withOpen, target: .fixed(terms.target), limit: .fixed(terms.limit))
        rollBackByFactor(.pairedFailures, share: .fixed(0.5))
        for operation in terms.operations where operation.isRead {
            let target = operation.limit * terms.settings.targetPart
            let metric = metric.of(operation.name)
            if operation.judgement == .fully { promoteBelow(.fixed(operation.limit), metric) }
            rollBack(metric.withOpen, target: .fixed(target), limit: .fixed(operation.limit))
        }
        // The shadow's calls come in their own time, under a load that callers never see: they can hold, and not roll back.
        add(.pairedSlow, .veto, .bayesFactor(share: .fixed(0.5)))
    }

    /// Each arm is asked by its own units, at the same time and under the same load.
    ///
    /// - Parameter isWhole: no arm is left to compare with.
    mutating func addCanary(isWhole: Bool) {
        if isWhole { return terms.factor == nil ? addWholeCanary() : addAgainstBaseline(promotes: true) }
        if let factor = terms.factor {
            promoteAtRatio(below: factor, .canaryFailures, share: .measured(.rate, .activeUnits))
        } else {
            promoteBelow(.fixed(terms.limit), .candidateFailures)
        }
        let share = GateTest.Level.measured(.rate, .activeUnits)
        rollBackByFactor(.canaryFailures, share: share)
        rollBackByFactor(.canarySlow, share: share)
        rollBackByFactor(.canaryGaveUp, share: share)
        add(.anyCanaryAnswer, .rollBack, .twoSidedBayesFactor(share: share))
        for operation in terms.operations {
            if operation.judgement == .fully {
                // Where the legacy side fails by itself, what it fails for is no fault of the candidate's.
                let limit = terms.factor == nil ? GateTest.Level.fixed(operation.limit) : limitAboveLegacy(operation)
                promoteBelow(limit, .candidateFailures.of(operation.name))
            }
            let share = GateTest.Level.measured(.rate, .activeUnits.of(operation.name))
            rollBackByFactor(.canaryFailures.of(operation.name), share: share)
        }
        let metric = terms.factor == nil ? Metric.comparison : .mismatches
        add(metric.withOpen, .veto, .probabilityRatio(target: .fixed(terms.target), limit: .fixed(terms.limit)))
    }

    /// All units are on the candidate, and no arm is left to compare with.
    private mutating func addWholeCanary() {
        promoteBelow(.fixed(terms.limit), .candidateFailures)
        rollBack(Metric.candidateFailures.withOpen, target: .fixed(terms.target), limit: .fixed(terms.limit))
        addOperationsAgainstBaseline(promotes: true)
        addAnswersAgainstBaseline()
    }

    /// The candidate answers all: it is held against what the legacy side did before. The bounds make that sound whatever the
    /// legacy side's true rate is, within them.
    mutating func addAgainstBaseline(promotes: Bool) {
        func level(_ estimate: GateTest.Level.Estimate, _ metric: Metric, plus rate: Double) -> GateTest.Level {
            .measured(estimate, metric, plus: rate)
        }
        let failures = Metric.candidateFailures
        if let factor = terms.factor {
            let limit = GateTest.Level.measured(.lower, .legacyFailures, times: factor)
            if promotes { promoteBelow(limit, failures) }
            rollBack(
                failures.withOpen,
                target: .measured(.upper, .legacyFailures),
                limit: .measured(.upper, .legacyFailures, times: factor)
            )
        } else {
            if promotes { promoteBelow(level(.lower, .legacyFailures, plus: terms.limit), failures) }
            rollBack(
                failures.withOpen,
                target: level(.upper, .legacyFailures, plus: terms.target),
                limit: level(.upper, .legacyFailures, plus: terms.limit)
            )
        }
        addOperationsAgainstBaseline(promotes: promotes)
        addAnswersAgainstBaseline()
    }

    private mutating func addOperationsAgainstBaseline(promotes: Bool) {
        func level(_ estimate: GateTest.Level.Estimate, _ metric: Metric, plus rate: Double) -> GateTest.Level {
            .measured(estimate, metric, plus: rate)
        }
        let failures = Metric.candidateFailures
        for operation in terms.operations {
            let legacy = Metric.legacyFailures.of(operation.name)
            let metric = failures.of(operation.name)
            if promotes, operation.judgement == .fully {
                promoteBelow(limitAboveLegacy(operation), metric)
            }
            rollBack(
                metric.withOpen,
                target: level(.upper, legacy, plus: operation.limit * terms.settings.targetPart),
                limit: level(.upper, legacy, plus: operation.limit)
            )
        }
    }

    private mutating func addAnswersAgainstBaseline() {
        // Twice as many of one kind as the legacy side gave are too many, and so is a share above the limit of a kind that it
        // gave to no unit.
        add(
            .anyCandidateAnswer,
            .rollBack,
            .probabilityRatio(
                target: .measured(.upper, .anyLegacyAnswer, plus: terms.target),
                limit: .measured(.upper, .anyLegacyAnswer, times: 2, plus: terms.limit)
            )
        )
    }

    /// What an operation may fail for, beside what the legacy side fails for; of one that it was not seen to do nothing is known.
    private func limitAboveLegacy(_ operation: JudgedOperation) -> GateTest.Level {
        guard terms.known.contains(operation.name) else { return .fixed(operation.limit) }
        return .measured(.lower, .legacyFailures.of(operation.name), plus: operation.limit)
    }

    // MARK: Tests

    mutating func promoteBelow(_ limit: GateTest.Level, _ metric: Metric) {
        add(metric, .promote, .mixture(limit: limit))
    }

    private mutating func promoteAtRatio(below factor: Double, _ metric: Metric, share: GateTest.Level) {
        add(metric, .promote, .ratio(share: share, factor: factor))
    }

    mutating func rollBack(_ metric: Metric, target: GateTest.Level, limit: GateTest.Level) {
        add(metric, .rollBack, .probabilityRatio(target: target, limit: limit))
    }

    private mutating func rollBackByFactor(_ metric: Metric, share: GateTest.Level) {
        add(metric, .rollBack, .bayesFactor(share: share))
    }

    private mutating func add(_ metric: Metric, _ role: GateTest.Role, _ rule: GateTest.Rule) {
        tests.append(GateTest(metric, role, rule, alpha: role == .promote ? terms.alpha : terms.alphaRollback))
    }
}
