import Cofferdam
import CofferdamTesting
import Testing
import UpgradeTestSupport

@testable import CofferdamUpgrade

/// Checks that builds with one side each are compared by what each of them counts.
@Suite struct ArmTests {
    private let clock = TestClock()

    private func state(_ stage: Stage, epoch: Int = 2) -> UpgradeState {
        Requests.stored(at: stage) {
            $0.state.epoch = epoch
            $0.state.baseline = LegacyBaseline(units: FailureCounts(0, of: 20_000))
        }.state
    }

    private func recorder(_ arm: Arm, at state: UpgradeState) -> EvidenceRecorder {
        let recorder = EvidenceRecorder(StageState(stage: state.stage, epoch: state.epoch), key: arm.key, clock: clock)
        recorder.keep()
        recorder.follow(state)
        return recorder
    }

    /// Counts and saves units of one build, some of which fail or get the given answer.
    private func count(
        _ failures: Int,
        of units: Range<Int>,
        in arm: Arm,
        at state: UpgradeState,
        in store: any EvidenceLedger,
        answering answer: String? = nil
    ) async throws {
        let recorder = recorder(arm, at: state)
        for unit in units {
            let isMet = unit - units.lowerBound < failures
            recorder.called(
                RoutedCall(
                    capability: "a",
                    operation: "o",
                    stage: state.stage,
                    epoch: state.epoch,
                    unit: "u\(unit)",
                    side: arm.side,
                    role: .first,
                    outcome: isMet && answer == nil ? .failed(.failed, kind: "k") : .answered,
                    answer: isMet ? answer : nil,
                    duration: .milliseconds(1)
                )
            )
        }
        clock.advance(by: .seconds(601))
        try await recorder.merge(into: store, of: state.capability)
    }

    private func decide(_ state: UpgradeState, _ store: any EvidenceLedger) async throws -> Decision {
        let reading = try await ArmEvidence(store).reading(of: state, afterSeconds: 86_400)
        return try UpgradePlan.named(.arms).following(state).gate(at: state.stage).decide(reading)
    }

    private static let v1 = Arm(.legacy, build: "1.4")
    private static let other = Arm(.legacy, build: "1.5")
    private static let v2 = Arm(.candidate, build: "2.0")

    @Test func `a plan of arms has no stage that needs both sides`() throws {
        #expect(try UpgradePlan.named(.arms).stages == [.legacyOnly, .aa, .arms, .candidateOnly])
        #expect(throws: GateError.self) {
            try UpgradePlan([.legacyOnly, .canary(share: 500), .arms], settings: .defaults { $0.relativeFactor = 2 })
        }
        #expect(throws: GateError.self) { try UpgradePlan([.legacyOnly, .arms, .candidateOnly]) }
        for stage in [Stage.aa, .arms] { #expect(Stage(rawValue: stage.rawValue) == stage) }
    }

    @Test(arguments: LedgerPlace.allCases)
    func `builds are told apart, and a unit that updates stays in its first arm`(
        place: LedgerPlace
    ) async throws {
        let state = state(.arms)
        try await place.withLedgers { one, two in
            try await count(2, of: 0..<100, in: Self.v1, at: state, in: one)
            // The last 50 of them update, and 10 of these fail.
            try await count(10, of: 50..<150, in: Self.v2, at: state, in: two)
            let reading = try await ArmEvidence(one).reading(of: state, afterSeconds: 1)
            let arms = try #require(reading.arms)
            #expect(arms.map(\.build) == ["1.4", "2.0"])
            #expect(arms.map(\.units) == [FailureCounts(2, of: 100), FailureCounts(0, of: 50)])
            #expect(arms.map(\.crossed) == [0, 50])
            #expect(reading.metrics[.activeUnits] == FailureCounts(50, of: 150))
            #expect(reading.metrics[.canaryFailures] == FailureCounts(0, of: 2))
            #expect(reading.metrics[.candidateFailures] == FailureCounts(0, of: 50))
        }
    }

    @Test func `two instances of one build count into one arm`() async throws {
        let (state, store) = (state(.arms), MemoryLedger())
        try await count(1, of: 0..<50, in: Self.v2, at: state, in: store)
        try await count(0, of: 25..<75, in: Self.v2, at: state, in: store)
        let reading = try await ArmEvidence(store).reading(of: state, afterSeconds: 1)
        #expect(reading.arms?.map(\.units) == [FailureCounts(1, of: 75)])
    }

