import CLibcurl
import HTTPTypes

/// One request and its reply while libcurl has it. Lives on the loop thread.
final class Transfer {
    /// What the write callback answers.
    enum Acceptance { case taken, full, refused }

    let submission: Submission
    /// The buffer of a streamed body; a whole reply has none.
    let stream: StreamBuffer?
    /// What we refused, in place of the "write error" that libcurl then reports.
    private(set) var failure: CurlError?
    /// How often the request was about to be sent on a connection.
    private(set) var attempts = 0

    private var parser: HeadParser
    private var body: [UInt8] = []
    private var isStreamHandedOver = false
    private var isPaused = false
    private let limits: CurlConfiguration
    private let clock: LoopClock
    private var lastProgress: ContinuousClock.Instant

    init(_ submission: Submission, limits: CurlConfiguration, clock: LoopClock, stream: StreamBuffer?) {
        self.submission = submission
        self.limits = limits
        self.clock = clock
        self.stream = stream
        parser = HeadParser(maximumSize: limits.maximumHeadSize)
        lastProgress = submission.submitted
    }

    var wasSent: Bool { attempts > 0 }

    // MARK: Called by libcurl

    /// - Returns: whether the request may be sent on the connection that libcurl now has.
    func admitAttempt() -> Bool {
        attempts += 1
        guard attempts == 1 || submission.request.isRepeatable else {
            let message = "the connection was lost before a reply; the request was not sent again"
            failure = CurlError(.connectionLost, message, wasSent: true)
            return false
        }
        return true
    }

    /// - Returns: whether the transfer goes on.
    func receiveHead(_ line: UnsafeRawBufferPointer) -> Bool {
        clock.touch(self)
        lastProgress = clock.now
        do throws(CurlError) {
            try parser.take(line)
            if stream == nil, submission.request.method != "HEAD", let length = parser.contentLength {
                guard length <= limits.maximumBodySize else { throw tooLarge }
                body.reserveCapacity(min(length, 1 << 20))
            }
            return true
        } catch {
            refuse(error)
            return false
        }
    }

    func receiveBody(_ chunk: UnsafeRawBufferPointer) -> Acceptance {
        clock.touch(self)
        lastProgress = clock.now
        if let stream {
            guard stream.append(chunk) == .full else { return .taken }
            isPaused = true
            return .full
        }
        guard body.count + chunk.count <= limits.maximumBodySize else {
            refuse(tooLarge)
            return .refused
        }
        body.append(contentsOf: chunk)
        return .taken
    }

    private var tooLarge: CurlError {
        CurlError(.tooLarge, "the reply's body is over \(limits.maximumBodySize) bytes")
    }

    private func refuse(_ error: CurlError) {
        guard failure == nil else { return }
        failure = error
        failure?.wasSent = true
    }

    // MARK: Deadlines

    func unpause() {
        isPaused = false
        lastProgress = clock.now
    }

    /// When to look at the transfer again; `nil` for never.
    var deadline: ContinuousClock.Instant? { nextTimeout?.instant }

    /// Why the transfer has had its time.
    func timeout(at now: ContinuousClock.Instant) -> CurlError? {
        guard let next = nextTimeout, next.instant <= now else { return nil }
        let host = submission.request.authority
        return CurlError(.timeout, "\(host): \(next.what) within \(next.limit)", wasSent: wasSent)
    }

    private var nextTimeout: (instant: ContinuousClock.Instant, limit: Duration, what: String)? {
        let start = submission.submitted
        let whole: (instant: ContinuousClock.Instant, limit: Duration, what: String)? =
            if stream == nil {
                (start + limits.requestTimeout, limits.requestTimeout, "no complete reply")
            } else if parser.head == nil {
                (start + limits.firstByteTimeout, limits.firstByteTimeout, "no reply")
            } else if let idle = limits.idleTimeout, !isPaused {
                (lastProgress + idle, idle, "nothing more of the body")
            } else {
                nil
            }
        let connecting = start + limits.connectTimeout
        if attempts == 0, connecting < (whole?.instant ?? connecting + .seconds(1)) {
            return (connecting, limits.connectTimeout, "no connection")
        }
        return whole
    }

    // MARK: What the caller gets; after libcurl has been left

    /// Hands the head of a stream over, once, and what has arrived of its body.
    func deliver() {
        guard let stream else { return }
        if !isStreamHandedOver, let head = parser.head, case .stream(let waiter) = submission.waiter {
            isStreamHandedOver = true
            waiter.resume(returning: CurlStream(head: head, body: CurlBody(stream)))
        }
        stream.flush()
    }

    func complete(throwing error: (any Error)?) {
        let error = error ?? (parser.head == nil ? CurlError(.protocol, "no reply", wasSent: wasSent) : nil)
        if let stream {
            // An end by error reaches the consumer after what has arrived.
            stream.finish(throwing: error)
            deliver()
            if !isStreamHandedOver, let error { submission.waiter.fail(error) }
            return
        }
        guard case .whole(let waiter) = submission.waiter else { return }
        if let error {
            waiter.resume(throwing: error)
        } else if let head = parser.head {
            waiter.resume(returning: CurlReply(head: head, body: body))
        }
    }
}

/// The loop's time, read once each turn, and what libcurl has given new bytes in this turn.
final class LoopClock {
    var now = ContinuousClock.now
    private var touched: [Transfer] = []

    func touch(_ transfer: Transfer) {
        if touched.last !== transfer { touched.append(transfer) }
    }

    func takeTouched() -> [Transfer] {
        let touched = self.touched
        self.touched = []
        return touched
    }
}
