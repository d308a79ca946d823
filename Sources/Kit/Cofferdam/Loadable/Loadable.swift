/// Contents that are loaded when somebody asks, kept, and refreshed: what a screen shows while it waits, and afterwards.
///
/// However many ask at a time, there is one run and each gets its result. A caller that is cancelled leaves at once and
/// disturbs nobody; when the last has left, the work is cancelled. Old contents stay while a run goes on and after one has
/// failed. An answer that is late, of a run that was given up or of one that a local write overtook, never lands.
public final class Loadable<Contents: Sendable>: Sendable {
    private struct State {
        var contents: Contents?
        /// How the last run or write ended.
        var settled = LoadState.idle
        var error: (any Error)?
        /// Counts what has landed: runs and local writes.
        var generation = 0
        var loadedAt: Duration?
        var run: Run?
        var runCount = 0

        mutating func land(_ result: Result<Contents, any Error>, at time: Duration) {
            generation += 1
            switch result {
            case .success(let contents):
                self.contents = contents
                settled = .succeeded
                error = nil
                loadedAt = time
            case .failure(let error):
                settled = .failed
                self.error = error
            }
        }
    }

    private struct Run {
        let id: Int
        /// The generation on which its answer may land.
        let generation: Int
        var task: Task<Void, Never>?
        var callers: [Int: @Sendable (Result<Contents, any Error>) -> Void] = [:]
        var callerCount = 0
    }

    private let state: Mutex<State>
    private let source: ProviderSource<LoadableSnapshot<Contents>>
    private let load: @Sendable () async throws -> Contents
    private let freshFor: Duration?
    private let now: @Sendable () -> Duration
    private let executor: (any TaskExecutor)?

    /// - Parameters:
    ///   - contents: what is there already; it is no substitute for loading.
    ///   - freshFor: how long loaded contents are fresh; nil, until they are replaced.
    ///   - clock: tells their age.
    ///   - executor: where the runs run.
    ///   - load: gives the contents; it must heed cancellation, and must not fetch from this loadable.
    public init(
        _ contents: Contents? = nil,
        freshFor: Duration? = nil,
        clock: some Clock<Duration> = ContinuousClock(),
        executor: (any TaskExecutor)? = nil,
        load: @escaping @Sendable () async throws -> Contents
    ) {
        let origin = clock.now
        now = { origin.duration(to: clock.now) }
        state = Mutex(State(contents: contents))
        source = ProviderSource(LoadableSnapshot(state: .idle, contents: contents, error: nil, generation: 0))
        self.freshFor = freshFor
        self.executor = executor
        self.load = load
    }

    /// How things stand now.
    public var snapshot: LoadableSnapshot<Contents> { source.current }

    /// The snapshot, for listeners and as a sequence of states; neither keeps a run alive.
    public var snapshots: Provider<LoadableSnapshot<Contents>> { source.provider }

    /// Whether ``fetchIfNeeded()`` would start a run: nothing has been loaded, the last run failed, or what there is has
    /// grown too old. Not while a run goes on.
    public var needsSync: Bool { state.withLock { $0.run == nil && isStale($0) } }

    /// How long ago the contents were loaded or written; nil if never.
    public var age: Duration? { state.withLock { $0.loadedAt }.map { now() - $0 } }

    /// How many callers wait for the run that is going on.
    package var callerCount: Int { state.withLock { $0.run?.callers.count ?? 0 } }

    private func isStale(_ state: borrowing State) -> Bool {
        guard state.settled == .succeeded, let loadedAt = state.loadedAt else { return true }
        return freshFor.map { now() - loadedAt >= $0 } ?? false
    }

    /// Loads, or joins the run that is going on, and returns that run's contents.
    ///
    /// - Throws: the run's error, or `CancellationError` as soon as this task is cancelled.
    public func fetch() async throws -> Contents {
        try await vendorCall { complete in
            let caller = join(complete)
            return VendorCancellation { self.leave(caller) }
        }
    }

