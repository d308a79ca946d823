/// Contents that are loaded on demand, kept and refreshed, with the state of loading them.
///
/// Concurrent callers share one run, and each gets its result. A cancelled caller leaves at once without disturbing the
/// others; when the last one leaves, the work is cancelled. Old contents stay during a run and after a failed one. A late
/// answer, of a run that was cancelled or that a local write has overtaken, does not commit, unless that write is rolled
/// back before the answer arrives.
///
/// A run is kept going by the callers of ``fetch()``, ``fetchIfNeeded()``, ``sync()`` and ``syncIfNeeded()`` until they
/// return, and a holder of a token of ``activate()``. Listeners and sequences do not, unless they asked for it.
///
/// Any task on any thread may use it. Runs run where the executor says, on the global one by default; listeners are called
/// on the thread that brings the change.
public final class Loadable<Contents: Sendable>: Sendable {
    let state: Mutex<LoadableState>
    let source: ProviderCore<SnapshotFields>
    let loading: Loading
    let freshness: Freshness
    /// The wait before another attempt, after so many failed ones; nil where there never is one, which takes no room.
    let retry: (@Sendable (Int, any Error) -> Duration?)?
    let timekeeper: Timekeeper
    let executor: (any TaskExecutor)?

    /// How contents are loaded.
    struct Loading: Sendable {
        let load: @Sendable (LoadMode) async -> LoadResult<Contents>
        /// How long until what it is derived from is out of date, so that its own contents are too: zero if it is, nil if
        /// time alone does not make it so.
        var timeUntilUpstreamIsStale: (@Sendable () -> Duration?)?

        var isUpstreamStale: Bool { if let time = timeUntilUpstreamIsStale?() { time <= .zero } else { false } }
    }

    /// - Parameters:
    ///   - contents: what is there already; it is no substitute for loading.
    ///   - freshFor: how long loaded contents are fresh; nil, until they are replaced.
    ///   - clock: tells their age.
    ///   - executor: where the runs run.
    ///   - load: gives the contents; it must heed cancellation, and must not fetch from this loadable.
    public convenience init(
        _ contents: Contents? = nil,
        freshFor: Duration? = nil,
        clock: some Clock<Duration> = ContinuousClock(),
        executor: (any TaskExecutor)? = nil,
        load: @escaping @Sendable () async throws -> Contents
    ) {
        self.init(contents, freshness: Freshness(contents: freshFor), clock: clock, executor: executor, load: load)
    }

    /// - Parameters:
    ///   - contents: what is there already; it is no substitute for loading.
    ///   - freshness: how long loaded contents do, and how long a failure is not tried again.
    ///   - retry: which failures are answered by another attempt in the same run.
    ///   - persistence: where contents are kept between two lives of the process.
    ///   - clock: tells ages, and sleeps between attempts.
    ///   - executor: where the runs run.
    ///   - load: gives the contents; it must heed cancellation, and must not fetch from this loadable.
    public convenience init(
        _ contents: Contents? = nil,
        freshness: Freshness,
        retry: LoadRetry = .never,
        persistence: LoadablePersistence<Contents>? = nil,
        clock: some Clock<Duration> = ContinuousClock(),
        executor: (any TaskExecutor)? = nil,
        load: @escaping @Sendable () async throws -> Contents
    ) {
        let own = Loading { _ in
            do { return LoadResult(result: .success(ContentsBox(try await load()))) } catch {
                return LoadResult(result: .failure(error))
            }
        }
        let restoration = persistence.map { Restoration($0) }
        self.init(
            contents.map { ContentsBox($0) },
            freshness: freshness,
            retry: retry,
            timekeeper: Timekeeper(clock),
            executor: executor,
            loading: restoration?.before(own) ?? own
        )
        restoration?.serve(self)
    }

    init(
        _ box: ContentsBox<Contents>? = nil,
        freshness: Freshness = .always,
        retry: LoadRetry = .never,
        timekeeper: Timekeeper,
        executor: (any TaskExecutor)?,
        loading: Loading
    ) {
        self.freshness = freshness
        if retry.maximumAttempts > 1 {
            self.retry = { retry.wait(after: $0, failing: $1) }
        } else {
            self.retry = nil
        }
        self.timekeeper = timekeeper
        self.executor = executor
        self.loading = loading
        let initial = LoadableState(box: box)
        source = ProviderCore(box == nil ? .idle : initial.snapshot(age: nil))
        state = Mutex(initial)
    }

    deinit { source.finish() }

    /// How things stand now.
    public var snapshot: LoadableSnapshot<Contents> {
        LoadableSnapshot(state.withLock { $0.snapshot(age: $0.age(at: timekeeper.now)) })
    }

    /// The snapshot, for listeners and as a sequence of states; neither keeps a run alive.
    public var snapshots: Provider<LoadableSnapshot<Contents>> {
        Provider(SnapshotHub<Contents>(source))
    }

