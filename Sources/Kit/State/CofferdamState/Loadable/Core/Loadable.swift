public import Cofferdam  // listeners' tokens

/// Contents that are loaded on demand, kept and refreshed, with the state of loading them.
///
/// Concurrent callers share one run, and each gets its result. A cancelled caller leaves at once without disturbing the
/// others; when the last one leaves, the work is cancelled. Old contents stay during a run and after a failed one. A
/// late answer does not commit if its run was cancelled, or if a local write has overtaken it, unless that write is
/// rolled back before the answer arrives.
///
/// A run is kept going by the callers of ``fetch()``, ``fetchIfNeeded()``, ``sync()`` and ``syncIfNeeded()`` until they
/// return, and by the holders of ``activate()`` tokens. Listeners and sequences do not keep it going unless they are active.
///
/// Safe to use from any task. Runs use the given executor, by default the global one; listeners are called on the thread
/// that makes the change.
public final class Loadable<Contents: Sendable>: Sendable {
    let state: Mutex<LoadableState>
    let source: ProviderCore<SnapshotFields>
    let loading: Loading
    let freshness: Freshness
    /// The delay before the next attempt, by the number of failed ones; nil if a run is one attempt.
    let retry: (@Sendable (Int, any Error) -> Duration?)?
    let timekeeper: Timekeeper
    let executor: (any TaskExecutor)?

    /// How contents are loaded.
    struct Loading: Sendable {
        let load: @Sendable (LoadMode) async -> LoadResult<Contents>
        /// The time until the upstream contents are stale, and these with them: zero if they are, nil if they do not age.
        var timeUntilUpstreamIsStale: (@Sendable () -> Duration?)?
        /// Called before the first attempt of a run.
        var begin: (@Sendable () -> Void)?

        var isUpstreamStale: Bool { if let time = timeUntilUpstreamIsStale?() { time <= .zero } else { false } }
    }

    /// - Parameters:
    ///   - contents: initial contents; they count as stale.
    ///   - freshFor: how long loaded contents are fresh; if nil, until they are replaced.
    ///   - clock: measures their age.
    ///   - executor: runs the loads.
    ///   - load: returns the contents. It must react to cancellation and must not fetch from this loadable.
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
    ///   - contents: initial contents; they count as stale.
    ///   - freshness: how long contents are fresh, and how long a failure is not retried.
    ///   - retry: which failures lead to another attempt in the same run.
    ///   - persistence: where contents are saved between launches.
    ///   - clock: measures ages and sleeps between attempts.
    ///   - executor: runs the loads.
    ///   - load: returns the contents. It must react to cancellation and must not fetch from this loadable.
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

    /// The current state.
    public var snapshot: LoadableSnapshot<Contents> {
        LoadableSnapshot(state.withLock { $0.snapshot(age: $0.age(at: timekeeper.now)) })
    }

    /// The snapshot, for listeners and as a sequence of states; neither keeps a run alive.
    public var snapshots: Provider<LoadableSnapshot<Contents>> {
        Provider(SnapshotHub<Contents>(source))
    }

    /// The time since the contents were loaded or written; nil if they never were.
    public var age: Duration? { snapshot.age }

    /// Whether ``fetchIfNeeded()`` would start a run: there are no contents, the last run failed, or the contents or their
    /// origin are stale or invalidated. False during a run.
    public var needsSync: Bool {
        let isUpstreamStale = loading.isUpstreamStale
        return state.withLock { state in
            guard state.run == nil else { return false }
            if state.freshBox(now: { timekeeper.now }) != nil { return isUpstreamStale }
            return state.freshError(for: freshness.error, now: { timekeeper.now }) == nil
        }
    }

    /// The time until ``needsSync`` becomes true: zero if it is, nil during a run or if the contents do not age.
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

    /// How many callers wait for the current run.
    package var callerCount: Int { state.withLock { $0.run?.callers.count ?? 0 } }

    /// The number of registered listeners, waiting sequences, and tokens that keep it in sync.
    package var userCount: Int { source.listenerCount + source.waitingCount + state.withLock { $0.interests } }

