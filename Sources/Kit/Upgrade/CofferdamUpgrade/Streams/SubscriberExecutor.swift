import Cofferdam

/// Runs the task that asks a side for elements: on the subscriber's own thread as long as an element is ready, and
/// otherwise where `executor` runs it.
final class SubscriberExecutor: TaskExecutor {
    private struct State {
        /// Whether the next job is for the subscriber's thread.
        var isAwaited = false
        var job: UnownedJob?
    }

    private let state = Mutex(State())
    private let executor: (any TaskExecutor)?

    init(_ executor: (any TaskExecutor)?) { self.executor = executor }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isAwaited = state.withLock { state in
            guard state.isAwaited else { return false }
            state = State(job: job)
            return true
        }
        guard !isAwaited else { return }
        Task.detached(executorPreference: executor, priority: TaskPriority(job.priority)) {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }

    /// Runs the task on this thread until it waits.
    ///
    /// - Parameter resume: resumes the task, unless it has not waited yet and so goes on where it is.
    func runHere(_ resume: () -> Void) {
        state.withLock { $0.isAwaited = true }
        resume()
        let job = state.withLock { state in
            defer { state = State() }
            return state.job
        }
        job?.runSynchronously(on: asUnownedTaskExecutor())
    }
}
