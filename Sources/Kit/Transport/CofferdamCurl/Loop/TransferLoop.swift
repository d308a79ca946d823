#if Curl
import CLibcurl
import Logging

/// Drives libcurl's multi handle on a dedicated thread: apart from the wake-up, libcurl is only called here.
final class TransferLoop {
    private let multi: UnsafeMutableRawPointer
    private let poll: LoopPoll
    private let mailbox: LoopMailbox
    private let executor: LoopExecutor
    private let handles: HandlePool
    private let pool: BlockPool
    private let logger: Logger?
    private let clock: LoopClock
    private var active: [Transfer] = []
    private let maximumIdleConnections: Int
    /// The number of active transfers for which libcurl's limit of connections was set.
    private var limitedFor: Int?
    /// Whether libcurl must look at all of its transfers; a cancellation does not require it.
    private var hasWork = true
    private var batch = LoopMailbox.Batch()
    /// Transfers whose callers have cancelled and no longer wait: closing their connections must not delay others.
    private var cancelled: [Transfer] = []
    /// Results whose callers are resumed after the call into libcurl.
    private var completed: [CompletedTransfer] = []

    /// Creates a loop; `nil` when libcurl cannot be initialised.
    private init?(_ client: LoopContext) {
        guard GlobalInitialisation.result == CURLE_OK, let multi = curl_multi_init() else { return nil }
        guard let poll = LoopPoll(multi: multi) else {
            curl_multi_cleanup(multi)
            return nil
        }
        self.multi = multi
        self.poll = poll
        mailbox = client.mailbox
        executor = client.executor
        pool = client.pool
        logger = client.logger
        clock = LoopClock()
        handles = HandlePool(client.configuration, clock: clock)
        if let maximum = client.configuration.maximumConnectionsPerHost {
            _ = cofferdam_multi_setopt_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, max(1, maximum))
        }
        maximumIdleConnections = min(max(0, client.configuration.maximumIdleConnections), 1 << 20)
    }

    /// Runs the loop from start to end, as the thread's body.
    static func run(_ client: LoopContext) {
        #if canImport(Glibc)
        KeptBlocks.useOnThread()
        #endif
        if let loop = TransferLoop(client) {
            client.mailbox.attach(loop.poll.waker)
            let reason = loop.turn()
            loop.end(reason)
        } else {
            refuseAll(of: client, CurlError(.unknown, "libcurl could not be initialised", wasSent: false))
        }
        client.mailbox.announceEnd()
    }

    /// Refuses all requests of a client that has no loop.
    static func refuseAll(of client: LoopContext, _ error: CurlError) {
        var batch = LoopMailbox.Batch()
        client.mailbox.detach(&batch)
        for command in batch.commands { refuse(command, error) }
        for job in batch.jobs { client.executor.enqueue(ExecutorJob(job)) }
    }

    // MARK: The loop

    /// - Returns: the reason the loop stops.
    private func turn() -> CurlError {
        /// Whether the last turn's bytes still wait for more, so that a fast stream wakes its consumer half as often.
        var isHolding = false
        while true {
            let ending = takeCommands()
            if ending == .now { return CurlError.shutDown }
            resumeCallers()
            releaseCancelled()

            if hasWork {
                hasWork = false
                if limitedFor != active.count { limitConnections() }
                var running: Int32 = 0
                let performed = curl_multi_perform(multi, &running)
                guard performed == CURLM_OK else { return broken("perform", performed) }
                reap()
            }
            expire()
            resumeCallers()
            if !isHolding, clock.expectsMore {
                let (polled, ready) = poll.wait(milliseconds: 0)
                guard polled == CURLM_OK else { return broken("poll", polled) }
                isHolding = ready ?? 0 > 0
                if isHolding {
                    hasWork = true
                    continue
                }
            }
            isHolding = false
            for transfer in clock.takeTouched() { transfer.deliver() }
            if ending != .none, active.isEmpty, mailbox.fallAsleep(unlessEnding: ending) { return CurlError.shutDown }
            if case .by(let deadline) = ending {
                guard clock.now < deadline else { return CurlError.shutDown }
                clock.watch(deadline)
            }

            guard !cancelled.isEmpty || mailbox.fallAsleep(unlessEnding: ending) else {
                // Since the sockets were not polled, libcurl has to check them itself.
                hasWork = true
                continue
            }
            let (polled, ready) = poll.wait(milliseconds: cancelled.isEmpty ? clock.sleep : 0)
            guard polled == CURLM_OK else { return broken("poll", polled) }
            if ready != nil { hasWork = true }
        }
    }

    /// Sets how many connections libcurl keeps. It counts those in use too, and while there are more, each transfer that
    /// ends closes the one that is idle for the longest.
    private func limitConnections() {
        limitedFor = active.count
        // The transfer that ends is active, and its connection becomes idle. 0 would mean libcurl's default.
        let maximum = max(1, maximumIdleConnections + active.count - 1)
        _ = cofferdam_multi_setopt_long(multi, CURLMOPT_MAXCONNECTS, maximum)
    }

    /// Executes the commands and runs the jobs, which may post more.
    private func takeCommands() -> LoopEnding {
        var rounds = 0
        while true {
            let ending = mailbox.take(&batch)
            clock.read()
            for command in batch.commands { handle(command) }
            batch.commands.removeAll(keepingCapacity: true)
            guard !batch.jobs.isEmpty else { return ending }
            executor.run(batch.jobs)
            batch.jobs.removeAll(keepingCapacity: true)
            rounds += 1
            // Jobs that keep posting jobs must not starve libcurl.
            if rounds == 16 { return ending }
        }
    }

    private func handle(_ command: LoopMailbox.Command) {
        switch command {
        case .start(let transfer): start(transfer)
        case .cancel(let transfer): cancelled.append(transfer)
        case .resume(let transfer):
            guard let handle = transfer.handle else { return }
            transfer.resume(clock)
            // Calls the write callback with the bytes libcurl has buffered.
            curl_easy_pause(handle.raw, CURLPAUSE_CONT)
            hasWork = true
        case .census(let continuation):
            releaseCancelled(all: true)
            var census = LoopCensus(transfersInFlight: active.count, idleHandles: handles.idleCount)
            census.keptMemory = pool.keptBytes
            continuation.resume(returning: census)
        }
    }

    private func start(_ transfer: Transfer) {
        guard let handle = handles.take(for: HandleUse(transfer)), handle.prepare(for: transfer),
            curl_multi_add_handle(multi, handle.raw) == CURLM_OK
        else {
            transfer.handle?.recycle()
            let error = CurlError(.unknown, "libcurl refused the request", wasSent: false)
            completed.append(CompletedTransfer(transfer: transfer, error: error))
            return
        }
        hasWork = true
        transfer.index = active.count
        active.append(transfer)
        clock.watch(transfer.deadlines.next)
    }

    /// Collects the transfers that libcurl has finished.
    private func reap() {
        var remaining: Int32 = 0
        while let message = curl_multi_info_read(multi, &remaining) {
            guard message.pointee.msg == CURLMSG_DONE, let raw = message.pointee.easy_handle,
                let handle = EasyHandle.of(raw), let transfer = handle.transfer
            else { continue }
            let result = cofferdam_message_result(message)
            let error = transfer.failure ?? handle.error(of: result)
            if !handle.maySendAgain(after: error) || !sendAgain(transfer, handle) { finish(transfer, error) }
        }
    }

    /// Starts a transfer from its beginning, on another connection.
    private func sendAgain(_ transfer: Transfer, _ handle: EasyHandle) -> Bool {
        guard curl_multi_remove_handle(multi, handle.raw) == CURLM_OK, transfer.rewindUpload(),
            curl_multi_add_handle(multi, handle.raw) == CURLM_OK
        else { return false }
        hasWork = true
        return true
    }

    /// Removes a transfer from libcurl, which closes its connection if the reply is not complete.
    private func finish(_ transfer: Transfer, _ error: (any Error)?) {
        guard let handle = transfer.handle else { return }
        let last = active.count - 1
        active[last].index = transfer.index
        active.swapAt(transfer.index, last)
        active.removeLast()
        let removed = curl_multi_remove_handle(multi, handle.raw)
        handle.recycle()
        if removed == CURLM_OK { handles.give(handle, for: HandleUse(transfer)) }
        completed.append(CompletedTransfer(transfer: transfer, error: error))
    }

    private func releaseCancelled(all: Bool = false) {
        for _ in 0..<(all ? cancelled.count : min(cancelled.count, 16)) {
            if let transfer = cancelled.popLast() { finish(transfer, CancellationError()) }
        }
    }

    private func resumeCallers() {
        // Completed first, so that the caller of a short body gets all of it at once.
        if completed.count > 1 { handOver() }
        for result in completed { result.transfer.complete(throwing: result.error) }
        completed.removeAll(keepingCapacity: true)
    }

    /// Has one task resume the callers on other threads: each resumption from this thread can cost the system call that
    /// wakes another.
    private func handOver() {
        let others = completed.partition { !$0.transfer.completesOnLoop }
        let handedOver = Array(completed[others...])
        guard handedOver.count > 1 else { return }
        completed.removeSubrange(others...)
        Task.detached(priority: handedOver.lazy.map(\.transfer.priority).max()) {
            for result in handedOver { result.transfer.complete(throwing: result.error) }
        }
    }

    private func expire() {
        guard clock.isCheckDue() else { return }
        for transfer in active.reversed() {
            if let timeout = transfer.timeout(at: clock.now) {
                finish(transfer, timeout)
            } else {
                clock.watch(transfer.deadlines.next)
            }
        }
    }

    // MARK: Shutdown

    private func end(_ reason: CurlError) {
        mailbox.detach(&batch)
        for transfer in active.reversed() {
            var error = reason
            error.wasSent = transfer.wasSent
            finish(transfer, error)
        }
        handles.removeAll()
        curl_multi_cleanup(multi)
        resumeCallers()
        for transfer in clock.takeTouched() { transfer.deliver() }
        for command in batch.commands { Self.refuse(command, reason) }
        for job in batch.jobs { executor.enqueue(ExecutorJob(job)) }
    }

    private static func refuse(_ command: LoopMailbox.Command, _ error: CurlError) {
        var error = error
        error.wasSent = false
        switch command {
        case .start(let transfer): transfer.complete(throwing: error)
        case .census(let continuation): continuation.resume(returning: LoopCensus())
        case .cancel, .resume: break
        }
    }

    private func broken(_ what: String, _ code: CURLMcode) -> CurlError {
        let message = "libcurl's loop ended at \(what): \(String(cString: curl_multi_strerror(code)))"
        logger?.error("\(message)")
        return CurlError(.unknown, message)
    }
}

private struct CompletedTransfer: Sendable {
    let transfer: Transfer
    let error: (any Error)?
}

/// State that a loop shares with its client.
final class LoopContext: Sendable {
    let configuration: CurlConfiguration
    let mailbox = LoopMailbox()
    let executor: LoopExecutor
    /// The limits of the configuration's default options.
    let limits: TransferLimits
    let pool: BlockPool
    let logger: Logger?

    init(_ configuration: CurlConfiguration, logger: Logger?) {
        self.configuration = configuration
        executor = LoopExecutor(mailbox)
        limits = TransferLimits(configuration.options)
        pool = BlockPool(maximumKeptBytes: configuration.maximumKeptMemory)
        self.logger = logger
    }
}
#endif
