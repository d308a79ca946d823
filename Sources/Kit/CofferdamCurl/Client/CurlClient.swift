public import HTTPTypes  // requests are HTTPRequest
public import Logging  // takes a Logger

/// An HTTP client on libcurl: one loop thread, pooled handles, kept-alive connections.
///
/// Redirects are returned, not followed. A request is never sent twice by itself, except one that was lost on a reused
/// connection without any answer and is a GET, HEAD or OPTIONS or carries an `Idempotency-Key`.
///
/// A client that is dropped ends its thread when what is in flight has ended; ``shutdown()`` ends it at once.
public final class CurlClient: Sendable {
    private let configuration: CurlConfiguration
    private let mailbox: LoopMailbox

    /// - Parameter logger: gets each failed request's method, host and error at `debug`: never path, header or body.
    public init(configuration: CurlConfiguration = .init(), logger: Logger? = nil) {
        self.configuration = configuration
        let mailbox = LoopMailbox()
        self.mailbox = mailbox
        let hasStarted = LoopThread.start {
            TransferLoop.run(mailbox: mailbox, configuration: configuration, logger: logger)
        }
        guard !hasStarted else { return }
        logger?.error("libcurl's loop thread could not be started")
        _ = mailbox.detach()
        mailbox.announceEnd()
    }

    deinit { mailbox.end(.whenIdle) }

    /// The whole reply, whatever its status; its body is bounded by the configuration.
    ///
    /// - Throws: ``CurlError``; `CancellationError` when the task is cancelled, after libcurl has let go of the request.
    public func send(_ request: HTTPRequest, body: [UInt8] = []) async throws -> CurlReply {
        try await submit(request, body: body) { .whole($0) }
    }

    /// The reply's head as soon as it has arrived, with its body to be pulled.
    ///
    /// Cancelling the task that consumes the body, or dropping the body, ends the transfer. It has no time-out as a whole.
    ///
    /// - Throws: ``CurlError``; `CancellationError` when the task is cancelled, after libcurl has let go of the request.
    public func stream(_ request: HTTPRequest, body: [UInt8] = []) async throws -> CurlStream {
        try await submit(request, body: body) { .stream($0) }
    }

    /// Cancels what is in flight with `closed`, and returns when the loop thread is done. Calls after it throw `closed`.
    public func shutdown() async {
        mailbox.end(.now)
        await mailbox.waitForEnd()
    }

    /// What the loop holds now, after all that was asked of it before.
    package func census() async -> LoopCensus {
        await withCheckedContinuation { continuation in
            if !mailbox.post(.census(continuation)) { continuation.resume(returning: LoopCensus()) }
        }
    }

    static var closed: CurlError { CurlError(.closed, "the client was shut down", wasSent: false) }

    private func submit<Reply>(
        _ request: HTTPRequest,
        body: [UInt8],
        waiter: (CheckedContinuation<Reply, any Error>) -> Submission.Waiter
    ) async throws -> Reply {
        try Task.checkCancellation()
        let prepared = try PreparedRequest(request, body: body, userAgent: configuration.userAgent)
        let mailbox = mailbox
        let id = mailbox.makeID()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let waiter = waiter(continuation)
                let submission = Submission(id: id, request: prepared, waiter: waiter, submitted: .now)
                // Until then the client must live: its end would make the loop refuse the request.
                let isAccepted = withExtendedLifetime(self) { mailbox.post(.start(submission)) }
                if !isAccepted { waiter.fail(Self.closed) }
                // A cancellation that came before the start found nothing to cancel.
                if Task.isCancelled { mailbox.post(.cancel(id)) }
            }
        } onCancel: {
            mailbox.post(.cancel(id))
        }
    }
}