    /// Queues a snapshot for listeners. Call it under the lock, and `source.deliver()` afterwards, without the lock.
    func post(_ state: inout LoadableState, at now: @autoclosure () -> Duration) {
        source.queue(state.nextSnapshot(age: state.age(at: now())))
    }

    func post(_ state: inout LoadableState) { post(&state, at: timekeeper.now) }
}

extension Loadable {
    /// Starts a run, or joins the current one, and returns its contents. A run that began before an ``invalidate()`` is
    /// superseded instead: its callers wait for the new one.
    ///
    /// - Throws: the run's error, or `CancellationError` as soon as this task is cancelled.
    @discardableResult
    public func fetch() async throws -> Contents { try await contents(of: outcome(.always)) }

    /// Starts a new run. A current one is cancelled, and its callers get the new run's outcome.
    @discardableResult
    public func refetch() async throws -> Contents { try await contents(of: outcome(.restart)) }

    /// Returns the contents if they are fresh, otherwise those of ``fetch()``.
    ///
    /// - Throws: as ``fetch()``; while a failure is fresh (``Freshness/error``), that failure's error again.
    @inlinable
    @discardableResult
    public func fetchIfNeeded() async throws -> Contents {
        if let fresh = freshContents() { return ContentsBox<Contents>.of(fresh).contents }
        return try await contentsIfNeeded()
    }

    /// Starts a run, or joins the current one, and returns when it ends or this task is cancelled. The outcome is in
    /// ``snapshot``.
    public func sync() async { _ = await outcome(.always) }

    /// Calls ``sync()`` if ``needsSync`` or during a run.
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
        let priority = Task.currentPriority
        switch join(mode, priority) {
        case .settled(let outcome): return outcome
        case .seated(let seat, let callers, let start, let urgent):
            urgent?.raise(to: priority)
            return await withTaskCancellationHandler {
                await passingEscalation {
                    self.raise(callers, to: $0)
                } of: {
                    start?.perform(self)
                    // Raised before the handler was there.
                    if Task.currentPriority != priority { raise(callers, to: Task.currentPriority) }
                    return await callers.wait(at: seat)
                }
            } onCancel: {
                if callers.leave(seat) { giveUpIfUnwanted(callers) }
            }
        }
    }

    private enum Joining {
        case settled(LoadableOutcome)
        /// The task is the run's, if this caller is more urgent than those before it.
        case seated(Int, LoadableCallers, LoadableStart?, Task<Void, Never>?)
    }

    private func join(_ mode: LoadMode, _ priority: TaskPriority) -> Joining {
        let isUpstreamStale = loading.isUpstreamStale
        return state.withLock { state in
            if case .ifNeeded = mode, let settled = settledOutcome(state, isUpstreamStale) { return .settled(settled) }
            let start = startIfMissing(mode, in: &state)
            // Reserved under the lock: from here on the run is wanted.
            guard let callers = state.run?.callers else { return .settled(.left) }
            return .seated(callers.reserve(), callers, start, state.run?.raise(to: priority))
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
    /// ``invalidate()``, and keeps a run going without other callers.
    public func activate() -> ListenerToken {
        state.withLock { $0.interests += 1 }
        startForInterest()
        return ListenerToken { [weak self] in
            guard let self else { return }
            self.state.withLock { $0.interests -= 1 }
            self.giveUpIfUnwanted()
        }
    }

    /// Calls `body` with the current snapshot and then with every change, for as long as the token is held.
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

    /// Awaits `body` with the current snapshot and then with later ones, one at a time, for as long as the token is held.
    /// Snapshots that arrive meanwhile are skipped, except the last.
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

/// A state to wait for.
public enum LoadableGoal: String, Sendable, Hashable, CaseIterable {
    /// There are contents, however old.
    case contents
    /// The last run or write has succeeded.
    case success
    /// No run is in progress; the last one may have failed.
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
    /// Returns the first snapshot that reaches the goal, which may be the current one.
    ///
    /// - Parameters:
    ///   - limit: how long to wait; nil for no limit.
    ///   - schedule: syncs while the caller waits; nil to wait for syncs that others start.
    /// - Throws: `DeadlineExceeded`, or `CancellationError`.
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

    /// Waits until no run is in progress and returns the contents, also after a failed run.
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
