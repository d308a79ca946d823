import CLibcurl
import Logging

/// Drives libcurl's multi handle on a thread of its own: everything of libcurl happens here but the wake-up.
final class TransferLoop {
    private let multi: UnsafeMutableRawPointer
    private let mailbox: LoopMailbox
    private let configuration: CurlConfiguration
    private let logger: Logger?
    private let clock = LoopClock()
    private var active: [TransferID: EasyHandle] = [:]
    /// Last in, first out: the last used is the one in the processor's cache.
    private var idle: [EasyHandle] = []
    /// Results whose callers are resumed once libcurl has been left.
    private var completed: [(transfer: Transfer, error: (any Error)?)] = []
    /// No deadline lies before this; found anew only when it has come.
    private var nextCheck: ContinuousClock.Instant?

    /// `nil` when libcurl cannot be initialised.
    init?(mailbox: LoopMailbox, configuration: CurlConfiguration, logger: Logger?) {
        guard GlobalInitialisation.result == CURLE_OK, let multi = curl_multi_init() else { return nil }
        self.multi = multi
        self.mailbox = mailbox
        self.configuration = configuration
        self.logger = logger
    }

    /// The thread's whole life.
    static func run(mailbox: LoopMailbox, configuration: CurlConfiguration, logger: Logger?) {
        if let loop = TransferLoop(mailbox: mailbox, configuration: configuration, logger: logger) {
            mailbox.attach(multi: loop.multi)
            let reason = loop.turn()
            loop.end(reason)
        } else {
            let error = CurlError(.unknown, "libcurl could not be initialised", wasSent: false)
            for command in mailbox.detach() { Self.refuse(command, error) }
        }
        mailbox.announceEnd()
    }

    // MARK: The loop

    /// - Returns: why there is no further turn.
    private func turn() -> CurlError {
        while true {
            let (commands, ending) = mailbox.take()
            clock.now = .now
            for command in commands { handle(command) }
            if ending == .now { return CurlClient.closed }

            var running: Int32 = 0
            let performed = curl_multi_perform(multi, &running)
            guard performed == CURLM_OK else { return broken("perform", performed) }
            reap()
            expire()
            resumeCallers()
            if ending == .whenIdle, active.isEmpty { return CurlClient.closed }

            guard mailbox.fallAsleep(unlessEnding: ending) else { continue }
            let polled = curl_multi_poll(multi, nil, 0, pollTimeout, nil)
            guard polled == CURLM_OK else { return broken("poll", polled) }
        }
    }

    private func handle(_ command: LoopMailbox.Command) {
        switch command {
        case .start(let submission): start(submission)
        case .cancel(let id):
            if let handle = active[id] { finish(handle, CancellationError()) }
        case .unpause(let id):
            guard let handle = active[id], let transfer = handle.transfer else { return }
            transfer.unpause()
            schedule(transfer)
            // Calls the write callback with what libcurl has kept.
            curl_easy_pause(handle.raw, CURLPAUSE_CONT)
        case .census(let continuation):
            continuation.resume(
                returning: LoopCensus(transfersInFlight: active.count, idleHandles: idle.count)
            )
        }
    }

    private func start(_ submission: Submission) {
        let stream: StreamBuffer? =
            if case .stream = submission.waiter {
                StreamBuffer(limit: configuration.streamBufferSize, mailbox: mailbox, id: submission.id)
            } else {
                nil
            }
        let transfer = Transfer(submission, limits: configuration, clock: clock, stream: stream)
        guard let handle = idle.popLast() ?? EasyHandle(configuration: configuration),
            handle.prepare(for: transfer), curl_multi_add_handle(multi, handle.raw) == CURLM_OK
        else {
            completed.append((transfer, CurlError(.unknown, "libcurl refused the request", wasSent: false)))
            return
        }
        active[submission.id] = handle
        schedule(transfer)
    }

    /// Takes what libcurl has finished.
    private func reap() {
        var remaining: Int32 = 0
        while let message = curl_multi_info_read(multi, &remaining) {
            guard message.pointee.msg == CURLMSG_DONE, let raw = message.pointee.easy_handle,
                let handle = EasyHandle.of(raw), let transfer = handle.transfer
            else { continue }
            let result = cofferdam_message_result(message)
            let error: CurlError? =
                transfer.failure
                ?? (result == CURLE_OK
                    ? nil : CurlError(result, detail: handle.errorDetail, wasSent: transfer.wasSent))
            finish(handle, error)
        }
    }

    /// Takes a transfer out of libcurl, which closes its connection when the reply is not complete.
    private func finish(_ handle: EasyHandle, _ error: (any Error)?) {
        guard let transfer = handle.transfer else { return }
        active[transfer.submission.id] = nil
        let removed = curl_multi_remove_handle(multi, handle.raw)
        handle.recycle()
        if removed == CURLM_OK, idle.count < configuration.maximumIdleHandles { idle.append(handle) }
        completed.append((transfer, error))
        if let error { log(transfer, error) }
    }

    private func resumeCallers() {
        for transfer in clock.takeTouched() {
            transfer.deliver()
            // The head's deadline may have given way to an earlier one.
            schedule(transfer)
        }
        let results = completed
        completed = []
        for result in results { result.transfer.complete(throwing: result.error) }
    }

    // MARK: Deadlines

    private func schedule(_ transfer: Transfer) {
        guard let deadline = transfer.deadline else { return }
        nextCheck = nextCheck.map { min($0, deadline) } ?? deadline
    }

    private func expire() {
        guard let check = nextCheck, check <= clock.now else { return }
        nextCheck = nil
        for handle in Array(active.values) {
            guard let transfer = handle.transfer else { continue }
            if let timeout = transfer.timeout(at: clock.now) {
                finish(handle, timeout)
            } else {
                schedule(transfer)
            }
        }
    }

    private var pollTimeout: Int32 {
        guard let nextCheck else { return 60_000 }
        let left = ContinuousClock.now.duration(to: nextCheck)
        return left <= .zero ? 0 : Int32(clamping: min(left.wholeMilliseconds, 60_000))
    }

    // MARK: The end

    private func end(_ reason: CurlError) {
        let commands = mailbox.detach()
        for handle in Array(active.values) {
            var error = reason
            error.wasSent = handle.transfer?.wasSent
            finish(handle, error)
        }
        idle = []
        curl_multi_cleanup(multi)
        resumeCallers()
        for command in commands { Self.refuse(command, reason) }
    }

    private static func refuse(_ command: LoopMailbox.Command, _ error: CurlError) {
        var error = error
        error.wasSent = false
        switch command {
        case .start(let submission): submission.waiter.fail(error)
        case .census(let continuation): continuation.resume(returning: LoopCensus())
        case .cancel, .unpause: break
        }
    }

    private func broken(_ what: String, _ code: CURLMcode) -> CurlError {
        let message = "libcurl's loop ended at \(what): \(String(cString: curl_multi_strerror(code)))"
        logger?.error("\(message)")
        return CurlError(.unknown, message)
    }

    private func log(_ transfer: Transfer, _ error: any Error) {
        let request = transfer.submission.request
        logger?.debug("\(request.method) \(request.authority) ended: \(error)")
    }
}
