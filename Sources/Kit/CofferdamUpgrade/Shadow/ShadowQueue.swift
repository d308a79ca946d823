import Cofferdam
import DequeModule
import struct Synchronization.Atomic

/// Runs shadow work off the path of callers, with a bounded queue and a few jobs at a time.
///
/// Each job runs in its own task, with the task-locals and the priority of the caller that submitted it: a tenant,
/// credential or span in a task-local reaches the shadow side as it reaches the side that answers. These values live
/// until the job ends, which is later than the call. A secret that must not outlive the call, or must not reach the
/// other SDK, does not belong in a task-local.
public final class ShadowQueue: Sendable {
    private let jobs: WaitingJobs
    private let droppedJobs = Atomic<Int>(0)

    /// - Parameters:
    ///   - capacity: the maximum number of waiting jobs; further jobs are dropped and counted.
    ///   - width: how many jobs run at a time.
    public init(capacity: Int = 64, width: Int = 2, executor: (any TaskExecutor)? = nil) {
        jobs = WaitingJobs(capacity: max(0, capacity), width: max(1, width), executor: executor)
    }

    /// The number of jobs dropped so far.
    public var dropped: Int { droppedJobs.load(ordering: .relaxed) }

    /// Returns when no job waits or runs.
    public func drained() async { await jobs.drained() }

    /// Returns whether a job would be accepted now. If not, counts one job as dropped, so the caller need not create
    /// it.
    func hasPlace() -> Bool {
        guard jobs.isFull.load(ordering: .relaxed) else { return true }
        droppedJobs.wrappingAdd(1, ordering: .relaxed)
        return false
    }

    /// - Returns: whether there was a place.
    func submit(_ job: @escaping @Sendable () async -> Void) -> Bool {
        let isTaken = jobs.submit(job)
        if !isTaken { droppedJobs.wrappingAdd(1, ordering: .relaxed) }
        return isTaken
    }
}

/// The jobs of a queue. A job that must wait is held in a task that has not begun, because only a task that its caller
/// creates has the caller's task-locals. This is the executor of those tasks: it keeps each until its turn, and then
/// runs only the part that creates the task of the job.
private final class WaitingJobs: TaskExecutor {
    private struct State {
        var waiting: Deque<UnownedJob> = []
        /// The number of reserved places whose job does not wait yet.
        var reserved = 0
        var running = 0
        var idle: [CheckedContinuation<Void, Never>] = []

        var isIdle: Bool { running == 0 && reserved == 0 && waiting.isEmpty }
    }

    private let state = Mutex(State())
    /// Written under the lock and read without it: a call that finds no room must not wait for the lock.
    let isFull = Atomic<Bool>(false)
    private let capacity: Int
    private let width: Int
    private let executor: (any TaskExecutor)?

    init(capacity: Int, width: Int, executor: (any TaskExecutor)?) {
        self.capacity = capacity
        self.width = width
        self.executor = executor
    }

    func drained() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.isIdle { return true }
                state.idle.append(continuation)
                return false
            }
            if isIdle { continuation.resume() }
        }
    }

    /// - Returns: whether there was a place.
    func submit(_ job: @escaping @Sendable () async -> Void) -> Bool {
        let (isTaken, mayRun) = state.withLock { state in
            guard hasPlace(state) else { return (false, false) }
            let mayRun = state.running < width
            if mayRun { state.running += 1 } else { state.reserved += 1 }
            noteFull(state)
            return (true, mayRun)
        }
        if mayRun {
            run(job)
        } else if isTaken {
            // Created here, the task inherits the caller's task-locals. It reaches ``enqueue(_:)`` before this method
            // returns.
            Task(executorPreference: self) { self.run(job) }
        }
        return isTaken
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let mayRun = state.withLock { state in
            state.reserved -= 1
            // A job may have ended since the place was reserved.
            let mayRun = state.running < width
            if mayRun { state.running += 1 } else { state.waiting.append(job) }
            noteFull(state)
            return mayRun
        }
        if mayRun { begin(job) }
    }

    /// Runs a job in a task of its own. Called by the job's submitter, or by the task in which the job waited.
    private func run(_ job: @escaping @Sendable () async -> Void) {
        Task(executorPreference: executor) {
            await job()
            self.ended()
        }
    }

    private func ended() {
        let (next, idle) = state.withLock { state -> (UnownedJob?, [CheckedContinuation<Void, Never>]) in
            defer { noteFull(state) }
            if let next = state.waiting.popFirst() { return (next, []) }
            state.running -= 1
            guard state.isIdle else { return (nil, []) }
            defer { state.idle = [] }
            return (nil, state.idle)
        }
        if let next { begin(next) }
        for waiter in idle { waiter.resume() }
    }

    /// Lets the waiting task create the task of its job, synchronously.
    private func begin(_ job: UnownedJob) { job.runSynchronously(on: asUnownedTaskExecutor()) }

    private func hasPlace(_ state: State) -> Bool {
        state.running < width || state.waiting.count + state.reserved < capacity
    }

    private func noteFull(_ state: State) { isFull.store(!hasPlace(state), ordering: .relaxed) }
}
