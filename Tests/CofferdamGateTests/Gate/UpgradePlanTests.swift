import CofferdamGate
import Testing
import UpgradeTestSupport

@Suite struct UpgradePlanTests {
    @Test func `α is for the whole way: its parts add up to it, over all attempts`() throws {
        var (promotions, rollbacks) = (0.0, 0.0)
        for attempt in 1...2_000 {
            let plan = try Readings.plan { $0.attempt = attempt }
            for gate in plan.gates {
                // A promotion needs every test of its gate, so it is wrong no more often than its weakest test.
                promotions += gate.tests.filter { $0.role == .promote }.map(\.alpha).max() ?? 0
                rollbacks += gate.tests.filter { $0.role == .rollBack }.map(\.alpha).reduce(0, +)
            }
        }
        #expect(promotions < 0.01)
        #expect(promotions > 0.00999)
        #expect(rollbacks < 0.01)
        #expect(rollbacks > 0.00999)
    }

    @Test(arguments: [(1, 0.00607927), (2, 0.00151982), (3, 0.00067547)])
    func `a later attempt has a smaller part of α`(attempt: Int, alpha: Double) throws {
        let plan = try Readings.plan { $0.attempt = attempt }
        #expect(plan.promotions == 5)
        #expect(plan.stoppingTests == 2 + 5 + 3 + 3 + 5 + 3)
        #expect(abs(plan.alpha * 5 - alpha) < 1e-8)
        #expect(abs(plan.alphaRollback * 21 - alpha) < 1e-8)
    }

