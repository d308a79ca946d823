extension Gate {
    /// What the gates of one plan have in common.
    struct Terms {
        var settings: GateSettings
        /// α of each promotion.
        var alpha: Double
        /// α of each rollback test.
        var alphaRollback: Double
        var operations: [JudgedOperation]
        /// ρ, if failures are compared with the legacy side's own: see ``GateSettings/relativeFactor``.
        var factor: Double?
        /// The operations that were called on the legacy side.
        var known: Set<String> = []
        /// Whether it is known how many units of the legacy side gave up.
        var knowsGivingUp = false

        /// Whether no process holds both sides. Units then choose their build, and no build has a breaker.
        var comparesBuilds = false

        var limit: Double { settings.limit }
        var target: Double { settings.limit * settings.targetPart }

        /// The floor for those units. The target is the same among all units and among the callers of one operation:
        /// with a higher one, the few callers of a rare operation could show little.
        ///
        /// - Parameter limit: the tolerated failure rate of those units.
        func floor(_ limit: Double, of units: Metric) -> GateTest.Floor {
            GateTest.Floor(of: units, target: target, limit: limit)
        }

        /// The floor for slow calls. If fewer than 1 % of a side's units meet one, its p99 is not slow. Twice that
        /// share is too much, or the limit for failures if that is higher.
        func slowFloor(of units: Metric) -> GateTest.Floor {
            GateTest.Floor(of: units, target: 0.01, limit: max(0.02, limit))
        }
    }

    /// The gate of a stage, with the tests that the stage needs.
    init(at stage: Stage, _ terms: Terms) {
        let settings = terms.settings
        var tests = Tests(terms)
        switch stage.kind {
        case .legacyOnly: break
        case .aa: tests.addBuilds()
        case .arms: tests.addCanary(isWhole: false, comparesBuilds: true)
        case .shadow: tests.addComparisons()
        case .candidateShadowed:
            tests.addComparisons()
            // Only reads are compared, and only some of them, so the candidate's units are counted as at the stage
            // before. If failures are compared with the legacy side's own, the pairs say more than a bound on its
            // earlier failures.
            tests.addAgainstBaseline(promotes: terms.factor == nil)
        case .canary:
            tests.addCanary(isWhole: stage == .canary(share: .all))
            if case .canary(let share) = stage, stage.splitsUnits { tests.addExpectedShare(share) }
        case .candidateWithFallback: tests.addAgainstBaseline(promotes: true)
        case .candidateOnly: tests.addAgainstBaseline(promotes: false)
        }
        if stage.kind != .legacyOnly, stage.kind != .shadow, !terms.comparesBuilds { tests.addOtherOperations() }
        if stage.opensBothSides {
            for (metric, limit) in settings.additionalLimits.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                tests.promoteBelow(.fixed(limit), metric)
                tests.rollBack(metric, target: .fixed(limit * settings.targetPart), limit: .fixed(limit))
            }
        }
        self.init(
            stage: stage,
            tests: tests.tests,
            ceilings: Self.ceilings(at: stage, settings),
            needsBreaker: stage.kind != .legacyOnly && stage.kind != .shadow && !terms.comparesBuilds,
            horizon: settings.horizon,
            shortestSeconds: stage.hasShortestTime ? settings.shortestSeconds : nil,
            longestSeconds: settings.longestSeconds,
            minimumBaselineCalls: settings.minimumBaselineCalls,
            operations: terms.operations,
            promotionCounts: settings.promotionCounts == .all ? nil : settings.promotionCounts
        )
        alarms = Self.alarms(at: stage, terms)
    }

    /// The alarms of a stage at which the candidate answers units.
    private static func alarms(at stage: Stage, _ terms: Terms) -> [GateAlarm]? {
        let isCompared: Bool
        switch stage.kind {
        case .legacyOnly, .aa: return nil
        // Only operations with a stage of their own are the candidate's there.
        case .shadow: isCompared = false
        case .canary, .arms: isCompared = stage != .canary(share: .all)
        case .candidateWithFallback, .candidateShadowed, .candidateOnly: isCompared = false
        }
        func above(_ metric: Metric, _ limit: Double) -> GateTest.Level {
            if let factor = terms.factor { return .measured(.upper, metric, times: factor) }
            return .measured(.upper, metric, plus: limit)
        }
        func alarm(_ kind: VisitCounts.Kind, _ limit: GateTest.Level, of operation: String? = nil) -> GateAlarm {
            GateAlarm(kind: kind, operation: operation, limit: limit, isCompared: isCompared, alpha: 0)
        }
        var alarms = [
            alarm(.failed, above(.legacyFailures, terms.limit)), alarm(.gaveUp, above(.legacyGaveUp, terms.limit)),
        ]
        // How many units of the legacy side meet a slow call in an hour is known only where it answers too. Elsewhere half
        // of them are too many.
        alarms.append(alarm(.slow, .fixed(isCompared ? max(0.02, terms.limit) : 0.5)))
        for operation in terms.operations {
            alarms.append(
                alarm(.failed, above(.legacyFailures.of(operation.name), operation.limit), of: operation.name)
            )
        }
        return GateAlarm.sharing(alarms)
    }

    private static func ceilings(at stage: Stage, _ settings: GateSettings) -> [GateCeiling] {
        if stage.kind == .candidateWithFallback { return [GateCeiling(.failedOnBoth, limit: settings.uncountedLimit)] }
        guard stage.kind == .shadow || stage.kind == .candidateShadowed else { return [] }
        let rates = settings.expectedRates.sorted { $0.key < $1.key }
        return [
            GateCeiling(.uncounted, limit: settings.uncountedLimit),
            GateCeiling(.noise, limit: settings.noiseLimit, estimate: .upper),
        ] + rates.map { GateCeiling(.expected($0.key), limit: $0.value) }
    }
}

