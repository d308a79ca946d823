import Cofferdam
import DequeModule

/// Where shadow work waits and runs, so that no caller does: a bounded queue, and a few workers.
public final class ShadowLane: Sendable {
    private struct State {
        var waiting: Deque<@Sendable () async -> Void> = []
        var workers = 0
        var dropped = 0
        var idle: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
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
    public var dropped: Int { state.withLock { $0.dropped } }

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
        state.withLock { state in
            if state.workers < width || state.waiting.count < capacity { return true }
            state.dropped += 1
            return false
        }
    }

    /// - Returns: whether there was a place.
    func submit(_ job: @escaping @Sendable () async -> Void) -> Bool {
        let (isTaken, needsWorker) = state.withLock { state in
            if state.workers < width {
                state.workers += 1
                state.waiting.append(job)
                return (true, true)
            }
            guard state.waiting.count < capacity else {
                state.dropped += 1
                return (false, false)
            }
            state.waiting.append(job)
            return (true, false)
        }
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
            if let job = state.waiting.popFirst() { return (job, []) }
            state.workers -= 1
            guard state.workers == 0 else { return (nil, []) }
            defer { state.idle = [] }
            return (nil, state.idle)
        }
        for waiter in idle { waiter.resume() }
        return job
    }
}