    /// How long ago the contents were loaded or written; nil if never.
    public var age: Duration? { snapshot.age }

    /// Whether ``fetchIfNeeded()`` would start a run: nothing has been loaded, the last run failed, or what there is has
    /// grown too old, was invalidated, or is made of what has. Not while a run goes on.
    public var needsSync: Bool {
        let isUpstreamStale = loading.isUpstreamStale
        return state.withLock { state in
            guard state.run == nil else { return false }
            if state.freshBox(now: { timekeeper.now }) != nil { return isUpstreamStale }
            return state.freshError(for: freshness.error, now: { timekeeper.now }) == nil
        }
    }

    /// How long until ``needsSync`` holds: zero if it does, nil if time alone does not bring it about, or a run goes on.
    public var timeUntilStale: Duration? {
        let upstream = loading.timeUntilUpstreamIsStale?()
        return state.withLock { state in
            guard state.run == nil else { return nil }
            if state.freshBox(now: { timekeeper.now }) != nil {
                let own = state.freshUntil.map { max(.zero, $0 - timekeeper.now) }
                return [own, upstream].compactMap(\.self).min()
            }
            guard state.freshError(for: freshness.error, now: { timekeeper.now }) != nil, let failure = state.failure
            else {
                return .zero
            }
            return max(.zero, freshness.error - (timekeeper.now - failure.time))
        }
    }

    var upstream: UpstreamVersion? { state.withLock { $0.upstream } }

    /// How many callers wait for the run that is going on.
    package var callerCount: Int { state.withLock { $0.run?.callers.count ?? 0 } }

    /// How many listeners are registered, how many sequences wait, and how many keep it in sync.
    var userCount: Int { source.listenerCount + source.waitingCount + state.withLock { $0.interests } }

    /// Queues what has changed for those who listen; under the lock. Follow it by `source.deliver()`, without the lock.
    func post(_ state: inout LoadableState, at now: @autoclosure () -> Duration) {
        source.queue(state.nextSnapshot(age: state.age(at: now())))
    }

    func post(_ state: inout LoadableState) { post(&state, at: timekeeper.now) }
}

extension Loadable {
    /// Loads, or joins the run that is going on, and returns that run's contents. A run that an ``invalidate()`` has
    /// overtaken is not joined but superseded: its callers wait for the new one.
    ///
    /// - Throws: the run's error, or `CancellationError` as soon as this task is cancelled.
    @discardableResult
    public func fetch() async throws -> Contents { try await contents(of: outcome(.always)) }

    /// Loads anew: a run that is going on is superseded, its work is cancelled, and its callers get the new run's outcome.
    @discardableResult
    public func refetch() async throws -> Contents { try await contents(of: outcome(.restart)) }

    /// What is there if it is fresh; otherwise ``fetch()``.
    ///
    /// - Throws: as ``fetch()``; while a failure is fresh (``Freshness/error``), that failure's error again.
    @inlinable
    @discardableResult
    public func fetchIfNeeded() async throws -> Contents {
        if let fresh = freshContents() { return ContentsBox<Contents>.of(fresh).contents }
        return try await contentsIfNeeded()
    }

    /// Loads, or joins the run that is going on, and returns when it is over, or this task is cancelled; the outcome stands
    /// in ``snapshot``.
    public func sync() async { _ = await outcome(.always) }

    /// ``sync()`` if ``needsSync``, or if a run is going on already.
    public func syncIfNeeded() async { _ = await outcome(.ifNeeded) }

    @usableFromInline
    func freshContents() -> ErasedContents? {
        if loading.isUpstreamStale { return nil }
        // The clock is read without the lock, and not at all for contents that do not age.
        let (fresh, until) = state.withLock { state in
            state.run == nil && !state.isOutdated && state.isFresh ? (state.box, state.freshUntil) : (nil, nil)
        }
        guard let fresh, let until else { return fresh }
        return timekeeper.now < until ? fresh : nil
    }

    @usableFromInline
    func contentsIfNeeded() async throws -> Contents { try await contents(of: outcome(.ifNeeded)) }

    private func contents(of outcome: LoadableOutcome) throws -> Contents {
        try ContentsBox<Contents>.of(outcome.result.get()).contents
    }

    func outcome(_ mode: LoadMode) async -> LoadableOutcome {
        if Task.isCancelled { return .left }
        switch join(mode) {
        case .settled(let outcome): return outcome
        case .seated(let seat, let callers, let start):
            return await withTaskCancellationHandler {
                await passingEscalation {
                    self.raise(callers, to: $0)
                } of: {
                    start?.perform(self)
                    raise(callers, to: Task.currentPriority)
                    return await callers.wait(at: seat)
                }
            } onCancel: {
                if callers.leave(seat) { giveUpIfUnwanted(callers) }
            }
        }
    }

    private enum Joining {
        case settled(LoadableOutcome)
        case seated(Int, LoadableCallers, LoadableStart?)
    }

