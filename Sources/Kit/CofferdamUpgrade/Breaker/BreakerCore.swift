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
    private var openings = 0
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
            return BreakerPermit(period: period, decides: true)
        case .disabled:
            return BreakerPermit(period: period, decides: false)
        case .open, .halfOpen, .forcedOpen:
            return isOtherSideEligible ? nil : BreakerPermit(period: period, decides: false)
        }
    }

    mutating func finish(_ permit: BreakerPermit, _ outcome: BreakerOutcome, took duration: Duration, now: Duration) {
        guard permit.decides, permit.period == period else { return }
        guard outcome != .cancelled else {
            if state == .halfOpen { trialsLeft = min(trialsLeft + 1, settings.trials) }
            return
        }
        window.add(isFailed: outcome == .failed, isSlow: duration > settings.slowLimit)
        switch state {
        case .closed:
            if window.isBad(settings, fewest: settings.fewestCalls) { enter(.open, now: now) }
        case .halfOpen:
            // resilience4j waits for all trials, too, and never for more than a closed one looks at.
            let fewest = min(settings.trials, settings.fewestCalls)
            guard window.count >= fewest else { return }
            enter(window.isBad(settings, fewest: fewest) ? .open : .closed, now: now)
        case .open, .forcedOpen, .disabled: break
        }
    }

    mutating func move(to next: BreakerState, now: Duration) throws(BreakerError) {
        guard state.successors.contains(next) else {
            let legal = state.successors.map(\.rawValue).sorted().joined(separator: ", ")
            throw BreakerError(
                .illegalTransition,
                "there is no way from \(state.rawValue) to \(next.rawValue); from there: \(legal)"
            )
        }
        enter(next, now: now)
    }

    func history(now: Duration) -> BreakerHistory {
        let longest = max(longest, openTime(now: now))
        return BreakerHistory(openings: openings, longestSeconds: Int(longest.components.seconds), isOpen: isOpen)
    }

    mutating func startEpoch(now: Duration) {
        (epochStart, openBefore, longest) = (now, .zero, .zero)
        openings = isOpen ? 1 : 0
    }

    /// Of itself, or by a person.
    var isOpen: Bool { state == .open || state == .forcedOpen }

    /// Whether a call that came now would be refused where the other side is eligible, and none would be tried.
    func isRefusing(now: Duration) -> Bool {
        state == .forcedOpen || state == .open && now - since < settings.openFor
    }

    /// Of this opening, in this epoch. An open one ends when its time is over: that nobody called is not its doing.
    private func openTime(now: Duration) -> Duration {
        guard isOpen else { return openBefore }
        let end = state == .open ? min(now, since + settings.openFor) : now
        return openBefore + max(.zero, end - max(since, epochStart))
    }

    private mutating func enter(_ next: BreakerState, now: Duration) {
        openBefore = openTime(now: now)
        longest = max(longest, openBefore)
        // Trials that fail go on with the same opening: it ends when all calls are let through.
        let isOver = next == .closed || next == .disabled
        let isNew = openings == 0 || state == .closed || state == .disabled
        if isOver || isNew { openBefore = .zero }
        state = next
        if isOpen, isNew { openings += 1 }
        since = now
        period += 1
        trialsLeft = next == .halfOpen ? settings.trials : 0
        window = CallWindow(size: next == .halfOpen ? settings.trials : settings.window)
    }
}