    @Test func `an answer that one build alone has given is counted among the units of all builds of its side`()
        async throws
    {
        let (state, store) = (state(.candidateOnly), MemoryLedger())
        try await count(0, of: 0..<100, in: Self.v2, at: state, in: store)
        let patched = Arm(.candidate, build: "2.1")
        try await count(3, of: 100..<150, in: patched, at: state, in: store, answering: "gone")
        let reading = try await ArmEvidence(store).reading(of: state, afterSeconds: 1)
        #expect(reading.metrics[.candidateAnswers("gone")] == FailureCounts(3, of: 150))
    }

    @Test func `a candidate as good as the legacy side is promoted, and its decision can be computed again`()
        async throws
    {
        let (state, store) = (state(.arms), MemoryLedger())
        try await count(0, of: 0..<10_000, in: Self.v1, at: state, in: store)
        try await count(0, of: 10_000..<20_000, in: Self.v2, at: state, in: store)
        let decision = try await decide(state, store)
        #expect(decision.verdict == .promote, "\(decision.explanation)")
        #expect(decision.contradictions().isEmpty)
        #expect(decision.explanation.contains("2.0"))
    }

    @Test func `a worse candidate is rolled back`() async throws {
        let (state, store) = (state(.arms), MemoryLedger())
        try await count(1, of: 0..<3_000, in: Self.v1, at: state, in: store)
        try await count(60, of: 3_000..<6_000, in: Self.v2, at: state, in: store)
        #expect(try await decide(state, store).verdict == .rollBack)
    }

    @Test func `two equal builds of the legacy side pass, in either order`() async throws {
        let (state, store) = (state(.aa), MemoryLedger())
        try await count(0, of: 0..<10_000, in: Self.other, at: state, in: store)
        try await count(0, of: 10_000..<20_000, in: Self.v1, at: state, in: store)
        let decision = try await decide(state, store)
        #expect(decision.verdict == .promote, "\(decision.explanation)")
    }

    @Test(arguments: [true, false])
    func `self-selected users hold the comparison of two builds, which says by how much they differ`(
        isFirst: Bool
    ) async throws {
        let (state, store) = (state(.aa), MemoryLedger())
        try await count(isFirst ? 80 : 10, of: 0..<4_000, in: Self.v1, at: state, in: store)
        try await count(isFirst ? 10 : 80, of: 4_000..<8_000, in: Self.other, at: state, in: store)
        let decision = try await decide(state, store)
        #expect(decision.verdict == .hold)
        let metric = isFirst ? Metric.firstShareOfFailures : .canaryFailures
        #expect(decision.reasons.contains { $0.code == .vetoed && $0.metric == metric }, "\(decision.explanation)")
        #expect(decision.explanation.contains("8.00") || decision.explanation.contains("8"))
    }

    /// A difference that the comparison of two builds may find in some of one build's units.
    enum Difference: Sendable, CaseIterable {
        case slow, gaveUp, answer

        func call(_ unit: Int, at state: UpgradeState, isMet: Bool) -> RoutedCall {
            RoutedCall(
                capability: "a",
                operation: "o",
                stage: state.stage,
                epoch: state.epoch,
                unit: "u\(unit)",
                side: .legacy,
                role: .first,
                outcome: isMet && self == .gaveUp ? .cancelled : .answered,
                answer: isMet && self == .answer ? "gone" : nil,
                duration: .milliseconds(isMet && self != .answer ? 20 : 1)
            )
        }

        var metrics: (second: Metric, first: Metric) {
            switch self {
            case .slow: (.canarySlow, .firstShareOfSlow)
            case .gaveUp: (.canaryGaveUp, .firstShareOfGaveUp)
            case .answer: (.canaryAnswers("gone"), .firstAnswers("gone"))
            }
        }
    }

