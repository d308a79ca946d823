/// Contents that are loaded when somebody asks, kept, and refreshed: what a screen shows while it waits, and afterwards.
///
/// However many ask at a time, there is one run and each gets its result. A caller that is cancelled leaves at once and
/// disturbs nobody; when nobody is left, the work is cancelled. Old contents stay while a run goes on and after one has
/// failed. An answer that is late, of a run that was given up or of one that a local write overtook, never
/// commits, unless that write is taken back before the answer comes.
///
/// Who keeps a run going: the callers of ``fetch()``, ``fetchIfNeeded()``, ``sync()`` and ``syncIfNeeded()`` until they
/// return, and whoever holds a token of ``activate()``. Listeners and sequences do not, unless they asked for it.
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

    /// How contents are come by.
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
