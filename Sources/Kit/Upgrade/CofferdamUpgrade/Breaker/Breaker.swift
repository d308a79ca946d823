import Cofferdam

/// Stops calls of one operation to a side that fails or is slow, and tries the side again after a while.
///
/// You can use it from any task. It never sleeps: it reads the time when you call it.
package final class Breaker: Sendable {
    private let core: Mutex<BreakerCore>
    private let now: @Sendable () -> Duration
    private let counted: OpenBreakers?

    /// - Throws: ``BreakerError`` with `invalidSetting`.
    package convenience init(
        _ settings: BreakerSettings = .defaults,
        clock: some Clock<Duration> = ContinuousClock()
    ) throws(BreakerError) {
        try settings.check()
        self.init(checked: settings, clock: clock)
    }

    /// - Parameter counted: notified when the breaker opens and when it is no longer open.
    init(checked settings: BreakerSettings, clock: some Clock<Duration>, counted: OpenBreakers? = nil) {
        core = Mutex(BreakerCore(settings))
        let start = clock.now
        now = { start.duration(to: clock.now) }
        self.counted = counted
    }

    /// Returns a permit for one call, to be given back with ``finish(_:_:took:)``; nil if the breaker refuses the
    /// call.
    ///
    /// - Parameter isOtherSideEligible: whether another side could answer. If none can, the breaker never refuses: a
    ///   call that it would refuse is let through and not counted.
    package func permit(isOtherSideEligible: Bool) -> BreakerPermit? {
        change { core, now in core.permit(isOtherSideEligible: isOtherSideEligible, now: now) }
    }

    /// Records how a call ended.
    package func finish(_ permit: BreakerPermit, _ outcome: BreakerOutcome, took duration: Duration) {
        change { core, now in core.finish(permit, outcome, took: duration, now: now) }
    }

    /// The current state. A breaker whose open time has passed stays `open` until the next call.
    package var state: BreakerState { core.withLock { $0.state } }

    /// What the breaker has done since `startEpoch()`, or since it was created.
    package var history: BreakerHistory { change { core, now in core.history(now: now) } }

    /// Whether the breaker lets all calls through again after opening in this epoch; nil if it has not opened.
    var opening: BreakerOpening.Progress? {
        change { core, _ in
            guard core.hasOpened else { return nil }
            return core.isRecovered ? .over : .open
        }
    }

    /// Forgets the history but not the state: if the breaker is open now, that counts as the first opening of the new
    /// epoch.
    package func startEpoch() {
        let now = now()
        core.withLock { $0.startEpoch(now: now) }
    }

    /// Whether the breaker refuses calls now. Once its open time has passed, it does not: the next call is a trial.
    var isRefusing: Bool { change { core, now in core.isRefusing(now: now) } }

    private func change<Value>(_ body: (inout BreakerCore, Duration) -> Value) -> Value {
        let now = now()
        return core.withLock { core in
            let wasOpen = core.isOpen
            defer { if core.isOpen != wasOpen { counted?.change(by: core.isOpen ? 1 : -1) } }
            core.endTrials(now: now)
            return body(&core, now)
        }
    }
}

/// A breaker without its lock and clock.
struct BreakerCore: Sendable {
    private(set) var state = BreakerState.closed
    private let settings: BreakerSettings
    private var window: CallWindow
    private var period = 0
    /// When this state began.
    private var since = Duration.zero
    /// Trial calls that may still begin.
    private var trialsLeft = 0
    /// When each trial began that has not ended, by its number.
    private var trials: [Int: Duration] = [:]
    private var lastTrial = 0
    /// The trials that counted as failed because they took too long, and still have not ended.
    private var hanging: Set<Int> = []
    private var openings = 0
    /// Whether the breaker was open at any time in this epoch.
    private(set) var hasOpened = false
    /// How long this opening lasted before this state.
    private var openBefore = Duration.zero
    private var longest = Duration.zero
    private var epochStart = Duration.zero

    init(_ settings: BreakerSettings) {
        self.settings = settings
        window = CallWindow(size: settings.window)
    }

    mutating func permit(isOtherSideEligible: Bool, now: Duration) -> BreakerPermit? {
        if state == .open, now - since >= settings.openFor { enter(.halfOpen, now: now) }
        switch state {
        case .closed:
            return BreakerPermit(period: period, decides: true)
        case .halfOpen where trialsLeft > 0:
            trialsLeft -= 1
            lastTrial += 1
            trials[lastTrial] = now
            return BreakerPermit(period: period, decides: true, trial: lastTrial)
        case .open, .halfOpen:
            return isOtherSideEligible ? nil : BreakerPermit(period: period, decides: false)
        }
    }

