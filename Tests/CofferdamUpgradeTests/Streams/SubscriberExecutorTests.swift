import Cofferdam
import CofferdamTesting
import Testing
import TestSupport

@testable import CofferdamUpgrade

@Suite(.timeLimit(.minutes(1))) struct SubscriberExecutorTests {
    /// A task that says how often it has been resumed.
    private final class Worker: Sendable {
        let rounds = Log<Int>()
        let waiting = Mutex<UnsafeContinuation<Bool, Never>?>(nil)

        func work() async {
            var (round, goesOn) = (0, true)
            while goesOn {
                rounds.add(round)
                round += 1
                // Proof: `next` takes it out, and resumes it once.
                goesOn = await withUnsafeContinuation { continuation in waiting.withLock { $0 = continuation } }
            }
        }

        func next(_ goesOn: Bool) { waiting.withLock { $0.take() }?.resume(returning: goesOn) }
    }

    @Test func `a task that its subscriber resumes runs before that goes on, and otherwise on the executor`() async {
        let (base, worker) = (ManualExecutor(), Worker())
        let executor = SubscriberExecutor(base)
        let task = Task(executorPreference: executor) { await worker.work() }
        #expect(worker.rounds.entries == [])
        base.drain()
        #expect(worker.rounds.entries == [0])
        executor.runHere { worker.next(true) }
        executor.runHere { worker.next(true) }
        #expect(worker.rounds.entries == [0, 1, 2])
        worker.next(true)
        #expect(worker.rounds.entries == [0, 1, 2])
        base.drain()
        #expect(worker.rounds.entries == [0, 1, 2, 3])
        executor.runHere { worker.next(false) }
        await task.value
    }

    @Test func `a subscriber that finds nothing to resume leaves later jobs to the executor`() async {
        let (base, worker) = (ManualExecutor(), Worker())
        let executor = SubscriberExecutor(base)
        executor.runHere {}
        let task = Task(executorPreference: executor) { await worker.work() }
        #expect(worker.rounds.entries == [])
        base.drain()
        #expect(worker.rounds.entries == [0])
        worker.next(false)
        base.drain()
        await task.value
    }
}
