#if Curl
import Cofferdam
import CofferdamSupport

/// One request and its reply.
// Safe: the caller creates it; once it is posted to the loop, only the loop's thread touches its mutable state, except
// what a lock guards.
final class Transfer: @unchecked Sendable {
    enum Waiter: Sendable {
        // Unsafe continuations, because checked ones allocate. Each is resumed exactly once: `complete` is called once
        // for every transfer, by the loop or by the caller that could not post it, and the code that resumes the waiter
        // first removes it, under a lock.
        case whole(UnsafeContinuation<WholeReply, any Error>)
        case stream(UnsafeContinuation<CurlStream, any Error>)

        func resume(throwing error: any Error) {
            switch self {
            case .whole(let waiter): waiter.resume(throwing: error)
            case .stream(let waiter): waiter.resume(throwing: error)
            }
        }
    }

    private struct Caller {
        var waiter: Waiter?
        var hasCancelled = false
    }

    /// The result of the write callback.
    enum Acceptance { case taken, full, refused }

    let request: PreparedRequest
    let limits: TransferLimits
    let upload: UploadBuffer?
    /// Whether the caller consumes the body as it arrives.
    let isStream: Bool
    /// The buffer of a streamed body, or, from its first byte on, of a whole body that the caller decodes.
    private var stream: StreamBuffer?
    /// The caller's priority.
    let priority = Task.currentPriority
    /// Whether the caller runs on the loop's thread; set when the transfer is posted.
    var isCalledOnLoop = false
    /// libcurl's handle, from the transfer's start to its end.
    var handle: EasyHandle?
    /// The index among the active transfers.
    var index = 0
    /// The error that replaces the "write error" libcurl reports after the client refused something.
    private(set) var failure: (any Error)?
    private(set) var deadlines: TransferDeadlines
    /// How many bytes of a large body in memory libcurl has read.
    private var readCount = 0
    /// The reply's head.
    private(set) var reply: HeadParser.Known?
    /// Whether the caller decodes the body.
    private var isCoded = false
    /// The number of body bytes received, before decoding.
    private var received = 0

    let fence = SanitizerFence()
    private let loop: LoopContext
    private var body: BodyCollector
    private let caller = Mutex(Caller())
    private var progress: CurlProgress?
    private var reported: CurlProgress?
    private var lastReport: LoopTime

    init(
        _ request: PreparedRequest,
        limits: TransferLimits,
        deadline: LoopTime?,
        upload: UploadBuffer?,
        stream: StreamBuffer?,
        loop: LoopContext
    ) {
        self.request = request
        self.limits = limits
        let started = LoopTime.now
        lastReport = started
        self.upload = upload
        self.stream = stream
        isStream = stream != nil
        self.loop = loop
        body = BodyCollector(pool: loop.pool)
        deadlines = TransferDeadlines(limits, started: started, whole: deadline)
    }

    /// Sets the waiter, before the transfer is posted.
    func attach(_ waiter: Waiter) { caller.withLock { $0.waiter = waiter } }

    private func takeWaiter() -> Waiter? { caller.withLock { $0.waiter.take() } }

    /// Called by the cancelled caller, on any thread. The caller stops waiting at once, and the loop releases the
    /// request.
    func cancel() {
        let waiter = caller.withLock { caller in
            caller.hasCancelled = true
            return caller.waiter.take()
        }
        upload?.abandon()
        loop.mailbox.post(.cancel(self))
        fence.release()
        waiter?.resume(throwing: CancellationError())
    }

    var wasSent: Bool { deadlines.attempts > 0 }

    // MARK: Called by libcurl

    /// - Returns: whether the request may be sent on libcurl's current connection.
    func admitAttempt(_ clock: LoopClock) -> Bool {
        deadlines.connected(at: clock.now)
        clock.watch(deadlines.next)
        readCount = 0
        return deadlines.attempts == 1 || maySendAgain()
    }

    private func maySendAgain() -> Bool {
        guard !request.isSentAgain else { return true }
        let message = "the connection was lost before a reply; the request was not sent again"
        failure = CurlError(.connectionLost, message, wasSent: true)
        return false
    }

    /// - Returns: whether the body is sent again from its beginning, on another connection.
    func rewindUpload() -> Bool {
        guard !wasSent || maySendAgain() else { return false }
        return upload?.rewind(isReplayable: request.body.isReplayable) ?? true
    }

    func readUpload(into buffer: UnsafeMutableRawBufferPointer, _ clock: LoopClock) -> UploadBuffer.Reading {
        let reading = upload?.read(into: buffer) ?? .bytes(readBytes(into: buffer))
        switch reading {
        case .bytes: deadlines.sent(at: clock.now)
        case .wait: deadlines.isProducerBehind = true
        case .failed(let error): failure = error
        }
        return reading
    }