    /// What is there if it is fresh; otherwise ``fetch()``.
    public func fetchIfNeeded() async throws -> Contents {
        if let fresh = state.withLock({ freshContents($0) }) { return fresh }
        return try await vendorCall { complete in
            // Looks again: a run may have landed meanwhile, and must not be followed by another.
            let (caller, fresh) = state.withLock { state in
                let fresh = freshContents(state)
                return (fresh == nil ? add(complete, to: &state) : nil, fresh)
            }
            if let fresh { complete(.success(fresh)) }
            guard let caller else { return .none }
            begin(caller)
            return VendorCancellation { self.leave(caller.caller) }
        }
    }

    private func freshContents(_ state: State) -> Contents? {
        state.run == nil && !isStale(state) ? state.contents : nil
    }

    /// Loads, or joins the run that is going on, and returns when it is over, or this task is cancelled; the outcome stands
    /// in ``snapshot``.
    public func sync() async {
        do { _ = try await fetch() } catch { return }
    }

    /// ``sync()`` if ``needsSync``, or if a run is going on already.
    public func syncIfNeeded() async {
        do { _ = try await fetchIfNeeded() } catch { return }
    }

    /// Writes the contents locally, as if they had been loaded now. A run that is going on still answers its callers, but
    /// no longer changes the contents.
    public func set(_ contents: Contents) {
        state.withLock { state in
            state.land(.success(contents), at: now())
            post(state)
        }
        source.deliver()
    }
}

// MARK: - Runs

extension Loadable {
    private struct Caller {
        let run: Int
        let id: Int
    }

    private func join(_ complete: @escaping @Sendable (Result<Contents, any Error>) -> Void) -> Caller {
        let joined = state.withLock { add(complete, to: &$0) }
        begin(joined)
        return joined.caller
    }

    /// Adds a caller to the run that is going on, or to a new one, which is then to be begun.
    private func add(
        _ complete: @escaping @Sendable (Result<Contents, any Error>) -> Void,
        to state: inout State
    ) -> (caller: Caller, isFirst: Bool) {
        let isFirst = state.run == nil
        if isFirst { state.runCount += 1 }
        var run = state.run ?? Run(id: state.runCount, generation: state.generation)
        run.callerCount += 1
        run.callers[run.callerCount] = complete
        state.run = run
        if isFirst { post(state) }
        return (Caller(run: run.id, id: run.callerCount), isFirst)
    }

    private func begin(_ joined: (caller: Caller, isFirst: Bool)) {
        guard joined.isFirst else { return }
        source.deliver()
        start(joined.caller.run)
    }

    private func start(_ run: Int) {
        let task = Task(executorPreference: executor) {
            do {
                self.end(run, .success(try await self.load()))
            } catch {
                self.end(run, .failure(error))
            }
        }
        let isWanted = state.withLock { state in
            guard state.run?.id == run else { return false }
            state.run?.task = task
            return true
        }
        if !isWanted { task.cancel() }
    }

    private func end(_ run: Int, _ result: Result<Contents, any Error>) {
        let callers = state.withLock { state in
            guard let ended = state.run, ended.id == run else {
                return [] as [@Sendable (Result<Contents, any Error>) -> Void]
            }
            state.run = nil
            if ended.generation == state.generation { state.land(result, at: now()) }
            post(state)
            return ended.callers.sorted { $0.key < $1.key }.map(\.value)
        }
        for complete in callers { complete(result) }
        source.deliver()
    }

    private func leave(_ caller: Caller) {
        let (task, isLast) = state.withLock { state in
            guard state.run?.id == caller.run, state.run?.callers.removeValue(forKey: caller.id) != nil,
                state.run?.callers.isEmpty == true
            else { return (nil as Task<Void, Never>?, false) }
            let task = state.run?.task
            state.run = nil
            post(state)
            return (task, true)
        }
        task?.cancel()
        if isLast { source.deliver() }
    }

    private func post(_ state: borrowing State) {
        source.post(
            LoadableSnapshot(
                state: state.run == nil ? state.settled : .syncing,
                contents: state.contents,
                error: state.error,
                generation: state.generation
            )
        )
    }
}
