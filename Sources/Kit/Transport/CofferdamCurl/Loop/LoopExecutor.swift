#if Curl
/// Runs tasks on a client's loop thread, which saves the switch from the caller's thread to the loop and back.
///
/// Work that blocks or computes for long delays all of the client's requests. Once the client has ended, jobs run on
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
#endif
