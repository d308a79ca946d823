/// A run that was entered under the lock, and is to be started without it.
struct LoadableStart {
    let run: Int
    let mode: LoadMode
    /// The work of the run that it supersedes.
    let superseded: Task<Void, Never>?

    func perform(_ loadable: Loadable<some Sendable>) {
        superseded?.cancel()
        loadable.source.deliver()
        loadable.start(run, mode)
    }
}

extension Loadable {
    /// Enters a run unless one goes on that does.
    func startIfMissing(_ mode: LoadMode, in state: inout LoadableState) -> LoadableStart? {
        let old = state.run
        if let old {
            if case .restart = mode {} else if old.epoch == state.epoch { return nil }
        }
        state.runCount += 1
        state.failedAttempts = 0
        state.run = LoadableRun(
            id: state.runCount,
            generation: state.generation,
            epoch: state.epoch,
            callers: old?.callers ?? LoadableCallers(),
            priority: max(old?.priority ?? Task.currentPriority, Task.currentPriority)
        )
        if old == nil { post(&state) }
        return LoadableStart(run: state.runCount, mode: mode, superseded: old?.task)
    }

    func start(_ run: Int, _ mode: LoadMode) {
        guard state.withLock({ $0.run?.id == run }) else { return }
        let own = Task.currentPriority
        let task = Task(executorPreference: executor) {
            let loadResult = await self.attempts(run, mode)
            self.end(run, loadResult)
        }
        let priority = state.withLock { state -> TaskPriority? in
            guard state.run?.id == run else { return nil }
            state.run?.task = task
            return state.run?.priority
        }
        guard let priority else { return task.cancel() }
        // More urgent callers may have joined meanwhile, or wait since the run that this one supersedes.
        if priority > own { task.raise(to: priority) }
    }

    /// Raises the run that goes on for those callers: a less urgent one may have started it.
    func raise(_ callers: LoadableCallers, to priority: TaskPriority) {
        let task = state.withLock { state -> Task<Void, Never>? in
            guard let run = state.run, run.callers === callers, run.priority < priority else { return nil }
            state.run?.priority = priority
            return run.task
        }
        task?.raise(to: priority)
    }

    /// Starts a run whose outcome nobody waits for, if it is needed and somebody wants it kept in sync.
    func startForInterest() {
        let isUpstreamStale = loading.isUpstreamStale
        let start = state.withLock { state -> LoadableStart? in
            guard state.interests > 0 else { return nil }
            if state.run == nil {
                if !isUpstreamStale, state.freshBox(now: { timekeeper.now }) != nil { return nil }
                if state.freshError(for: freshness.error, now: { timekeeper.now }) != nil { return nil }
            }
            return startIfMissing(.ifNeeded, in: &state)
        }
        start?.perform(self)
    }

    private func attempts(_ run: Int, _ mode: LoadMode) async -> LoadResult<Contents> {
        var failures = 0
        while true {
            let loadResult = await loading.load(mode)
            guard case .failure(let error) = loadResult.result else { return loadResult }
            failures += 1
            guard !Task.isCancelled, let wait = retry?(failures, error) else { return loadResult }
            note(failures, of: run)
            do { try await timekeeper.sleep(for: wait) } catch { return loadResult }
        }
    }

    private func note(_ failures: Int, of run: Int) {
        state.withLock { state in
            guard state.run?.id == run else { return }
            state.failedAttempts = failures
            post(&state)
        }
        source.deliver()
    }

    private func end(_ run: Int, _ loadResult: LoadResult<Contents>) {
        let now = timekeeper.now
        let ended = state.withLock { state -> (LoadableCallers, Int?, Bool)? in
            guard let ended = state.run, ended.id == run else { return nil }
            state.run = nil
            state.failedAttempts = 0
            let isOvertaken = ended.generation != state.generation
            let commits = loadResult.commits && !isOvertaken && isCurrent(loadResult.upstream, state)
            if commits { commit(loadResult, at: now, epoch: ended.epoch, in: &state) }
            if loadResult.commits, isOvertaken { state.overtaking.dropped = ended.generation }
            let stands = commits || isShown(loadResult.result, state)
            post(&state, at: now)
            let isInvalid = state.isFollowingInvalidation && state.settled == .succeeded
            let isOutdated = state.isOutdated || state.isFollowingOutdated || isInvalid
            return (ended.callers, stands ? state.generation : nil, isOutdated)
        }
        guard let (callers, generation, isOutdated) = ended else { return }
        source.deliver()
        callers.end(LoadableOutcome(result: loadResult.result.map { $0 as ErasedContents }, generation: generation))
        if isOutdated { startForInterest() }
    }

    private func isCurrent(_ upstream: UpstreamVersion?, _ state: borrowing LoadableState) -> Bool {
        guard let upstream, let committed = state.upstream else { return true }
        return upstream >= committed
    }

    /// Whether an answer has committed by another way already: what is followed, or restored, does.
    private func isShown(
        _ result: Result<ContentsBox<Contents>, any Error>,
        _ state: borrowing LoadableState
    ) -> Bool {
        guard case .success(let box) = result, state.settled == .succeeded, let shown = state.box else { return false }
        return shown === box
    }

    private func commit(
        _ loadResult: LoadResult<Contents>,
        at time: Duration,
        epoch: Int,
        in state: inout LoadableState
    ) {
        state.commit(loadResult.result.map { $0 as ErasedContents }, at: time, freshFor: freshness.contents)
        state.upstream = loadResult.upstream ?? state.upstream
        if epoch == state.epoch { state.isInvalidated = false } else { state.isFresh = false }
    }

    /// Gives up the run that goes on, and cancels its work, if nobody wants it any more.
    ///
    /// - Parameter callers: whose run it must still be; nil for any.
    func giveUpIfUnwanted(_ callers: LoadableCallers? = nil) {
        let (task, isGivenUp) = state.withLock { state -> (Task<Void, Never>?, Bool) in
            guard let run = state.run, callers == nil || run.callers === callers, run.callers.count == 0,
                state.interests == 0
            else { return (nil, false) }
            state.run = nil
            state.failedAttempts = 0
            post(&state)
            return (run.task, true)
        }
        task?.cancel()
        if isGivenUp { source.deliver() }
    }
}
