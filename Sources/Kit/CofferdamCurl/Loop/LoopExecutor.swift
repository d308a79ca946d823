/// Runs tasks on a client's loop thread: no change of thread from the caller to the loop and back.
///
/// Work that computes for long, or blocks, holds up all of the client's requests. After the client's end the jobs run on
/// the global executor.
final class LoopExecutor: TaskExecutor {
    private let mailbox: LoopMailbox

    init(_ mailbox: LoopMailbox) { self.mailbox = mailbox }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if !mailbox.post(job) { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
    }

    /// Runs jobs on the loop thread.
    func run(_ jobs: [UnownedJob]) {
        let executor = asUnownedTaskExecutor()
        for job in jobs { job.runSynchronously(on: executor) }
    }
}
