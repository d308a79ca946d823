import Cofferdam
import CofferdamSupport
@testable import CofferdamState
import CofferdamTesting
import Testing
import TestSupport

/// Checks that a loadable's schedule always sleeps until its next time and no longer, in every interleaving.
@Suite struct LoadableScheduleInterleavingTests {
    @Test(arguments: 0..<8 as Range<UInt64>, [false, true])
    func `after any events a schedule sleeps until its next sync`(block: UInt64, isForced: Bool) async {
        let seeds = block * 100..<(block + 1) * 100
        let wrong = await onOwnThread { Self.wrongProgram(of: seeds, isForced: isForced) }
        #expect(wrong == nil)
    }

    private static func wrongProgram(of seeds: Range<UInt64>, isForced: Bool) -> String? {
        for seed in seeds {
            var random = SplitMix64(seed: seed)
            let program = ScheduleProgram(isForced: isForced)
            var steps: [ScheduleProgram.Step] = []
            for _ in 0..<30 {
                guard let step = ScheduleProgram.Step.allCases.randomElement(using: &random) else { continue }
                steps.append(step)
                program.perform(step, using: &random)
                if let wrong = program.wrong() { return "\(wrong), with the seed \(seed), after \(steps)" }
            }
        }
        return nil
    }
}

/// A loadable with a schedule, a hand-driven executor and a test clock.
private final class ScheduleProgram {
    enum Step: CaseIterable {
        case wait, succeed, fail, write, correct, writeOptimistically, rollBack, invalidate, fetch, cancel, reset
    }

    private static let (period, backoff, freshness) = (Duration.seconds(20), Duration.seconds(7), Duration.seconds(31))

    private let (clock, executor) = (TestClock(), ManualExecutor())
    private let isForced: Bool
    private let double: LoadableDouble<Int>
    private let token: ListenerToken
    private var writes: [OptimisticWrite] = []
    private var wasSyncing = false
    /// The time at which the last run ended, with any outcome.
    private var ended = Duration.zero
    private var failed: (at: Duration, error: TestError?) = (.zero, nil)
    private var failures = 0

    init(isForced: Bool) {
        self.isForced = isForced
        double = LoadableDouble(freshness: .for(Self.freshness), clock: clock, executor: executor)
        token = double.loadable.sync(
            by: SyncSchedule(
                every: Self.period,
                backoff: Backoff(initial: Self.backoff, factor: 1, jitter: 0),
                isForced: isForced
            )
        )
    }

    private var now: Duration { clock.now.offset }

    func perform(_ step: Step, using random: inout SplitMix64) {
        let loadable = double.loadable
        switch step {
        case .wait: clock.advance(by: .seconds(Int.random(in: 1...25, using: &random)))
        case .succeed: double.succeed(1)
        case .fail:
            failures += 1
            double.fail(TestError("\(failures)"))
        case .write: loadable.set(2)
        case .correct: loadable.correct { $0 + 1 }
        case .writeOptimistically: writes.append(loadable.writeOptimistically { _ in 3 })
        case .rollBack: writes.popLast()?.rollBack()
        case .invalidate: loadable.invalidate()
        case .fetch: executor.task { await loadable.sync() }
        case .cancel: loadable.cancel()
        case .reset: loadable.reset()
        }
    }

    /// Runs until everything is idle, and returns what is wrong; nil if nothing is.
    func wrong() -> String? {
        for _ in 0..<1000 where executor.count > 0 { executor.run(0) }
        if executor.count > 0 { return "it asks without a pause" }
        let snapshot = double.loadable.snapshot
        if wasSyncing, snapshot.state != .syncing { ended = now }
        wasSyncing = snapshot.state == .syncing
        if let error = snapshot.error as? TestError, error != failed.error { failed = (now, error) }
        if snapshot.state == .syncing {
            return clock.deadlines.isEmpty && double.waitingRunCount == 1 ? nil : "it sleeps while it loads"
        }
        guard let deadline = clock.deadlines.first, clock.deadlines.count == 1 else {
            return "\(clock.deadlines.count) sleep while it is \(snapshot.state)"
        }
        let (from, pause) =
            switch snapshot.state {
            case .succeeded: (now - (snapshot.age ?? .zero), Self.period)
            case .failed: (failed.at, Self.backoff)
            case .idle, .syncing: (ended, Self.backoff)
            }
        let stale = isForced || snapshot.state != .succeeded || snapshot.isInvalidated ? .zero : from + Self.freshness
        let (earliest, latest) = (max(from + pause, stale), max(max(from, ended) + pause, stale))
        if deadline >= earliest, deadline <= latest, deadline > now { return nil }
        return "at \(now) it is \(snapshot.state), and sleeps until \(deadline), not \(earliest) to \(latest)"
    }
}
