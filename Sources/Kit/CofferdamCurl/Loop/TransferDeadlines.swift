/// The time-outs of one transfer.
///
/// Kept here and not by libcurl, whose own run on while a stream is paused and do not run while a request waits for a
/// connection.
struct TransferDeadlines {
    private let limits: CurlTimeouts
    private let whole: ContinuousClock.Instant?
    private let started = ContinuousClock.now
    private var lastProgress: ContinuousClock.Instant
    private var hasHead = false
    /// How often the request was about to be sent on a connection.
    private(set) var attempts = 0
    /// The body waits for its consumer.
    var isConsumerBehind = false
    /// The request's body waits for its producer.
    var isProducerBehind = false

    init(_ limits: CurlTimeouts, whole: ContinuousClock.Instant?) {
        self.limits = limits
        self.whole = whole
        lastProgress = started
    }

    // MARK: What happens

    mutating func connected(at now: ContinuousClock.Instant) {
        attempts += 1
        lastProgress = now
    }

    mutating func sent(at now: ContinuousClock.Instant) { lastProgress = now }

    mutating func received(at now: ContinuousClock.Instant, isHeadComplete: Bool) {
        hasHead = isHeadComplete
        lastProgress = now
    }

    mutating func resumed(at now: ContinuousClock.Instant) {
        isConsumerBehind = false
        isProducerBehind = false
        lastProgress = now
    }

    // MARK: When it is too late

    /// The next time-out; `nil` when none runs.
    var next: ContinuousClock.Instant? {
        guard let part = part?.instant else { return whole }
        return whole.map { min($0, part) } ?? part
    }

    func passed(at now: ContinuousClock.Instant) -> CurlTimeouts.Kind? {
        if let part, part.instant <= now { return part.kind }
        if let whole, whole <= now { return .whole }
        return nil
    }

    func limit(of kind: CurlTimeouts.Kind) -> Duration? {
        switch kind {
        case .connect: limits.connect
        case .firstByte: limits.firstByte
        case .idle: limits.idle
        case .whole: limits.whole
        }
    }

    private var part: (instant: ContinuousClock.Instant, kind: CurlTimeouts.Kind)? {
        if attempts == 0 { return limits.connect.map { (started + $0, .connect) } }
        if isConsumerBehind || isProducerBehind { return nil }
        if !hasHead { return limits.firstByte.map { (lastProgress + $0, .firstByte) } }
        return limits.idle.map { (lastProgress + $0, .idle) }
    }
}