    private func readBytes(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard case .bytes(let bytes) = request.body.content else { return 0 }
        let count = min(buffer.count, bytes.count - readCount)
        bytes.withUnsafeBytes { bytes in
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[readCount..<readCount + count]))
        }
        readCount += count
        return count
    }

    /// - Returns: whether the transfer continues.
    func receiveHead(_ reply: HeadParser.Known, _ clock: LoopClock) -> Bool {
        self.reply = reply
        isCoded = limits.decompresses && !reply.codings.isIdentity
        deadlines.received(at: clock.now)
        clock.watch(deadlines.next)
        // From this status on, libcurl treats the reply as a refusal and stops sending.
        if reply.status >= 300 { upload?.stopWaiting() }
        if isStream {
            clock.touch(self)
        } else if !isCoded, request.method != "HEAD", !reply.hasNoBody, let length = reply.framing.length {
            guard length <= limits.maximumBodySize else {
                refuse(tooLarge)
                return false
            }
            body.expect(length)
        }
        return true
    }

    func receiveBody(_ chunk: UnsafeRawBufferPointer, _ clock: LoopClock) -> Acceptance {
        deadlines.received(at: clock.now)
        if let stream = stream ?? codedStream() {
            let isFull = stream.append(chunk) == .full
            if !isFull { received += chunk.count }
            // The caller of a whole body wakes up when a large part of it, or all, has arrived.
            if isStream || isFull || received >= loop.configuration.streamBufferSize { clock.touch(self) }
            guard isFull else { return .taken }
            deadlines.isConsumerBehind = true
            return .full
        }
        guard body.count + chunk.count <= limits.maximumBodySize else {
            refuse(tooLarge)
            return .refused
        }
        body.append(chunk)
        return .taken
    }

    /// The buffer for a whole body that the caller decodes; `nil` if the body is not coded.
    private func codedStream() -> StreamBuffer? {
        guard isCoded, let reply else { return nil }
        let window = loop.configuration.streamBufferSize
        // A transfer that pauses on a shared HTTP/2 connection makes libcurl buffer its bytes, and copy the remainder
        // at each resumption: so only bodies larger than any accepted size make it pause.
        let limit = reply.version.hasPrefix("1") ? window : max(window, limits.maximumBodySize)
        let stream = StreamBuffer(limit: limit, blockSize: 0, pool: loop.pool, mailbox: loop.mailbox)
        stream.attach(self)
        self.stream = stream
        return stream
    }

    /// libcurl passes 0 for an unknown total.
    func report(sent: Int, of toSend: Int, received: Int, of toReceive: Int, _ clock: LoopClock) {
        progress = CurlProgress(
            sent: sent,
            totalToSend: toSend > 0 ? toSend : nil,
            received: received,
            totalToReceive: toReceive > 0 ? toReceive : nil
        )
        guard progress != reported, lastReport.until(clock.now) >= 50_000_000 else { return }
        reportProgress(at: clock.now)
    }

    private func reportProgress(at now: LoopTime) {
        guard let progress, progress != reported, !caller.withLock({ $0.hasCancelled }) else { return }
        reported = progress
        lastReport = now
        limits.progress?(progress)
    }

    func refuse(_ error: CurlError) {
        guard failure == nil else { return }
        var error = error
        error.wasSent = wasSent
        failure = error
    }

    private static func cutHead(wasSent: Bool) -> CurlError {
        CurlError(.connectionLost, "the connection ended before the reply's head did", wasSent: wasSent)
    }

    private var tooLarge: CurlError {
        CurlError(.tooLarge, "the reply's body is over \(limits.maximumBodySize) bytes")
    }

    // MARK: Called by the loop

    /// Resumes after the consumer or the producer of the request's body has caught up.
    func resume(_ clock: LoopClock) {
        deadlines.resumed(at: clock.now)
        clock.watch(deadlines.next)
    }

    /// Returns the time-out that has expired, if any.
    func timeout(at now: LoopTime) -> CurlError? {
        deadlines.passed(at: now).map { limits.timeout($0, of: request, wasSent: wasSent) }
    }

    // MARK: Delivery to the caller, outside libcurl

    /// Whether the consumer is better served after the next read.
    var expectsMore: Bool { !isCalledOnLoop && stream?.expectsMore ?? false }

    /// Delivers the head, once, and the body bytes that have arrived.
    func deliver() {
        guard let stream else { return }
        if let reply, let waiter = takeWaiter() {
            let body = CurlBody(stream, codings: isCoded ? reply.codings : ContentCodings())
            hand(CurlStream(head: reply.head, body: consume body, httpVersion: reply.version), to: waiter)
        }
        stream.flush()
    }

    /// - Parameter reply: consumed, since its transfer ends when the last reference to its body is released.
    private func hand(_ reply: consuming CurlStream, to waiter: Waiter) {
        fence.release()
        switch waiter {
        case .whole(let waiter): waiter.resume(returning: .coded(reply))
        case .stream(let waiter): waiter.resume(returning: reply)
        }
    }

    /// Whether only the loop's thread may call `complete`.
    var completesOnLoop: Bool { isCalledOnLoop || stream != nil || upload != nil || limits.progress != nil }

    func complete(throwing error: (any Error)?) {
        // libcurl reports a success for a head that was cut before its framing.
        let error = error ?? (reply == nil ? Self.cutHead(wasSent: wasSent) : nil)
        upload?.abandon()
        if limits.progress != nil { reportProgress(at: .now) }
        if let stream {
            // An error reaches the consumer after the bytes that arrived before it.
            stream.finish(throwing: error)
            if isStream || error == nil { deliver() } else { stream.flush() }
        }
        fence.release()
        guard let waiter = takeWaiter() else { return }
        if let error { return waiter.resume(throwing: error) }
        if case .whole(let waiter) = waiter, let reply {
            let whole = CurlReply(head: reply.head, body: body.take(), httpVersion: reply.version)
            waiter.resume(returning: .complete(whole))
        }
    }
}

/// The loop's result for a caller that wants the whole reply.
enum WholeReply: Sendable {
    case complete(CurlReply)
    /// The caller decodes and collects the body.
    case coded(CurlStream)
}
#endif
