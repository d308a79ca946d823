#if Curl
import Cofferdam
import CofferdamSupport
public import HTTPTypes  // requests are HTTPRequest
import Logging

/// An HTTP client on libcurl: one loop thread, pooled handles, kept-alive connections.
///
/// By default a request is sent once, with one exception: a GET, HEAD or OPTIONS, or any request with an
/// `Idempotency-Key` that is not empty, is sent again if its reused connection was lost before any part of the reply
/// arrived.
///
/// A client that is released ends its thread once the requests in flight have finished; ``shutdown(within:)`` waits for
/// that.
public final class CurlClient: Sendable {
    private let loop: LoopContext
    private let thread: LoopThread?
    private let observer: RequestObserver?
    /// The error in the configuration, with which every request is refused.
    private let misconfiguration: CurlError?

    /// Creates a client with its own connections.
    public init(configuration: CurlConfiguration = .init(), observability: CurlObservability = .none) {
        let loop = LoopContext(configuration, logger: observability.logger)
        self.loop = loop
        observer = RequestObserver(observability)
        misconfiguration = configuration.mistake
        thread = LoopThread { TransferLoop.run(loop) }
        guard thread == nil else { return }
        observability.logger?.error("libcurl's loop thread could not be started")
        TransferLoop.refuseAll(of: loop, CurlError.shutDown)
        loop.mailbox.announceEnd()
    }

    deinit { loop.mailbox.end(.whenIdle) }

    /// The options of requests that pass none.
    public var options: CurlOptions { loop.configuration.options }

    /// Runs tasks on the loop's own thread. With `withTaskExecutorPreference`, it saves tasks that do little between
    /// requests the switch between threads. Long work there delays every request of the client.
    public var executor: any TaskExecutor { loop.executor }

    // MARK: Requests

    /// Sends a request and returns the whole reply, whatever its status. The options limit the body's size.
    ///
    /// - Throws: ``CurlError``; `CancellationError` as soon as the task is cancelled, even if the client has not
    ///   released the request yet; any error that the sequence of a streamed request body throws.
    public func send(
        _ request: HTTPRequest,
        body: CurlRequestBody = .empty,
        options: CurlOptions? = nil
    ) async throws -> CurlReply {
        let limits = options.map { TransferLimits($0) } ?? loop.limits
        let now = LoopTime.now
        let deadline = limits.whole.map { now.after($0) }
        if observer == nil, limits.isPlain { return try await sendOnce(request, body, limits, deadline) }
        let exchange = Exchange(limits, body: body, observer: observer, configuration: loop.configuration)
        return try await exchange.run(request) { request, body, _ in
            try await self.sendOnce(request, body, limits, deadline)
        }
    }

    /// Sends a request and returns as soon as the reply's head has arrived; the consumer pulls the body.
    ///
    /// Cancelling the task that consumes the body, or releasing the body, ends the transfer. Once the head has arrived,
    /// only `timeouts.idle` limits the transfer, which is nil by default, and nothing its size.
    ///
    /// - Throws: the same errors as ``send(_:body:options:)``.
    public func stream(
        _ request: HTTPRequest,
        body: CurlRequestBody = .empty,
        options: CurlOptions? = nil
    ) async throws -> CurlStream {
        let limits = options.map { TransferLimits($0) } ?? loop.limits
        if observer == nil, limits.isPlain { return try await streamOnce(request, body, limits) }
        let exchange = Exchange(limits, body: body, observer: observer, configuration: loop.configuration)
        return try await exchange.run(request) { request, body, _ in
            try await self.streamOnce(request, body, limits)
        }
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
                transfer.cancel()
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
        let body = try await stream.body.collect(upTo: limits.maximumBodySize) { () throws(CurlError) in
            if let deadline, deadline <= .now { throw limits.timeout(.whole, of: transfer.request, wasSent: true) }
        }
        return CurlReply(head: stream.head, body: body, httpVersion: stream.httpVersion)
    }