/// Collects the tests of one gate.
private struct Tests {
    let terms: Gate.Terms
    private(set) var tests: [GateTest] = []

    init(_ terms: Gate.Terms) { self.terms = terms }

    // MARK: Stages

    /// Adds the tests for stages that ask both sides and compare them pair by pair.
    mutating func addComparisons() {
        // A call that the network lost only on the candidate's side is no difference between the sides.
        let metric = terms.factor == nil ? Metric.comparison : .mismatches
        promoteBelow(.fixed(terms.limit), metric)
        if let factor = terms.factor { promoteAtRatio(below: factor, .pairedFailures, share: .fixed(0.5)) }
        // Different data is the candidate's fault. Failures are only if it has more of them than the legacy side.
        rollBack(Metric.mismatches.includingOpenWindows, target: .fixed(terms.target), limit: .fixed(terms.limit))
        let pairs = Metric.comparison.includingOpenWindows
        rollBackByFactor(.pairedFailures, share: .fixed(0.5), terms.floor(terms.limit, of: pairs))
        for operation in terms.operations where operation.isRead {
            let target = operation.limit * terms.settings.targetPart
            let metric = metric.of(operation.name)
            if operation.judgement == .fully { promoteBelow(.fixed(operation.limit), metric) }
            let different = Metric.mismatches.of(operation.name).includingOpenWindows
            rollBack(different, target: .fixed(target), limit: .fixed(operation.limit))
            // If failures are compared with the legacy side's own, those of a pair are no difference between the sides.
            if operation.judgement == .rollbackOnly, terms.factor == nil { holdAboveLegacy(operation, metric) }
        }
        // The shadow's calls run at their own pace, under a load that callers never see: slow ones can only hold, not
        // roll back.
        add(.pairedSlow, .veto, .bayesFactor(share: .fixed(0.5)), terms.slowFloor(of: pairs))
    }

    /// Adds the tests for stages at which each arm answers its own units, at the same time and under the same load.
    ///
    /// - Parameters:
    ///   - isWhole: whether the canary has all units, so that no arm is left to compare with.
    ///   - comparesBuilds: whether units chose their arm themselves; a difference up to the relative factor is then
    ///     tolerated.
    mutating func addCanary(isWhole: Bool, comparesBuilds: Bool = false) {
        let odds = comparesBuilds ? terms.settings.relativeFactor : nil
        if isWhole { return terms.factor == nil ? addWholeCanary() : addAgainstBaseline(promotes: true) }
        if let factor = terms.factor {
            promoteAtRatio(below: factor, .canaryFailures, share: .measured(.rate, .activeUnits))
        } else {
            promoteBelow(.fixed(terms.limit), .candidateFailures)
        }
        let share = GateTest.Level.share(.activeUnits, times: odds)
        let floor = terms.floor(terms.limit, of: .activeUnits)
        rollBackByFactor(.canaryFailures, share: share, floor)
        rollBackByFactor(.canarySlow, share: share, terms.slowFloor(of: .activeUnits))
        rollBackByFactor(.canaryGaveUp, share: share, floor)
        let isMore = GateTest.Rule.bayesFactor(share: share)
        add(.anyCanaryAnswer, .rollBack, comparesBuilds ? isMore : .twoSidedBayesFactor(share: share), floor)
        for operation in terms.operations {
            if operation.judgement == .fully {
                // If the legacy side itself fails too often, its share of the failures is not the candidate's fault.
                let limit = terms.factor == nil ? GateTest.Level.fixed(operation.limit) : limitAboveLegacy(operation)
                promoteBelow(limit, .candidateFailures.of(operation.name))
            }
            let units = Metric.activeUnits.of(operation.name)
            let failures = Metric.canaryFailures.of(operation.name)
            let floor = terms.floor(operation.limit, of: units)
            rollBackByFactor(failures, share: .share(units, times: odds), floor)
            if operation.judgement == .rollbackOnly {
                add(
                    failures,
                    .veto,
                    .bayesFactor(share: .share(units, times: odds)),
                    floor,
                    alpha: terms.settings.alpha
                )
            }
        }
        if comparesBuilds { return }
        // Those of whom no device told the end: a candidate that ends the process for good leaves no other trace.
        add(.canaryUnseen, .veto, .bayesFactor(share: share), floor)
        let metric = terms.factor == nil ? Metric.comparison : .mismatches
        add(
            metric.includingOpenWindows,
            .veto,
            .probabilityRatio(target: .fixed(terms.target), limit: .fixed(terms.limit))
        )
    }