    @Test func `each stage has its tests`() throws {
        let gates = try Readings.plan().gates
        func names(_ role: GateTest.Role) -> [[String]] {
            gates.map { gate in gate.tests.filter { $0.role == role }.map(\.metric.rawValue) }
        }
        let shadow = ["mismatches+open", "pairedFailures"]
        let others = "candidateFailures+open/*"
        let canary = ["canaryFailures", "canarySlow", "canaryGaveUp", "canaryAnswers.*", others]
        let later = ["candidateFailures+open", "candidateAnswers.*", others]
        let failures = ["candidateFailures"]
        #expect(names(.promote) == [[], ["comparison"], failures, failures, failures, ["comparison"] + failures, []])
        #expect(names(.rollBack) == [[], shadow, canary, later, later, shadow + later, later])
        #expect(
            names(.veto) == [
                [], ["pairedSlow"], ["canaryUnseen", "comparison+open", "activeUnits"], [], [], ["pairedSlow"], [],
            ]
        )
    }

    private static let baseline = LegacyBaseline(
        units: FailureCounts(0, of: 20_000),
        operations: [
            "list": .init(units: FailureCounts(0, of: 12_000), slowNanoseconds: 1),
            "order": .init(units: FailureCounts(0, of: 4_000), isRead: false, slowNanoseconds: 1),
            "refund": .init(units: FailureCounts(0, of: 200), isRead: false, slowNanoseconds: 1),
        ]
    )

    @Test func `each operation that enough units call has a promotion test, and each a rollback test`() throws {
        let plan = try Readings.plan { $0.requiredOperations = ["login"] }.attempt(1, against: Self.baseline)
        #expect(plan.operations.map(\.name) == ["list", "login", "order", "refund"])
        #expect(plan.operations.map(\.judgement) == [.fully, .fully, .fully, .rollbackOnly])
        #expect(plan.operations.allSatisfy { $0.limit == 0.01 })
        func metrics(_ stage: Stage, _ role: GateTest.Role) throws -> Set<String> {
            Set(plan.gate(at: stage).tests.filter { $0.role == role }.compactMap { $0.metric.operation })
        }
        // No shadow compares a write.
        #expect(try metrics(.shadow(sample: .all), .promote) == ["list", "login"])
        #expect(try metrics(.canary(share: 500), .promote) == ["list", "login", "order"])
        #expect(try metrics(.canary(share: 500), .rollBack) == ["list", "login", "order", "refund", "*"])
        #expect(try metrics(.candidateOnly, .promote).isEmpty)
        #expect(try metrics(.candidateOnly, .rollBack) == ["list", "login", "order", "refund", "*"])
        // An operation that no promotion waits for can hold one.
        #expect(try metrics(.shadow(sample: .all), .veto).isEmpty)
        #expect(try metrics(.canary(share: .all), .veto) == ["refund"])
        // The callers of each must have the canary's share.
        #expect(try metrics(.canary(share: 500), .veto) == ["list", "login", "order", "refund"])
        #expect(try metrics(.canary(share: .all), .veto) == ["refund"])
        #expect(try metrics(.candidateWithFallback, .veto) == ["refund"])
        #expect(try metrics(.candidateOnly, .veto).isEmpty)
        // That many of its own callers, which are every fifth unit.
        #expect(SampleSizes.toPromote(failures: 0, limit: 0.01, alpha: plan.alpha) == 722)
        #expect(plan.cleanUnits(toLeave: .canary(share: 500)) == 7_255)
        let rare = LegacyBaseline(
            units: FailureCounts(0, of: 20_000),
            operations: ["order": .init(units: FailureCounts(0, of: 1_000), slowNanoseconds: 1)]
        )
        #expect(try Readings.plan().attempt(1, against: rare).cleanUnits(toLeave: .canary(share: 500)) == 722 * 20)
    }

    /// A good candidate passes at nearly every gate: one failure by chance must not block it for ever.
    @Test(arguments: [
        (290, JudgedOperation.Judgement.rollbackOnly), (400, .rollbackOnly), (700, .fully), (1_000, .fully),
    ])
    func `a promotion waits for an operation that a good candidate passes within the horizon`(
        callers: Int,
        judgement: JudgedOperation.Judgement
    ) throws {
        let baseline = LegacyBaseline(
            units: FailureCounts(0, of: 20_000),
            operations: ["rare": .init(units: FailureCounts(0, of: callers), slowNanoseconds: 1)]
        )
        #expect(try Readings.plan().attempt(1, against: baseline).operations.map(\.judgement) == [judgement])
    }

    @Test func `where the legacy side fails more often than is tolerated, the candidate is held against it`() throws {
        var baseline = Self.baseline
        baseline.units = FailureCounts(100, of: 20_000)
        let absolute = try Readings.plan().attempt(1, against: baseline)
        #expect(!absolute.isRelative)
        let plan = try Readings.plan { $0.relativeFactor = 2 }
        #expect(!plan.attempt(1, against: Self.baseline).isRelative)
        let relative = plan.attempt(1, against: baseline)
        #expect(relative.isRelative)
        let gate = relative.gate(at: .canary(share: 500))
        #expect(
            gate.tests.first?.rule == .ratio(share: .measured(.rate, .activeUnits), factor: 2)
        )
        // The horizon counts the canary's units, not the failing ones or the many that are compared.
        var reading = Readings.good(at: .canary(share: 500)) { reading in
            reading.metrics[.comparison] = FailureCounts(0, of: 400_000)
            baseline.add(to: &reading.metrics)
            for operation in baseline.operations.keys {
                reading.metrics[.candidateFailures.of(operation)] = FailureCounts(0, of: 10_000)
            }
        }
        #expect(gate.decide(reading).verdict == .hold)
        reading.metrics[.candidateFailures] = FailureCounts(250, of: 50_000)
        #expect(gate.decide(reading).verdict == .undecided)
    }

    @Test(arguments: Readings.stages) func `the evidence writes what the gates read`(stage: Stage) throws {
        let gate = try Readings.plan().gate(at: stage)
        #expect(Set(gate.metrics.map(\.whole)).isSubset(of: Metric.written))
        let judged = try Readings.plan { $0.requiredOperations = ["login"] }.attempt(1, against: Self.baseline)
        try judged.check(written: Metric.written)
        try Readings.plan().check(written: Metric.written)
    }

    @Test func `a gate with a metric that is never recorded is an error that names it, and the recorded ones`() throws {
        let plan = try Readings.plan { $0.additionalLimits[Metric("imagesBlanc")] = 0.01 }
        let written: Set<Metric> = Metric.written.union([Metric("imagesBlank")])
        let error = #expect(throws: GateError.self) { try plan.check(written: written) }
        #expect(error?.code == .unwrittenMetric)
        #expect(error?.subject == "imagesBlanc")
        #expect(error?.message.contains("imagesBlank") == true)
        try plan.check(written: Metric.written.union([Metric("imagesBlanc")]))
    }

    @Test func `an app's own metric is tested like a comparison`() throws {
        let plan = try Readings.plan { $0.additionalLimits[Metric("blank")] = 0.01 }
        let gate = plan.gate(at: .shadow(sample: .all))
        func verdict(_ failures: Int, of total: Int) -> GateVerdict {
            gate.decide(
                Readings.good(at: .shadow(sample: .all)) {
                    $0.metrics[Metric("blank")] = FailureCounts(failures, of: total)
                }
            ).verdict
        }
        #expect(verdict(0, of: 10_000) == .promote)
        #expect(verdict(0, of: 100) == .hold)
        #expect(verdict(50, of: 1_000) == .rollBack)
    }

    @Test func `few clean units are enough for a loose limit, but not to show that there is no noise`() throws {
        let plan = try Readings.plan { $0.limit = 0.2 }
        #expect(plan.cleanUnits(toLeave: .shadow(sample: .all)) == 459)
        #expect(try #require(plan.cleanUnits(toLeave: .canary(share: 500))) < 459)
    }

    private static let wrong: [([Stage], String)] = [
        ([], "at least two"), ([.legacyOnly], "at least two"),
        ([.candidateOnly, .legacyOnly], "legacyOnly is not above candidateOnly"),
        ([.legacyOnly, .legacyOnly], "is not above"),
        ([.legacyOnly, .canary(share: 1000), .canary(share: 500)], "canary(500) is not above canary(1000)"),
        ([.legacyOnly, .canary(share: .none), .candidateOnly], "canary(0) counts no units"),
        ([.legacyOnly, .shadow(sample: .none), .candidateOnly], "shadow(0) counts no units"),
    ]

    @Test(arguments: wrong) func `stages that do not rise are refused`(stages: [Stage], message: String) {
        let error = #expect(throws: GateError.self) { try UpgradePlan(stages) }
        #expect(error?.code == .invalidPlan)
        #expect(error?.message.contains(message) == true)
    }

    @Test func `a plan names the last attempt in which it can promote, and goes back in later ones too`() throws {
        let plan = try Readings.plan { $0.horizon = 15_000 }
        let last = try #require(plan.lastPromotingAttempt)
        #expect(last < 5)
        #expect(plan.summary.contains("After attempt \(last), a person takes each step up."))
        let stage = Stage.canary(share: 500)
        let expected = Int((plan.settings.limit * plan.settings.targetPart * 15_000).rounded(.up))
        let late = plan.attempt(last + 1).gate(at: stage)
        let good = Readings.good(at: stage) { reading in
            for metric in [Metric.candidateFailures, Metric.candidateFailures.includingOpenWindows] {
                reading.metrics[metric] = FailureCounts(expected, of: 14_999)
            }
        }
        #expect(late.decide(good).verdict != .promote)
        let bad = Readings.good(at: stage) { $0.metrics[.canaryFailures] = FailureCounts(1_000, of: 1_000) }
        #expect(late.decide(bad).verdict == .rollBack)
        #expect(throws: GateError.self) { try Readings.plan { $0.horizon = 500 } }
    }

    @Test func `at a stage that is not in the plan the gate can only go back`() throws {
        let plan = try Readings.plan()
        let gate = plan.gate(at: .canary(share: 7))
        #expect(gate.tests.allSatisfy { $0.role != .promote })
        #expect(gate.decide(Readings.good(at: .canary(share: 7))).verdict == .hold)
        let bad = Readings.good(at: .canary(share: 7)) { $0.metrics[.canaryFailures] = FailureCounts(400, of: 400) }
        #expect(gate.decide(bad).verdict == .rollBack)
        #expect(plan.next(after: .canary(share: 500)) == .canary(share: .all))
        #expect(plan.next(after: .candidateOnly) == nil)
        #expect(plan.next(after: .canary(share: 7)) == nil)
    }

    private static let settings: [(String, @Sendable (inout GateSettings) -> Void)] = [
        ("limit", { $0.limit = 0 }), ("limit", { $0.limit = 1 }), ("alpha", { $0.alpha = .nan }),
        ("alphaRollback", { $0.alphaRollback = 2 }), ("targetPart", { $0.targetPart = 1 }),
        ("uncountedLimit", { $0.uncountedLimit = 0 }),
        ("noiseLimit", { $0.noiseLimit = 0 }), ("expectedRates[D5]", { $0.expectedRates["D5"] = 1.5 }),
        ("additionalLimits[x]", { $0.additionalLimits[Metric("x")] = 0 }), ("attempt", { $0.attempt = 0 }),
        ("horizon", { $0.horizon = 0 }), ("longestSeconds", { $0.longestSeconds = 0 }),
        ("minimumBaselineCalls", { $0.minimumBaselineCalls = 0 }),
    ]

    @Test(arguments: 0..<settings.count) func `a setting out of its range is refused by name`(index: Int) {
        let (name, change) = Self.settings[index]
        let error = #expect(throws: GateError.self) { try Readings.plan(change) }
        #expect(error?.code == .invalidSetting)
        #expect(error?.subject == name)
    }

    @Test(arguments: [5_000, 8_000, 10_000])
    func `a horizon within which a good candidate cannot be promoted is refused`(horizon: Int) {
        let error = #expect(throws: GateError.self) { try Readings.plan { $0.horizon = horizon } }
        #expect(error?.code == .invalidPlan)
        #expect(error?.subject == "horizon")
    }

    @Test func `the plan says beforehand how α is split, and how many units each stage needs`() throws {
        #expect(
            try Readings.plan().summary == """
                At most 0.001 of the units may fail; attempt 1.
                Promote: α 0.01, of which 0.001216 for each of 5 transitions.
                Roll back: α 0.01, of which 0.000289 for each of 21 tests.

                STAGE                    CLEAN UNITS  PROMOTE                        ROLL BACK                                                                                              VETO
                legacyOnly                         –  –                              –                                                                                                      –
                shadow(10000)                   7255  comparison                     mismatches+open, pairedFailures                                                                        pairedSlow
                canary(500)                     7255  candidateFailures              canaryFailures, canarySlow, canaryGaveUp, canaryAnswers.*, candidateFailures+open/*                    canaryUnseen, comparison+open, activeUnits
                canary(10000)                   7255  candidateFailures              candidateFailures+open, candidateAnswers.*, candidateFailures+open/*                                   –
                candidateWithFallback           7255  candidateFailures              candidateFailures+open, candidateAnswers.*, candidateFailures+open/*                                   –
                candidateShadowed(1000)         7255  comparison, candidateFailures  mismatches+open, pairedFailures, candidateFailures+open, candidateAnswers.*, candidateFailures+open/*  pairedSlow
                candidateOnly                      –  –                              candidateFailures+open, candidateAnswers.*, candidateFailures+open/*                                   –

                """
        )
    }
}