    func streamOnce(
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
            transfer.cancel()
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
            decompresses: limits.decompresses,
            userAgent: loop.configuration.userAgent
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
        // Keeps the client alive until then: its deinitialiser would make the loop refuse the request.
        let isAccepted = withExtendedLifetime(self) { loop.mailbox.post(.start(transfer)) }
        if !isAccepted { transfer.complete(throwing: CurlError.shutDown) }
        // A cancellation before the start found nothing to cancel.
        if Task.isCancelled { transfer.cancel() }
    }

    // MARK: Shutdown

    /// Shuts the client down: refuses new requests, gives those in flight `grace` to finish, cancels the rest with
    /// `closed`, and returns once the loop's thread, connections and memory are released. Later requests throw
    /// `closed`.
    public func shutdown(within grace: Duration = .zero) async {
        loop.mailbox.end(grace > .zero ? .by(LoopTime.now.after(grace.wholeNanoseconds)) : .now)
        await loop.mailbox.waitForEnd()
        thread?.join()
    }

    /// Returns the loop's resources once it has executed all commands so far.
    package func census() async -> LoopCensus {
        await withCheckedContinuation { continuation in
            if !loop.mailbox.post(.census(continuation)) { continuation.resume(returning: LoopCensus()) }
        }
    }
}

extension CurlClient {
    /// Downloads the body of a successful reply to a file, atomically: the bytes go to another file beside it,
    /// which replaces the destination once the body is complete. Until then an existing file stays as it is.
    ///
    /// A download that was cut goes on where it was: within this call as often as the options' retry policy says, and
    /// in a later call for the same address and destination, also by another run of the program. For that the received
    /// part stays beside the destination, as a hidden file with a note, if the call fails or is cancelled. It needs a
    /// plain GET, a reply without a content coding, and a strong validator: an `ETag`, or a `Last-Modified` that is older
    /// than the reply's `Date` (RFC 9110, section 13.1.5). If the body has changed since, or the server does not give
    /// ranges, it begins anew, and so it does if a redirect leads to another address than the part's. Without a validator
    /// nothing stays. After a crash of the system, and on systems other than Linux of the program too, up to 16 MB are
    /// loaded again. Two downloads at once to one destination share nothing.
    ///
    /// A body that stalls for the options' idle time-out, or for 60 seconds if they set none, ends the request. Their
    /// `timeouts.whole` and `maximumBodySize` do not apply to a body that goes to the file.
    ///
    /// - Parameter limit: the largest body, in bytes, counted after decompression; `nil` for no limit.
    /// - Returns: the reply. If its status is 2xx, the whole body is in the file; otherwise the reply holds the body and no
    ///   file is touched.
    /// - Throws: the same errors as ``send(_:body:options:)``; `file` if the file cannot be written, `tooLarge` above
    ///   the limit, `protocol` if the server gives another part than the one asked for.
    @concurrent public func download(
        _ request: HTTPRequest,
        to path: String,
        upTo limit: Int? = nil,
        body: CurlRequestBody = .empty,
        options: CurlOptions? = nil
    ) async throws -> CurlReply {
        var options = options ?? self.options
        options.timeouts.idle = options.timeouts.idle ?? .seconds(60)
        let redirects = options.redirects.using(loop.configuration.tls)
        // Each attempt follows them from the start, because a part belongs to the address that gave it.
        options.redirects = .returned
        let limits = TransferLimits(options)
        let exchange = Exchange(limits, body: body, observer: observer, configuration: loop.configuration)
        let result: DownloadResult = try await exchange.run(request) { request, body, observation in
            let download = Download(
                client: self,
                path: path,
                limit: limit ?? .max,
                body: body,
                limits: limits,
                redirects: redirects,
                observation: observation
            )
            return try await download.run(request)
        }
        return result.reply
    }
}
#endif
