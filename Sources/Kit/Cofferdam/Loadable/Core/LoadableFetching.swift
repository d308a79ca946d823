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
