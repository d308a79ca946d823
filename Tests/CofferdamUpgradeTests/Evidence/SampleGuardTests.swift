import Cofferdam
import CofferdamSupport
import Testing
import TestSupport

@testable import CofferdamUpgrade

@Suite struct SampleGuardTests {
    private struct Observer: RouteObserver {
        let halvings: Log<SampleHalving>
        let calls: Log<RoutedCall>
        func called(_ call: RoutedCall) { calls.add(call) }
        func compared(_ comparison: ShadowComparison) {}
        func sampleHalved(_ halving: SampleHalving) { halvings.add(halving) }
    }

    private let halvings = Log<SampleHalving>()
    private let calls = Log<RoutedCall>()

    private func control(_ stage: Stage = .shadow(sample: 1000)) -> StageControl {
        StageControl(StageState(stage: stage, epoch: 3))
    }

    private func observer(_ control: StageControl, slowLimit: Duration? = nil) -> SampleGuard {
        SampleGuard(
            control,
            throttled: ["rateLimited"],
            slowLimit: { _ in slowLimit },
            next: Observer(halvings: halvings, calls: calls)
        )
    }

    /// A call of the legacy side, at the control's stage.
    private func call(
        _ unit: Int,
        _ control: StageControl,
        isSampled: Bool,
        outcome: RoutedCall.Outcome = .answered,
        took duration: Duration = .milliseconds(1)
    ) -> RoutedCall {
        RoutedCall(
            capability: "zoo",
            operation: "animal",
            stage: control.state.stage,
            epoch: control.state.epoch,
            unit: "\(unit)",
            sample: control.sampling.sample(at: control.state.stage).map { .init(share: $0, isIn: isSampled) },
            side: .legacy,
            role: .first,
            outcome: outcome,
            duration: duration
        )
    }

    private let refused = RoutedCall.Outcome.failed(.unsent, kind: "rateLimited")

    @Test func `when sampled units have too many calls refused, their share is halved, which is reported`() throws {
        let control = control()
        let observer = observer(control)
        for unit in 0..<3 { observer.called(call(unit, control, isSampled: true, outcome: refused)) }
        let halving = try #require(halvings.entries.first)
        #expect(halvings.entries.count == 1)
        #expect((halving.from, halving.to, halving.epoch) == (1000, 500, 3))
        // (2, 0, 0.1) is ln BF 3.51, less than ln 100; three are 5.52.
        #expect(halving.affected == FailureCounts(3, of: 3))
        #expect(control.sampling == Sampling(halvings: 1))
        #expect(calls.entries.count == 3)
    }

    @Test func `slow calls count as refused ones do, where it is known what slow is`() throws {
        for (limit, expected) in [(Duration.seconds(1), 1), (nil, 0)] {
            let control = control()
            let observer = observer(control, slowLimit: limit)
            for unit in 0..<3 { observer.called(call(unit, control, isSampled: true, took: .seconds(2))) }
            #expect(control.sampling.halvings == expected)
        }
    }

    @Test func `twenty refusals of one user count as one unit`() {
        let control = control()
        let observer = observer(control)
        for _ in 0..<20 { observer.called(call(1, control, isSampled: true, outcome: refused)) }
        #expect(control.sampling.halvings == 0)
    }

    @Test func `it goes on at the smaller sample, from 0, without the calls of the larger one`() {
        let control = control()
        let observer = observer(control)
        let late = call(9, control, isSampled: true, outcome: refused)
        for unit in 0..<3 { observer.called(call(unit, control, isSampled: true, outcome: refused)) }
        for _ in 0..<3 { observer.called(late) }
        #expect(control.sampling.halvings == 1)
        for unit in 10..<12 { observer.called(call(unit, control, isSampled: true, outcome: refused)) }
        // At 5 % two are enough: ln BF 4.8929.
        #expect(halvings.entries.map(\.to) == [500, 250])
    }

    private static let silent: [(Stage, RoutedCall.Outcome, Bool)] = [
        (.shadow(sample: .all), .failed(.unsent, kind: "rateLimited"), true),
        (.shadow(sample: .none), .failed(.unsent, kind: "rateLimited"), false),
        (.shadow(sample: 1000), .failed(.failed, kind: "down"), true),
        (.shadow(sample: 1000), .failed(.unsent, kind: "rateLimited"), false),
        (.shadow(sample: 1000), .cancelled, true),
        (.legacyOnly, .failed(.unsent, kind: "rateLimited"), true),
    ]

    @Test(arguments: silent.indices) func `unrelated calls change nothing`(row: Int) {
        let (stage, outcome, isSampled) = Self.silent[row]
        let control = control(stage)
        let observer = observer(control)
        for unit in 0..<100 { observer.called(call(unit, control, isSampled: isSampled, outcome: outcome)) }
        #expect(control.sampling.halvings == 0)
        #expect(calls.entries.count == 100)
    }

    /// Returns how many of the runs halve a sample of 1 in 10, checked after each of 1,000 units.
    private func halved(runs: Int, affected: (_ isSampled: Bool) -> Double) -> Int {
        (0..<runs).count { run in
            var random = SplitMix64(seed: UInt64(run))
            let control = control()
            let observer = observer(control)
            for unit in 0..<1_000 where control.sampling.halvings == 0 {
                let isSampled = random.uniform() <= 0.1
                let isAffected = random.uniform() <= affected(isSampled)
                observer.called(call(unit, control, isSampled: isSampled, outcome: isAffected ? refused : .answered))
            }
            return control.sampling.halvings > 0
        }
    }

    @Test func `a harmless sample is halved in at most 1 of 100 runs, a harmful one in nearly all`() {
        // Of 100 runs at most 1 %, plus three standard deviations.
        #expect(halved(runs: 100) { _ in 0.05 } <= 4)
        #expect(halved(runs: 20) { isSampled in isSampled ? 0.3 : 0.05 } == 20)
    }

    @Test func `through a route, sampled and other units are watched for equally many calls`() async throws {
        let control = control(.shadow(sample: 5000))
        let calls = Log<RoutedCall>()
        let observer = SampleGuard(control, throttled: [], next: Observer(halvings: halvings, calls: calls))
        let legacy = ScriptedZoo("legacy", log: Log())
        let router = Router<any Zoo>(legacy: { legacy }, candidate: { legacy })
        let settings = RouteSettings(capability: "zoo", failures: ZooError.reading, observer: observer)
        for unit in 0..<20 {
            let session = UnitSession(unit: "\(unit)", control: control, bucketing: try Bucketing(salt: "zoo"))
            let zoo = Intercepted<any Zoo>(source: router.route(for: session, settings: settings) { $0 })
            for id in 0..<UnitSession.watchedCalls { _ = try await zoo.animal(id) }
        }
        await settings.shadowQueue.drained()
        #expect(calls.entries.count == 20 * UnitSession.watchedCalls)
        #expect(Set(calls.entries.map(\.sample?.isIn)) == [true, false])
    }
}
