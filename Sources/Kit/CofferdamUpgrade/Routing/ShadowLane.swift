import Cofferdam
import DequeModule
import struct Synchronization.Atomic

/// Where shadow work waits and runs, so that no caller does: a bounded queue, and a few workers.
public final class ShadowLane: Sendable {
    private struct State {
        var waiting: Deque<@Sendable () async -> Void> = []
        var workers = 0
        var idle: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    /// Changed under the lock, and read without it: a call that finds no place must not wait for those that work.
    private let isFull = Atomic<Bool>(false)
    private let droppedJobs = Atomic<Int>(0)
    private let capacity: Int
    private let width: Int
    private let executor: (any TaskExecutor)?

    /// - Parameters:
    ///   - capacity: how many jobs wait at the most; what comes then is dropped, and counted.
    ///   - width: how many run at a time.
    public init(capacity: Int = 64, width: Int = 2, executor: (any TaskExecutor)? = nil) {
        self.capacity = max(0, capacity)
        self.width = max(1, width)
        self.executor = executor
    }

    /// How many jobs found no place.
    public var dropped: Int { droppedJobs.load(ordering: .relaxed) }

    /// Returns when nothing waits or runs.
    public func drained() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.workers == 0 { return true }
                state.idle.append(continuation)
                return false
            }
            if isIdle { continuation.resume() }
        }
    }

    /// Whether a job would find a place now; where there is none, one is counted as dropped, and need not even be made.
    func hasPlace() -> Bool {
        guard isFull.load(ordering: .relaxed) else { return true }
        droppedJobs.wrappingAdd(1, ordering: .relaxed)
        return false
    }

    /// - Returns: whether there was a place.
    func submit(_ job: @escaping @Sendable () async -> Void) -> Bool {
        let (isTaken, needsWorker) = state.withLock { state in
            guard hasPlace(state) else { return (false, false) }
            defer { isFull.store(!hasPlace(state), ordering: .relaxed) }
            state.waiting.append(job)
            guard state.workers < width else { return (true, false) }
            state.workers += 1
            return (true, true)
        }
        if !isTaken { droppedJobs.wrappingAdd(1, ordering: .relaxed) }
        if needsWorker { Task(executorPreference: executor) { await self.work() } }
        return isTaken
    }

    private func work() async {
        while let job = next() { await job() }
    }

    /// Nil ends the worker that asks.
    private func next() -> (@Sendable () async -> Void)? {
        let (job, idle) = state.withLock {
            state -> ((@Sendable () async -> Void)?, [CheckedContinuation<Void, Never>]) in
            defer { isFull.store(!hasPlace(state), ordering: .relaxed) }
            if let job = state.waiting.popFirst() { return (job, []) }
            state.workers -= 1
            guard state.workers == 0 else { return (nil, []) }
            defer { state.idle = [] }
            return (nil, state.idle)
        }
        for waiter in idle { waiter.resume() }
        return job
    }

    private func hasPlace(_ state: State) -> Bool { state.workers < width || state.waiting.count < capacity }
}
