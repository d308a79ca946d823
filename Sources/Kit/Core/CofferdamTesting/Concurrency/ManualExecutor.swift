import Cofferdam

/// A task executor that runs a job only when the test says so, so that the test chooses the order of concurrent work.
///
/// ```swift
/// let executor = ManualExecutor()
/// executor.task { await counter.increment() }
/// executor.task { await counter.increment() }
/// executor.drain(newestFirst: true)
/// ```
public final class ManualExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    /// An executor without jobs.
    public init() {}

    /// How many jobs are waiting.
    public var count: Int { jobs.withLock { $0.count } }

    /// Adds a job; the concurrency runtime calls this.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Runs one of the waiting jobs on the calling thread.
    ///
    /// - Parameter index: the job's position, from 0 for the oldest; less than ``count``.
    public func run(_ index: Int) {
        let job = jobs.withLock { $0.remove(at: index) }
        job.runSynchronously(on: asUnownedTaskExecutor())
    }

    /// Runs jobs, and those that they add, until none is left.
    public func drain(newestFirst: Bool = false) {
        while count > 0 { run(newestFirst ? count - 1 : 0) }
    }

    /// Starts a task whose jobs this executor runs.
    @discardableResult
    public func task(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: self, operation: body)
    }
}