    /// Adds the tests for units that are missing on one side, such as those whose process the candidate ends before it
    /// reports anything. Units choose their side by a hash, so the units that are seen on both sides have the canary's
    /// share, whatever their number: a sample ratio test, here as the Bayes factor of a beta-binomial (Lindon and Malek,
    /// "Anytime-valid inference for multinomial count data", 2020).
    mutating func addExpectedShare(_ share: Share) {
        let rule = GateTest.Rule.twoSidedBayesFactor(share: .fixed(Double(share.tenThousandths) / 10_000))
        add(.activeUnits, .veto, rule)
        for operation in terms.operations { add(.activeUnits.of(operation.name), .veto, rule) }
    }

    /// Adds the test for operations that the baseline does not have, such as one that is new or has another name: the
    /// plan's limit holds for each of them.
    mutating func addOtherOperations() {
        let limit = terms.settings.limit(of: "")
        rollBack(
            .anyOtherOperation,
            target: .fixed(limit * terms.settings.targetPart),
            limit: .fixed(limit)
        )
    }

    /// Adds the tests for two builds of the legacy side. Either both are within the limit, or neither may fail for more
    /// than the factor times as many units as the other, shown in both directions (two one-sided tests: Schuirmann,
    /// 1987).
    ///
    /// Everything that would send a candidate back at `arms` is tested here, in both directions and by the same rule:
    /// between two builds of one SDK, a difference means that their units or their measurements differ. A promotion
    /// does not wait for proof that slow calls, giving up and answers are alike: about 1 % of the units meet a slow
    /// call, too few for such a proof within the horizon.
    mutating func addBuilds() {
        if let factor = terms.factor {
            promoteAtRatio(below: factor, .canaryFailures, share: .measured(.rate, .activeUnits))
            promoteAtRatio(below: factor, .firstShareOfFailures, share: .measured(.rate, .firstUnits))
        } else {
            promoteBelow(.fixed(terms.limit), .candidateFailures)
            promoteBelow(.fixed(terms.limit), .firstFailures)
        }
        let all = Metric.activeUnits
        holdWhereBuildsDiffer(.canaryFailures, terms.floor(terms.limit, of: all))
        holdWhereBuildsDiffer(.canarySlow, terms.slowFloor(of: all))
        holdWhereBuildsDiffer(.canaryGaveUp, terms.floor(terms.limit, of: all))
        holdWhereBuildsDiffer(.anyCanaryAnswer, terms.floor(terms.limit, of: all))
        for operation in terms.operations {
            let floor = terms.floor(operation.limit, of: all.of(operation.name))
            holdWhereBuildsDiffer(.canaryFailures.of(operation.name), floor)
        }
    }

    /// - Parameters:
    ///   - metric: the second build's share.
    ///   - floor: of the second build's units.
    private mutating func holdWhereBuildsDiffer(_ metric: Metric, _ floor: GateTest.Floor) {
        func hold(_ metric: Metric, _ floor: GateTest.Floor) {
            let share = GateTest.Level.share(floor.units, times: terms.settings.relativeFactor)
            add(metric, .veto, .bayesFactor(share: share), floor)
        }
        hold(metric, floor)
        guard let first = metric.forFirstBuild, let units = floor.units.forFirstBuild else { return }
        hold(first, GateTest.Floor(of: units, target: floor.target, limit: floor.limit))
    }

    /// Adds the tests for a canary of all units, which leaves no arm to compare with.
    private mutating func addWholeCanary() {
        promoteBelow(.fixed(terms.limit), .candidateFailures)
        rollBack(
            Metric.candidateFailures.includingOpenWindows,
            target: .fixed(terms.target),
            limit: .fixed(terms.limit)
        )
        addOperationsAgainstBaseline(promotes: true)
        addAnswersAndGivingUp()
    }

