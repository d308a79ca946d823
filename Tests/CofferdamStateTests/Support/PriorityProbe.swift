import Cofferdam
import CofferdamTesting
import TestSupport

/// Work that records the priority at which it ends, and its callers, on a hand-driven executor.
final class PriorityProbe: Sendable {
    let executor = ManualExecutor()
    private let gate = TestGate()
    private let log = Log<TaskPriority>()

    /// The priorities at which it has ended.
    var ended: [TaskPriority] { log.entries }

    @Sendable func work() async {
        await gate.pass()
        log.add(Task.currentPriority)
    }

    /// Runs `body` until it waits.
    @discardableResult
    func begin(_ priority: TaskPriority, _ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        let task = Task(executorPreference: executor, priority: priority, operation: body)
        executor.drain()
        return task
    }

    /// Ends the work that waits.
    func end() {
        gate.open()
        executor.drain()
    }
}