    /// Compares two builds with 4,000 units each, of which `first` and `second` units meet the difference.
    private func compare(_ difference: Difference, first: Int, second: Int) async throws -> Decision {
        let store = MemoryLedger()
        var state = state(.aa)
        state.baseline?.operations["o"] = .init(
            units: FailureCounts(0, of: 20_000),
            slowNanoseconds: 10_000_000
        )
        for (number, (arm, met)) in [(Self.v1, first), (Self.other, second)].enumerated() {
            let recorder = recorder(arm, at: state)
            for unit in 0..<4_000 {
                recorder.called(difference.call(number * 4_000 + unit, at: state, isMet: unit < met))
            }
            clock.advance(by: .seconds(601))
            try await recorder.merge(into: store, of: state.capability)
        }
        return try await decide(state, store)
    }

    @Test(arguments: Difference.allCases, [true, false])
    func `two builds of one SDK that differ in something other than failures hold, whichever has more`(
        difference: Difference,
        isFirst: Bool
    ) async throws {
        let decision = try await compare(difference, first: isFirst ? 400 : 80, second: isFirst ? 80 : 400)
        #expect(decision.verdict == .hold, "\(decision.explanation)")
        let metric = isFirst ? difference.metrics.first : difference.metrics.second
        let vetoes = decision.reasons.filter { $0.code == .vetoed }.map(\.metric)
        // A caller that gives up has also waited too long.
        let slow = isFirst ? Metric.firstShareOfSlow : .canarySlow
        #expect(vetoes == (difference == .gaveUp ? [slow, metric] : [metric]), "\(decision.explanation)")
        #expect(decision.contradictions().isEmpty)
    }

    @Test(arguments: Difference.allCases)
    func `what both builds of one SDK do equally, or hardly at all, is not a difference`(difference: Difference)
        async throws
    {
        // A tenth of the units of both builds; then three times as many in one, but fewer than a gate cares about.
        for (first, second) in [(400, 400), (1, 3)] {
            let decision = try await compare(difference, first: first, second: second)
            #expect(!decision.reasons.contains { $0.code == .vetoed }, "\(decision.explanation)")
        }
    }

    @Test func `a third build of the legacy side prevents the comparison of two`() async throws {
        let (state, store) = (state(.aa), MemoryLedger())
        for (number, build) in ["1", "2", "3"].enumerated() {
            let units = number * 10..<number * 10 + 10
            try await count(0, of: units, in: Arm(.legacy, build: build), at: state, in: store)
        }
        let decision = try await decide(state, store)
        #expect(decision.verdict == .hold)
        #expect(decision.reasons.contains { $0.code == .otherBuilds && $0.message.contains("1, 2, 3") })
    }

    @Test func `no stage and no kill switch moves a build with one side`() throws {
        for side in [Side.legacy, .candidate] {
            let control = StageControl(arm: Arm(side, build: "1"))
            let session = UnitSession(unit: "u", control: control, bucketing: try Bucketing(salt: "s"))
            for stage in [Stage.legacyOnly, .canary(share: .all), .arms, .candidateOnly] {
                control.follow(StageState(stage: stage, epoch: 1))
                #expect(session.side == side)
            }
            control.kill(KillSwitch(side == .legacy ? .candidate : .legacy, by: "a", reason: "b"))
            #expect(session.side == side)
            let decision = session.decision()
            #expect(decision.sample == nil)
            #expect(!decision.route.opens(side == .legacy ? .candidate : .legacy))
        }
    }

    @Test(arguments: [(Stage.aa, 0), (.arms, 5), (.candidateOnly, 5)])
    func `a crash of a candidate's build is a failure of its units, once it counts`(
        stage: Stage,
        failures: Int
    ) async throws {
        let (state, store) = (state(stage), MemoryLedger())
        let recorder = recorder(Self.v2, at: state)
        let crash = InFlightFile.Crash(
            calls: 7,
            units: 5,
            shadowUnits: 0,
            namedCalls: 0,
            epoch: state.epoch,
            noticed: 1
        )
        recorder.recordCrash(crash, id: "1")
        try await recorder.merge(into: store, of: state.capability)
        let reading = try await ArmEvidence(store).reading(of: state, afterSeconds: 1)
        #expect(reading.metrics[.candidateFailures]?.failures ?? 0 == failures)
    }

    @Test func `a build of the candidate counts nothing before the arms`() async throws {
        let (state, store) = (state(.aa), MemoryLedger())
        try await count(1, of: 0..<10, in: Self.v2, at: state, in: store)
        #expect(try await ArmEvidence(store).reading(of: state, afterSeconds: 1).arms == [])
    }
}
