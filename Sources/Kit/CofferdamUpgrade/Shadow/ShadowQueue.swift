import Cofferdam
import DequeModule
import struct Synchronization.Atomic

/// Where shadow work waits and runs, so that no caller does: bounded, and a few jobs at a time.
///
/// Each job runs in a task of its own, with the task-locals and the priority of the caller who has submitted it: a tenant, a credential
/// or a span that an app keeps in a task-local reaches the side in the shadow as it reaches the one that answers. What is kept there
/// lives until the job has ended, later than the caller's own call. Whether a secret may is the caller's decision: one that must not
/// outlive the call, or must not reach the other SDK, does not belong in a task-local.
public final class ShadowQueue: Sendable {
    private let jobs: WaitingJobs
    private let droppedJobs = Atomic<Int>(0)

    /// - Parameters:
    ///   - capacity: how many jobs wait at the most; what comes then is dropped, and counted.
    ///   - width: how many run at a time.
    public init(capacity: Int = 64, width: Int = 2, executor: (any TaskExecutor)? = nil) {
        jobs = WaitingJobs(capacity: max(0, capacity), width: max(1, width), executor: executor)
    }

    /// How many jobs found no place.
    public var dropped: Int { droppedJobs.load(ordering: .relaxed) }

    /// Returns when nothing waits or runs.
    public func drained() async { await jobs.drained() }

    /// Whether a job would find a place now; where there is none, one is counted as dropped, and need not even be made.
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

/// The jobs of a queue. One that has to wait does so in a task that has not begun: only a task that its caller makes has the caller's
/// task-locals. This is the executor of such tasks, and keeps each until its turn comes; all that it does then is to make the task
/// in which the job runs.
private final class WaitingJobs: TaskExecutor {
    private struct State {
        var waiting: Deque<UnownedJob> = []
        /// So many have a place, and do not wait yet.
        var reserved = 0
        var running = 0
        var idle: [CheckedContinuation<Void, Never>] = []

        var isIdle: Bool { running == 0 && reserved == 0 && waiting.isEmpty }
    }

    private let state = Mutex(State())
    /// Changed under the lock, and read without it: a call that finds no place must not wait for those that work.
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
            // Made here, it is this caller's; it comes to ``enqueue(_:)`` before this returns.
            Task(executorPreference: self) { self.run(job) }
        }
        return isTaken
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let mayRun = state.withLock { state in
            state.reserved -= 1
            // Since its place was reserved one may have ended.
            let mayRun = state.running < width
            if mayRun { state.running += 1 } else { state.waiting.append(job) }
            noteFull(state)
            return mayRun
        }
        if mayRun { begin(job) }
    }

    /// As the caller, or as who waits for the caller's turn.
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

    /// Has the waiting task make the one in which its job runs, here and now: it is done before this returns.
    private func begin(_ job: UnownedJob) { job.runSynchronously(on: asUnownedTaskExecutor()) }

    private func hasPlace(_ state: State) -> Bool {
        state.running < width || state.waiting.count + state.reserved < capacity
    }

    private func noteFull(_ state: State) { isFull.store(!hasPlace(state), ordering: .relaxed) }
}
