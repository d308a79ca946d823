import Cofferdam

/// Keeps calls from a side that fails or is slow, for one operation, and tries it again after a while.
///
/// May be used from any task. It never sleeps: time is read when somebody asks.
public final class Breaker: Sendable {
    private let core: Mutex<BreakerCore>
    private let now: @Sendable () -> Duration
    private let counted: OpenBreakers?

    /// - Throws: ``BreakerError`` with `invalidSetting`.
    public convenience init(
        _ settings: BreakerSettings = .defaults,
        clock: some Clock<Duration> = ContinuousClock()
    ) throws(BreakerError) {
        try settings.check()
        self.init(checked: settings, clock: clock)
    }

    /// - Parameter counted: told whenever it opens, and when it no longer is open.
    init(checked settings: BreakerSettings, clock: some Clock<Duration>, counted: OpenBreakers? = nil) {
        core = Mutex(BreakerCore(settings))
        let start = clock.now
        now = { start.duration(to: clock.now) }
        self.counted = counted
    }

    /// Leave to make a call, to be given back with ``finish(_:_:took:)``; nil where the call is refused.
    ///
    /// - Parameter isOtherSideEligible: whether somebody else could answer. If nobody can, the call is never refused: a
    ///   breaker then only measures.
    public func permit(isOtherSideEligible: Bool) -> BreakerPermit? {
        change { core, now in core.permit(isOtherSideEligible: isOtherSideEligible, now: now) }
    }

    /// A call has ended.
    public func finish(_ permit: BreakerPermit, _ outcome: BreakerOutcome, took duration: Duration) {
        change { core, now in core.finish(permit, outcome, took: duration, now: now) }
    }

    /// What it does with calls now. An open one whose time is over is still `open`, until the next call.
    public var state: BreakerState { core.withLock { $0.state } }

    /// What it did since ``startEpoch()``, or since it was made.
    public var history: BreakerHistory {
        let now = now()
        return core.withLock { $0.history(now: now) }
    }

    /// Forgets the history, not the state: if it is open now, that counts as this epoch's first opening.
    public func startEpoch() {
        let now = now()
        core.withLock { $0.startEpoch(now: now) }
    }

    /// A person's wish.
    ///
    /// - Throws: ``BreakerError`` with `illegalTransition`, naming the legal ones.
    public func move(to state: BreakerState) throws(BreakerError) {
        try change { core, now throws(BreakerError) in try core.move(to: state, now: now) }
    }

    /// Whether it keeps calls away now. One whose time is over does not: the next call is tried.
    var isRefusing: Bool {
        let now = now()
        return core.withLock { $0.isRefusing(now: now) }
    }

    private func change<Value, Failure: Error>(
        _ body: (inout BreakerCore, Duration) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let now = now()
        return try core.withLock { core throws(Failure) in
            let wasOpen = core.isOpen
            defer { if core.isOpen != wasOpen { counted?.change(by: core.isOpen ? 1 : -1) } }
            return try body(&core, now)
        }
    }
}
