#if Curl
/// The time-outs of one transfer.
///
/// Kept here rather than by libcurl, whose time-outs continue while a stream is paused and do not run while a request
/// waits for a connection.
struct TransferDeadlines {
    private let limits: TransferLimits
    private let whole: LoopTime?
    private let started: LoopTime
    private var lastProgress: LoopTime
    private var hasHead = false
    /// The number of times the request was about to be sent on a connection.
    private(set) var attempts = 0
    /// Whether the body waits for its consumer.
    var isConsumerBehind = false
    /// Whether the request's body waits for its producer.
    var isProducerBehind = false

    init(_ limits: TransferLimits, started: LoopTime, whole: LoopTime?) {
        self.limits = limits
        self.whole = whole
        self.started = started
        lastProgress = started
    }

    // MARK: Events

    mutating func connected(at now: LoopTime) {
        attempts += 1
        lastProgress = now
    }

    mutating func sent(at now: LoopTime) { lastProgress = now }

    mutating func received(at now: LoopTime) {
        hasHead = true
        lastProgress = now
    }

    mutating func resumed(at now: LoopTime) {
        isConsumerBehind = false
        isProducerBehind = false
        lastProgress = now
    }

    // MARK: Deadlines

    /// The next deadline; `nil` when none runs.
    var next: LoopTime? {
        guard let part = part?.moment else { return whole }
        return whole.map { min($0, part) } ?? part
    }

    func passed(at now: LoopTime) -> CurlTimeouts.Kind? {
        if let part, part.moment <= now { return part.kind }
        if let whole, whole <= now { return .whole }
        return nil
    }

    private var part: (moment: LoopTime, kind: CurlTimeouts.Kind)? {
        if attempts == 0 { return limits.connect.map { (started.after($0), .connect) } }
        if isConsumerBehind || isProducerBehind { return nil }
        if !hasHead { return limits.firstByte.map { (lastProgress.after($0), .firstByte) } }
        return limits.idle.map { (lastProgress.after($0), .idle) }
    }
}

/// A request's options as the loop needs them; requests without options of their own share one.
final class TransferLimits: Sendable {
    let timeouts: CurlTimeouts
    let maximumBodySize: Int
    let maximumHeadSize: Int
    let decompresses: Bool
    let httpVersion: CurlHTTPVersion
    let redirects: RedirectPolicy
    let retry: RetryPolicy
    let progress: (@Sendable (CurlProgress) -> Void)?
    // In nanoseconds.
    let connect: Int64?
    let firstByte: Int64?
    let idle: Int64?
    let whole: Int64?
    /// Whether there is only one attempt.
    let isPlain: Bool

    init(_ options: CurlOptions) {
        timeouts = options.timeouts
        maximumBodySize = options.maximumBodySize
        maximumHeadSize = options.maximumHeadSize
        decompresses = options.decompresses
        httpVersion = options.httpVersion
        redirects = options.redirects
        retry = options.retry
        progress = options.progress
        connect = options.timeouts.connect?.wholeNanoseconds
        firstByte = options.timeouts.firstByte?.wholeNanoseconds
        idle = options.timeouts.idle?.wholeNanoseconds
        whole = options.timeouts.whole?.wholeNanoseconds
        isPlain = options.redirects == .returned && options.retry.maximumAttempts <= 1
    }

    func timeout(_ kind: CurlTimeouts.Kind, of request: PreparedRequest, wasSent: Bool) -> CurlError {
        let limit = timeouts.duration(of: kind).map { " within \($0)" } ?? ""
        let what =
            switch kind {
            case .connect: "no connection"
            case .firstByte: "no reply"
            case .idle: "nothing more of the body"
            case .whole: "no complete reply"
            }
        var error = CurlError(.timeout, "\(request.authority): \(what)\(limit)", wasSent: wasSent)
        error.timeout = kind
        return error
    }
}

extension CurlTimeouts {
    func duration(of kind: Kind) -> Duration? {
        switch kind {
        case .connect: connect
        case .firstByte: firstByte
        case .idle: idle
        case .whole: whole
        }
    }
}
#endif