    private func join(_ mode: LoadMode) -> Joining {
        let isUpstreamStale = loading.isUpstreamStale
        return state.withLock { state in
            if case .ifNeeded = mode, let settled = settledOutcome(state, isUpstreamStale) { return .settled(settled) }
            let start = startIfMissing(mode, in: &state)
            // Reserved under the lock: from here on the run is wanted.
            guard let callers = state.run?.callers else { return .settled(.left) }
            return .seated(callers.reserve(), callers, start)
        }
    }

    private func settledOutcome(
        _ state: borrowing LoadableState,
        _ isUpstreamStale: Bool
    ) -> LoadableOutcome? {
        if !isUpstreamStale, let box = state.freshBox(now: { timekeeper.now }) {
            return LoadableOutcome(result: .success(box), generation: state.generation)
        }
        guard let error = state.freshError(for: freshness.error, now: { timekeeper.now }) else { return nil }
        return LoadableOutcome(result: .failure(error), generation: state.generation)
    }
}

extension Loadable {
    /// Keeps this in sync for as long as the token is held: loads now if ``needsSync``, and again after each
    /// ``invalidate()``, and keeps a run going that everybody else has left.
    public func activate() -> ListenerToken {
        state.withLock { $0.interests += 1 }
        startForInterest()
        return ListenerToken { [weak self] in
            guard let self else { return }
            self.state.withLock { $0.interests -= 1 }
            self.giveUpIfUnwanted()
        }
    }

    /// Calls `body` with the snapshot that stands, and then with every change, for as long as the token is held.
    ///
    /// `body` may use this loadable in any way. It must not hold the token's owner strongly.
    ///
    /// - Parameter isActive: whether to ``activate()`` too.
    public func observe(
        isActive: Bool = false,
        _ body: @escaping @Sendable (LoadableSnapshot<Contents>) -> Void
    ) -> ListenerToken {
        let listening = snapshots.listen(body)
        guard isActive else { return listening }
        let activity = activate()
        return ListenerToken {
            listening.cancel()
            activity.cancel()
        }
    }

    /// Awaits `body` with the snapshot that stands, and then with later ones, one at a time, for as long as the token is
    /// held: while one is awaited those between are skipped, the last is not.
    public func observe(
        isActive: Bool = false,
        awaiting body: @escaping @Sendable (LoadableSnapshot<Contents>) async -> Void
    ) -> ListenerToken {
        let states = snapshots.states
        let task = Task(executorPreference: executor) { for await snapshot in states { await body(snapshot) } }
        let activity = isActive ? activate() : nil
        return ListenerToken {
            task.cancel()
            activity?.cancel()
        }
    }
}

/// What one may wait for.
public enum LoadableGoal: String, Sendable, Hashable, CaseIterable {
    /// There are contents, however old.
    case contents
    /// The last run or write has succeeded.
    case success
    /// It is not syncing: it may be idle, or have failed.
    case settled

    fileprivate func isReached<Contents>(by snapshot: LoadableSnapshot<Contents>) -> Bool {
        switch self {
        case .contents: snapshot.contents != nil
        case .success: snapshot.state == .succeeded
        case .settled: snapshot.state != .syncing
        }
    }
}

extension Loadable {
    /// Returns the first snapshot that reaches the goal; the one that stands may.
    ///
    /// - Parameters:
    ///   - limit: how long to wait at most; nil for ever.
    ///   - schedule: syncs while the caller waits; nil to wait for syncs that others start.
    /// - Throws: ``DeadlineExceeded``, or `CancellationError`.
    @discardableResult
    public func wait(
        for goal: LoadableGoal,
        within limit: Duration? = nil,
        syncingBy schedule: SyncSchedule? = nil,
        clock: some Clock<Duration> = ContinuousClock()
    ) async throws -> LoadableSnapshot<Contents> {
        let token = schedule.map { sync(by: $0) }
        defer { token?.cancel() }
        guard let limit else { return try await first(goal) }
        return try await withDeadline(limit, clock: clock) { try await self.first(goal) }
    }

    /// Waits until it is not syncing, and returns the contents that are there then, however the run went.
    ///
    /// - Throws: the run's error if there are no contents, or ``LoadableError/Code/notLoadable`` if it is idle; what
    ///   ``wait(for:within:syncingBy:clock:)`` throws.
    public func settledContents(
        within limit: Duration? = nil,
        clock: some Clock<Duration> = ContinuousClock()
    ) async throws -> Contents {
        let snapshot = try await wait(for: .settled, within: limit, clock: clock)
        if let contents = snapshot.contents { return contents }
        throw snapshot.error ?? LoadableError(.notLoadable, "it has not been loaded")
    }

    private func first(_ goal: LoadableGoal) async throws -> LoadableSnapshot<Contents> {
        for await snapshot in snapshots.states where goal.isReached(by: snapshot) { return snapshot }
        throw CancellationError()
    }
}
