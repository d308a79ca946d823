import Cofferdam
public import HTTPTypes  // requests are HTTPRequest
import Logging

/// An HTTP client on libcurl: one loop thread, pooled handles, kept-alive connections.
///
/// Unless its options say so, a request is never sent twice, except one that was lost on a reused connection without any
/// answer and is a GET, HEAD or OPTIONS or carries an `Idempotency-Key`.
///
/// A client that is dropped ends its thread when what is in flight has ended; ``shutdown(within:)`` waits for that.
public final class CurlClient: Sendable {
    private let loop: LoopContext
    private let thread: LoopThread?
    private let observer: RequestObserver?
    /// What is wrong with the configuration: every request is refused with it.
    private let misconfiguration: CurlError?

    public init(configuration: CurlConfiguration = .init(), observability: CurlObservability = .none) {
        let mailbox = LoopMailbox()
        let loop = LoopContext(
            configuration: configuration,
            mailbox: mailbox,
            executor: LoopExecutor(mailbox),
            limits: TransferLimits(configuration.options),
            pool: BlockPool(maximumKeptBytes: configuration.maximumKeptMemory),
            logger: observability.logger
        )
        self.loop = loop
        observer = RequestObserver(observability)
        misconfiguration = configuration.mistake
        thread = LoopThread { TransferLoop.run(loop) }
        guard thread == nil else { return }
        observability.logger?.error("libcurl's loop thread could not be started")
        TransferLoop.refuseAll(of: loop, Self.closed)
        mailbox.announceEnd()
    }

    deinit { loop.mailbox.end(.whenIdle) }

    /// What requests that bring no options are sent with.
    public var options: CurlOptions { loop.configuration.options }

    /// The loop's own thread, for tasks that do little between one request and the next: `withTaskExecutorPreference`
    /// saves them the way from thread to thread. Work that takes long there holds up every request of the client.
    public var executor: any TaskExecutor { loop.executor }

    // MARK: Requests

    /// The whole reply, whatever its status; its body is bounded by the options.
    ///
    /// - Throws: ``CurlError``; `CancellationError` when the task is cancelled, after libcurl has let go of the request;
    ///   what the sequence of a streamed request body throws.
    public func send(
        _ request: HTTPRequest,
        body: CurlRequestBody = .empty,
        options: CurlOptions? = nil
    ) async throws -> CurlReply {
        let limits = options.map { TransferLimits($0) } ?? loop.limits
        let now = LoopTime.now
        let deadline = limits.whole.map { now.after($0) }
        if observer == nil, limits.isPlain { return try await sendOnce(request, body, limits, deadline) }
        let exchange = Exchange(limits, body: body, observer: observer, budget: loop.configuration.retryBudget)
        return try await exchange.run(request) { request, body in
            try await self.sendOnce(request, body, limits, deadline)
        }
    }

    /// The reply's head as soon as it has arrived, with its body to be pulled.
    ///
    /// Cancelling the task that consumes the body, or dropping the body, ends the transfer. It has no time-out as a whole.
    ///
    /// - Throws: as ``send(_:body:options:)``.
    public func stream(
        _ request: HTTPRequest,
        body: CurlRequestBody = .empty,
        options: CurlOptions? = nil
    ) async throws -> CurlStream {
        let limits = options.map { TransferLimits($0) } ?? loop.limits
        if observer == nil, limits.isPlain { return try await streamOnce(request, body, limits) }
        let exchange = Exchange(limits, body: body, observer: observer, budget: loop.configuration.retryBudget)
        return try await exchange.run(request) { request, body in try await self.streamOnce(request, body, limits) }
    }

    private func sendOnce(
        _ request: HTTPRequest,
        _ body: CurlRequestBody,
        _ limits: TransferLimits,
        _ deadline: LoopTime?
    ) async throws -> CurlReply {
        let transfer = try makeTransfer(request, body, limits, deadline: deadline, stream: nil)
        let reply: WholeReply
        do {
            defer { transfer.fence.acquire() }
            reply = try await withTaskCancellationHandler {
                try await withUnsafeThrowingContinuation { start(transfer, .whole($0)) }
            } onCancel: {
                loop.mailbox.post(.cancel(transfer))
            }
        }
        switch reply {
        case .complete(let reply): return reply
        case .coded(let stream): return try await decode(stream, of: transfer, limits, deadline)
        }
    }

    private func decode(
        _ stream: CurlStream,
        of transfer: Transfer,
        _ limits: TransferLimits,
        _ deadline: LoopTime?
    ) async throws -> CurlReply {
        do {
            let body = try await stream.body.collect(upTo: limits.maximumBodySize) { () throws(CurlError) in
                if let deadline, deadline <= .now { throw limits.timeout(.whole, of: transfer.request, wasSent: true) }
            }
            return CurlReply(head: stream.head, body: body, httpVersion: stream.httpVersion)
        } catch {
            // Until libcurl has let go of the request.
            _ = await census()
            throw error
        }
    }

    private func streamOnce(
        _ request: HTTPRequest,
        _ body: CurlRequestBody,
        _ limits: TransferLimits
    ) async throws -> CurlStream {
        let buffer = StreamBuffer(
            limit: loop.configuration.streamBufferSize,
            pool: loop.pool,
            mailbox: loop.mailbox
        )
        let transfer = try makeTransfer(request, body, limits, deadline: nil, stream: buffer)
        buffer.attach(transfer)
        defer { transfer.fence.acquire() }
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { start(transfer, .stream($0)) }
        } onCancel: {
            loop.mailbox.post(.cancel(transfer))
        }
    }

    private func makeTransfer(
        _ request: HTTPRequest,
        _ body: CurlRequestBody,
        _ limits: TransferLimits,
        deadline: LoopTime?,
        stream: StreamBuffer?
    ) throws -> Transfer {
        try Task.checkCancellation()
        if let misconfiguration { throw misconfiguration }
        let prepared = try PreparedRequest(
            request,
            body: body,
            version: limits.httpVersion,
            decompresses: limits.decompresses
        )
        let upload = UploadBuffer.of(prepared, executor: loop.configuration.executor, mailbox: loop.mailbox)
        let transfer = Transfer(
            prepared,
            limits: limits,
            deadline: deadline,
            upload: upload,
            stream: stream,
            loop: loop
        )
        upload?.attach(transfer)
        return transfer
    }

    private func start(_ transfer: Transfer, _ waiter: Transfer.Waiter) {
        transfer.attach(waiter)
        // Until then the client must live: its end would make the loop refuse the request.
        let isAccepted = withExtendedLifetime(self) { loop.mailbox.post(.start(transfer)) }
        if !isAccepted { transfer.complete(throwing: Self.closed) }
        // A cancellation that came before the start found nothing to cancel.
        if Task.isCancelled { loop.mailbox.post(.cancel(transfer)) }
    }

    // MARK: The end

    /// Takes no more requests, lets what is in flight end for that long, cancels the rest with `closed`, and returns when
    /// the loop's thread, connections and memory are given back. Calls after it throw `closed`.
    public func shutdown(within grace: Duration = .zero) async {
        loop.mailbox.end(grace > .zero ? .by(LoopTime.now.after(grace.wholeNanoseconds)) : .now)
        await loop.mailbox.waitForEnd()
        thread?.join()
    }

    /// What the loop holds now, after all that was asked of it before.
    package func census() async -> LoopCensus {
        await withCheckedContinuation { continuation in
            if !loop.mailbox.post(.census(continuation)) { continuation.resume(returning: LoopCensus()) }
        }
    }

    static var closed: CurlError { CurlError(.closed, "the client was shut down", wasSent: false) }
}
