import Cofferdam

/// Keeps its jobs until it is told which one to run: what tasks do becomes a choice of the test.
final class HandExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    var count: Int { jobs.withLock { $0.count } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    func run(_ index: Int) {
        let job = jobs.withLock { $0.remove(at: index) }
        job.runSynchronously(on: asUnownedTaskExecutor())
    }

    func drain(newestFirst: Bool = false) {
        while count > 0 { run(newestFirst ? count - 1 : 0) }
    }

    @discardableResult
    func task(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: self, operation: body)
    }
}
