import Cofferdam
import CofferdamSupport
import CofferdamTesting
import CofferdamUpgrade
import TestSupport

/// Changes the stage and the faults at random until it is cancelled, and checks each change against the log.
///
/// It runs on the feed's executor: while it changes a stage, the streams' time stands still.
struct ChaosDirector: Sendable {
    let world: ChaosWorld
    let store: any UpgradeStore
    let plan: UpgradePlan
    let engine: UpgradeEngine
    let control: StageControl
    let watch: BreakerWatch
    let obeyed: Log<Duration>

    func direct(seed: UInt64) async throws {
        var dice = Dice(seed: ~seed)
        var number = 0
        while !Task.isCancelled {
            number += 1
            for side in Side.allCases where dice.roll(6) == 0 { world.behave(side, .random(&dice)) }
            watch.clock.advance(by: .seconds(dice.roll(3)))
            if dice.roll(2) == 0 { try await move(&dice, id: "\(seed).\(number)", at: Int64(number) * 1_000) }
            await engine.refresh()
            if dice.roll(8) == 0 { await engine.save() }
            if dice.roll(8) == 0 { await engine.decide() }
            if dice.roll(15) == 0 { await breakDown() }
            try? await world.feed.clock.sleep(for: .milliseconds(250 * (1 + dice.roll(40))))
        }
    }

    /// Breaks the candidate until its breakers stop all calls.
    private func breakDown() async {
        guard [.canary, .candidateWithFallback].contains(control.state.stage().kind) else { return }
        world.behave(.candidate, .down)
        world.behave(.legacy, ChaosFaults())
        let before = watch.counts.calls
        for _ in 0..<400 where watch.counts.calls < before + 4 * watch.longest {
            try? await world.feed.clock.sleep(for: .milliseconds(250))
        }
    }

    private func move(_ dice: inout Dice, id: String, at time: Int64) async throws {
        let action = action(&dice)
        let request = UpgradeRequest(action, by: "chaos", reason: "by chance", at: time, id: id)
        do {
            _ = try await store.carryOut(request, for: ChaosRun.capability, plan: plan)
            if case .kill(let target) = action { await awaitObedience(to: target) }
        } catch is UpgradeRefusal {
            // Random requests are often refused.
        } catch is CancellationError {
            // All units have made their calls.
        }
    }

    /// A kill takes effect within one second of the engine's clock. The engine must notice it on its own: nothing here
    /// asks it to refresh.
    private func awaitObedience(to target: KillSwitch.Target) async {
        // Off the feed's executor, on which the engine follows the store.
        await Task.detached { [self] in
            let thrown = watch.clock.now.offset
            for step in [Duration.zero, .milliseconds(250), .milliseconds(250), .milliseconds(500)] {
                watch.clock.advance(by: step)
                let passed = watch.clock.now.offset - thrown
                // Near the end, wait as long as it takes: no simulated time passes meanwhile.
                for _ in 0..<(passed < .seconds(1) ? 1_000 : 1_000_000) {
                    if control.state.kill?.target == target { return obeyed.add(passed) }
                    await Task.yield()
                }
            }
            world.report("a kill to \(target) is not obeyed after a second")
        }.value
    }

    private func action(_ dice: inout Dice) -> UpgradeAction {
        switch dice.roll(16) {
        case 0: .abort
        case 1: .rollBack(to: plan.stages[dice.roll(plan.stages.count)])
        case 2: .kill(KillSwitch.Target.allCases[dice.roll(3)])
        case 3...5: .resume
        case 6:
            .override(operation: ["value", "events"][dice.roll(2)], stage: plan.stages[dice.roll(plan.stages.count)])
        case 7...8: .override(operation: ["value", "add", "put", "events"][dice.roll(4)], stage: nil)
        default: .advance(despiteGate: true)
        }
    }
}