    mutating func finish(_ permit: BreakerPermit, _ outcome: BreakerOutcome, took duration: Duration, now: Duration) {
        if let trial = permit.trial {
            if hanging.remove(trial) != nil { return }
            trials[trial] = nil
        }
        guard permit.decides, permit.period == period else { return }
        guard outcome != .cancelled else {
            if state == .halfOpen { trialsLeft = min(trialsLeft + 1, settings.trials) }
            return
        }
        window.add(isFailed: outcome == .failed, isSlow: duration > settings.slowLimit)
        switch state {
        case .closed:
            if window.isBad(settings, minimum: settings.minimumCalls) { enter(.open, now: now) }
        case .halfOpen: judgeTrials(now: now)
        case .open: break
        }
    }

    /// Counts trials as failed that have taken too long: a side that hangs and ignores cancellation may never end them,
    /// and would keep the breaker half open for good.
    mutating func endTrials(now: Duration) {
        guard state == .halfOpen, !trials.isEmpty else { return }
        for (trial, began) in trials where now - began >= settings.trialLimit {
            trials[trial] = nil
            hanging.insert(trial)
            window.add(isFailed: true, isSlow: true)
        }
        judgeTrials(now: now)
    }

    /// As in resilience4j: waits for all trials, but for no more calls than a closed breaker needs.
    private mutating func judgeTrials(now: Duration) {
        let minimum = min(settings.trials, settings.minimumCalls)
        guard window.count >= minimum else { return }
        enter(window.isBad(settings, minimum: minimum) ? .open : .closed, now: now)
    }

    func history(now: Duration) -> BreakerHistory {
        let longest = max(longest, openTime(now: now))
        return BreakerHistory(
            openings: openings,
            longestSeconds: Int(longest.components.seconds),
            isOpen: isOpen,
            hangingTrials: hanging.isEmpty ? nil : hanging.count
        )
    }

    mutating func startEpoch(now: Duration) {
        (epochStart, openBefore, longest) = (now, .zero, .zero)
        openings = isOpen ? 1 : 0
        hasOpened = !isRecovered
    }

    var isOpen: Bool { state == .open }

    /// Whether the breaker lets all calls through. Trials still belong to the opening before them.
    var isRecovered: Bool { state == .closed }

    /// Whether the breaker would refuse a call now if the other side were eligible.
    func isRefusing(now: Duration) -> Bool { isOpen && now - since < settings.openFor }

    /// How long this opening has lasted in this epoch. It ends when its open time has passed, even if no call follows.
    private func openTime(now: Duration) -> Duration {
        guard isOpen else { return openBefore }
        return openBefore + max(.zero, min(now, since + settings.openFor) - max(since, epochStart))
    }

    private mutating func enter(_ next: BreakerState, now: Duration) {
        openBefore = openTime(now: now)
        longest = max(longest, openBefore)
        // Failed trials continue the same opening, which ends when the breaker lets all calls through.
        let isNew = openings == 0 || isRecovered
        if next == .closed || isNew { openBefore = .zero }
        state = next
        if isOpen, isNew { openings += 1 }
        if isOpen { hasOpened = true }
        since = now
        period += 1
        trialsLeft = next == .halfOpen ? settings.trials : 0
        trials = [:]
        window = CallWindow(size: next == .halfOpen ? settings.trials : settings.window)
    }
}

/// The last calls of one side and operation, and how many of them failed or were slow. Each record costs O(1).
struct CallWindow: Sendable {
    private var calls: [(isFailed: Bool, isSlow: Bool)] = []
    private var oldest = 0
    private let size: Int
    private(set) var failed = 0
    private(set) var slow = 0

    var count: Int { calls.count }

    init(size: Int) { self.size = size }

    mutating func add(isFailed: Bool, isSlow: Bool) {
        if calls.count < size {
            calls.append((isFailed, isSlow))
        } else {
            let leaving = calls[oldest]
            if leaving.isFailed { failed -= 1 }
            if leaving.isSlow { slow -= 1 }
            calls[oldest] = (isFailed, isSlow)
            oldest = (oldest + 1) % size
        }
        if isFailed { failed += 1 }
        if isSlow { slow += 1 }
    }

    /// Whether too many calls failed or were slow; false while there are fewer than `minimum` calls.
    func isBad(_ settings: BreakerSettings, minimum: Int) -> Bool {
        guard count >= minimum, count > 0 else { return false }
        let all = Double(count)
        return Double(failed) >= settings.failedShare * all || Double(slow) >= settings.slowShare * all
    }
}