    /// Adds the tests for stages at which the candidate answers all units. It is compared with what the legacy side did
    /// before. The bounds make that sound for every true rate of the legacy side that lies within them.
    mutating func addAgainstBaseline(promotes: Bool) {
        let failures = Metric.candidateFailures
        if let factor = terms.factor {
            let limit = GateTest.Level.measured(.lower, .legacyFailures, times: factor)
            if promotes { promoteBelow(limit, failures) }
            rollBack(
                failures.includingOpenWindows,
                target: .measured(.upper, .legacyFailures),
                limit: .measured(.upper, .legacyFailures, times: factor)
            )
        } else {
            if promotes {
                promoteBelow(.measured(.lower, .legacyFailures, plus: terms.limit), failures)
            }
            rollBack(failures.includingOpenWindows, target: aboveLegacy(terms.target), limit: aboveLegacy(terms.limit))
        }
        addOperationsAgainstBaseline(promotes: promotes)
        addAnswersAndGivingUp()
    }

    private mutating func addOperationsAgainstBaseline(promotes: Bool) {
        let failures = Metric.candidateFailures
        for operation in terms.operations {
            let metric = failures.of(operation.name)
            switch operation.judgement {
            case .fully where promotes: promoteBelow(limitAboveLegacy(operation), metric)
            case .rollbackOnly where promotes: holdAboveLegacy(operation, metric)
            case .fully, .rollbackOnly: break
            }
            rollBack(
                metric.includingOpenWindows,
                target: aboveLegacy(operation.limit * terms.settings.targetPart, of: operation.name),
                limit: aboveLegacy(operation.limit, of: operation.name)
            )
        }
    }

    /// The upper bound of the legacy side's failure rate, plus `rate`.
    private func aboveLegacy(_ rate: Double, of operation: String? = nil) -> GateTest.Level {
        .measured(.upper, operation.map(Metric.legacyFailures.of) ?? .legacyFailures, plus: rate)
    }

    private mutating func addAnswersAndGivingUp() {
        if terms.knowsGivingUp { rollBackAboveTwice(.legacyGaveUp, .gaveUp) }
        rollBackAboveTwice(.anyLegacyAnswer, .anyCandidateAnswer)
    }

    /// Rolls back at twice the legacy side's share plus the limit. For what the legacy side never had, the limit alone
    /// is left.
    private mutating func rollBackAboveTwice(_ legacy: Metric, _ metric: Metric) {
        rollBack(
            metric,
            target: .measured(.upper, legacy, plus: terms.target),
            limit: .measured(.upper, legacy, times: 2, plus: terms.limit)
        )
    }

    /// The limit of an operation: added to the lower bound of the legacy side's failure rate, or fixed if the legacy
    /// side was never called for it.
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

    private mutating func rollBackByFactor(_ metric: Metric, share: GateTest.Level, _ floor: GateTest.Floor) {
        add(metric, .rollBack, .bayesFactor(share: share), floor)
    }

    /// Holds while an operation that no promotion waits for fails for too many of its few callers.
    ///
    /// The corresponding rollback test adds an upper bound of the legacy side's failure rate, so that the candidate is
    /// never sent back for failures that the legacy side has too. For an operation that failed for 0 of 200 callers,
    /// that bound is 2.3 %, and the test detects nothing below it. This test adds the observed rate instead; if that
    /// misleads, a person is asked. It need not be as certain as a rollback, so each of these tests has all of α.
    private mutating func holdAboveLegacy(_ operation: JudgedOperation, _ metric: Metric) {
        func aboveLegacy(_ rate: Double) -> GateTest.Level {
            .measured(.rate, .legacyFailures.of(operation.name), plus: rate)
        }
        let target = aboveLegacy(operation.limit * terms.settings.targetPart)
        let rule = GateTest.Rule.probabilityRatio(target: target, limit: aboveLegacy(operation.limit))
        add(metric.includingOpenWindows, .veto, rule, alpha: terms.settings.alpha)
    }

    private mutating func add(
        _ metric: Metric,
        _ role: GateTest.Role,
        _ rule: GateTest.Rule,
        _ floor: GateTest.Floor? = nil,
        alpha: Double? = nil
    ) {
        let alpha = alpha ?? (role == .promote ? terms.alpha : terms.alphaRollback)
        tests.append(GateTest(metric, role, rule, alpha: alpha, floor: floor))
    }
}

extension Stage {
    /// Whether it has a least time: the candidate answers units, and a promotion leads further.
    var hasShortestTime: Bool {
        switch kind {
        case .canary, .arms, .candidateWithFallback, .candidateShadowed: true
        case .legacyOnly, .aa, .shadow, .candidateOnly: false
        }
    }
}
