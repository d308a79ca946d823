import Cofferdam
import CofferdamTesting
import UpgradeTestSupport

@testable import CofferdamUpgrade

/// An engine whose surroundings the test controls.
struct EngineBench: Sendable {
    static let capability = "catalogue"

    let store = ReachableStore()
    let control = StageControl()
    let clock = TestClock()
    let observed = Observed()
    private let date = DateBox()
    let plan: UpgradePlan

    init() throws { plan = try Readings.plan() }

    /// The observer's notifications.
    final class Observed: UpgradeObserver {
        private let log = Mutex<(outcomes: [DecisionOutcome], stages: [Stage])>(([], []))

        var outcomes: [DecisionOutcome] { log.withLock { $0.outcomes } }
        var stages: [Stage] { log.withLock { $0.stages } }

        func decided(_ decision: Decision, _ outcome: DecisionOutcome, of capability: String) {
            log.withLock { $0.outcomes.append(outcome) }
        }
        func followed(_ status: UpgradeStatus) { log.withLock { $0.stages.append(status.stage) } }
    }

    /// Evidence that the test sets.
    final class FixedEvidence: EvidenceSource {
        private let change: @Sendable (inout GateReading) -> Void
        init(_ change: @escaping @Sendable (inout GateReading) -> Void) { self.change = change }

        func reading(of state: UpgradeState, afterSeconds seconds: Int) async -> GateReading {
            Readings.good(at: state.stage) { reading in
                reading.epoch = state.epoch
                change(&reading)
            }
        }
    }

    func engine(
        recorder: EvidenceRecorder = EvidenceRecorder(),
        _ change: (inout UpgradeEngine.Options) -> Void = { _ in }
    ) -> UpgradeEngine {
        UpgradeEngine(Self.capability, plan: plan, store: store, control: control, recorder: recorder) { options in
            options.clock = clock
            options.now = { [date] in date.value }
            options.observer = observed
            change(&options)
        }
    }

    /// Advances both clocks.
    func pass(_ duration: Duration) {
        clock.advance(by: duration)
        date.advance(by: duration.components.seconds * 1_000)
    }

    /// Sets the calendar back, but no other clock.
    func setBack(_ duration: Duration) { date.advance(by: -duration.components.seconds * 1_000) }

    var now: Int64 { date.value }

    /// Changes the stored state as another process would.
    @discardableResult
    func change(_ action: UpgradeAction, id: String = UpgradeEngine.randomID()) async throws -> StoredUpgrade {
        try await store.memory.carryOut(
            Requests.request(action, id: id, at: now),
            for: Self.capability,
            plan: plan
        )
    }

    /// Counts a call of that unit on the candidate, at the stage that the engine follows.
    func count(unit: String, in engine: UpgradeEngine) {
        let state = control.state
        engine.recorder.called(
            RoutedCall(
                capability: Self.capability,
                operation: "o",
                stage: state.stage,
                epoch: state.epoch,
                unit: unit,
                side: .candidate,
                role: .first,
                outcome: .answered,
                duration: .zero
            )
        )
    }

    /// Raises the stored upgrade to that stage.
    func raise(to stage: Stage) async throws {
        while try await store.memory.read(Self.capability)?.state.stage != stage {
            try await change(.advance(despiteGate: true))
        }
    }
}

private final class DateBox: Sendable {
    private let date = Mutex<Int64>(1_000_000_000)
    var value: Int64 { date.withLock { $0 } }
    func advance(by milliseconds: Int64) { date.withLock { $0 += milliseconds } }
}
