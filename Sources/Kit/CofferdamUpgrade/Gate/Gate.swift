/// What must be shown before the stage after one may begin. Pure: the same reading gives the same decision, whoever asks, as
/// often as they like.
public struct Gate: Sendable, Hashable, Codable {
    public var stage: Stage
    public var tests: [GateTest]
    public var ceilings: [GateCeiling]
    /// Whether a breaker that nobody reads is a reason to hold.
    public var needsBreaker: Bool
    public var horizon: Int
    public var longestSeconds: Int
    public var fewestForBaseline: Int

    /// All that the gate reads.
    public var metrics: Set<Metric> {
        tests.reduce(into: Set(ceilings.map(\.metric))) { $0.formUnion($1.metrics) }
    }

    /// - Throws: ``GateError`` with `unwrittenMetric` if the gate reads a metric that nobody writes: it could hold for ever,
    ///   or worse, be taken for content.
    public func check(written: Set<Metric>) throws(GateError) {
        let unwritten = metrics.subtracting(written).map(\.rawValue).sorted()
        guard let first = unwritten.first else { return }
        let known = written.map(\.rawValue).sorted().joined(separator: ", ")
        throw GateError(
            .unwrittenMetric,
            "the gate of \(stage) reads \(unwritten.joined(separator: ", ")), which nobody writes; written: \(known)",
            subject: first
        )
    }
}

extension Gate {
    /// The gate at a stage: which test where.
    ///
    /// - Parameters:
    ///   - alpha: for each promotion.
    ///   - alphaRollback: for each rollback test.
    init(at stage: Stage, _ settings: GateSettings, alpha: Double, alphaRollback: Double) {
        self.stage = stage
        horizon = settings.horizon
        longestSeconds = settings.longestSeconds
        fewestForBaseline = settings.fewestForBaseline
        needsBreaker = stage.kind != .legacyOnly && stage.kind != .shadow
        var (tests, ceilings): ([GateTest], [GateCeiling]) = ([], [])

        func promoteBelow(_ limit: GateTest.Level, _ metric: Metric) {
            tests.append(GateTest(metric, .promote, .mixture(limit: limit), alpha: alpha))
        }
        func test(_ metric: Metric, _ role: GateTest.Role = .rollBack, target: GateTest.Level, limit: GateTest.Level) {
            let rule = GateTest.Rule.probabilityRatio(target: target, limit: limit)
            tests.append(GateTest(metric, role, rule, alpha: alphaRollback))
        }
        func testFailures(_ metric: Metric, share: GateTest.Level) {
            tests.append(GateTest(metric, .rollBack, .bayesFactor(share: share), alpha: alphaRollback))
        }
        func testSlowness() {
            test(.slow, target: .measured(.upper, .legacySlow), limit: .fixed(settings.slowLimit))
        }
        func hold(_ metric: Metric, above limit: Double, _ estimate: GateTest.Level.Estimate = .rate) {
            ceilings.append(GateCeiling(metric, limit: limit, estimate: estimate))
        }
        let (limit, target) = (settings.limit, settings.limit * settings.targetPart)

        switch stage.kind {
        case .legacyOnly: break
        case .shadow, .candidateShadowed:
            promoteBelow(.fixed(limit), .comparison)
            test(.comparison, target: .fixed(target), limit: .fixed(limit))
            testFailures(.pairedFailures, share: .fixed(0.5))
            testSlowness()
            hold(.uncounted, above: settings.uncountedLimit)
            hold(.noise, above: settings.noiseLimit, .upper)
            for (id, rate) in settings.expectedRates.sorted(by: { $0.key < $1.key }) {
                hold(.expected(id), above: rate)
            }
        case .canary:
            promoteBelow(.fixed(limit), .candidateFailures)
            testSlowness()
            if stage == .canary(share: .all) {
                // Nobody is left to compare with.
                test(.candidateFailures, target: .fixed(target), limit: .fixed(limit))
            } else {
                testFailures(.canaryFailures, share: .measured(.rate, .activeUnits))
                test(.comparison, .veto, target: .fixed(target), limit: .fixed(limit))
            }
        case .candidateWithFallback:
            // Sound whatever the legacy side's true rate is, within its bounds.
            promoteBelow(.measured(.lower, .legacyFailures, plus: limit), .candidateFailures)
            test(
                .candidateFailures,
                target: .measured(.upper, .legacyFailures, plus: target),
                limit: .measured(.upper, .legacyFailures, plus: limit)
            )
        case .candidateOnly:
            test(
                .candidateFailures,
                target: .measured(.upper, .legacyFailures, plus: target),
                limit: .measured(.upper, .legacyFailures, plus: limit)
            )
        }
        if stage.opensBothSides {
            for (metric, limit) in settings.additionalLimits.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                promoteBelow(.fixed(limit), metric)
                test(metric, target: .fixed(limit * settings.targetPart), limit: .fixed(limit))
            }
        }
        self.tests = tests
        self.ceilings = ceilings
    }
}
