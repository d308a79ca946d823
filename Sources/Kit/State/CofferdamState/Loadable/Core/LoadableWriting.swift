import Cofferdam

extension Loadable {
    /// Writes the contents locally, as if they had been loaded now. A current run still returns to its callers but no longer
    /// changes the contents.
    @inlinable
    public func set(_ contents: Contents) { write(ContentsBox(contents)) }

    /// Reads and writes the contents as one step, like ``set(_:)``. `change` runs under a lock: keep it short and do not use
    /// the loadable in it.
    public func update(_ change: (Contents?) -> Contents) {
        let now = timekeeper.now
        state.withLock { state in
            commitAndPostLocally(changed(state.box, change), at: now, in: &state)
        }
        source.deliver()
    }

    /// Changes existing contents without renewing their age. A run that has not begun its work commits afterwards, unless a
    /// local write has overtaken it.
    func amend(_ change: (Contents) -> Contents) {
        state.withLock { state in
            guard let box = state.box else { return }
            let changed = ContentsBox(change(ContentsBox<Contents>.of(box).contents))
            let isOvertaken = state.run?.generation != state.generation
            let committedGeneration = state.committedGeneration
            state.generation += 1
            state.box = changed
            if state.isLocal {
                state.overtaking.generation = state.generation
                state.overtaking.committedGeneration = committedGeneration
                state.overtaking.corrected = committedGeneration
            }
            if !isOvertaken { state.run?.generation = state.generation }
            post(&state)
        }
        source.deliver()
    }

    /// Writes the contents before the server has confirmed them; if it refuses, roll back with the token.
    public func writeOptimistically(_ change: (Contents?) -> Contents) -> OptimisticWrite {
        let now = timekeeper.now
        let (before, written) = state.withLock { state in
            let before = state
            commitAndPostLocally(changed(state.box, change), at: now, in: &state)
            return (Before(before), state.generation)
        }
        source.deliver()
        return OptimisticWrite { self.restore(before, over: written) }
    }

    /// Marks the contents as stale. They stay readable, and the next caller loads them; a loadable that is kept in sync loads
    /// at once. The answer of a current run commits too, but is stale.
    public func invalidate() {
        state.withLock { state in
            state.invalidate()
            post(&state)
        }
        source.deliver()
        startForInterest()
    }

    /// Ends the current run and cancels its work; contents and state are as before it.
    ///
    /// Its callers get ``LoadableError/Code/givenUp``.
    public func cancel() { giveUpForAll { _ in } }

    /// Returns to the initial state. The callers of a current run get ``LoadableError/Code/givenUp``. If this is kept in
    /// sync, it loads again.
    public func reset() {
        giveUpForAll { state in
            state.box = nil
            state.isFresh = false
            state.settled = .idle
            state.failure = nil
            state.loadedAt = nil
            state.isLocal = false
            state.isInvalidated = false
            state.generation += 1
        }
        startForInterest()
    }

    private func changed(_ box: ErasedContents?, _ change: (Contents?) -> Contents) -> ContentsBox<Contents> {
        ContentsBox(change(box.map { ContentsBox.of($0).contents }))
    }

    @usableFromInline
    func write(_ box: ErasedContents) {
        let now = timekeeper.now
        let (snapshot, posted) = state.withLock { state in
            commitLocally(box, at: now, in: &state)
            let snapshot = state.nextSnapshot(age: .zero)
            return (snapshot, source.post(snapshot))
        }
        source.deliver(snapshot, to: posted.listeners)
        // The old contents are freed here, without the lock: their deinitialiser may use this loadable.
        withExtendedLifetime(posted.replaced) {}
    }

    private func commitAndPostLocally(
        _ box: ErasedContents,
        at time: Duration,
        in state: inout LoadableState
    ) {
        commitLocally(box, at: time, in: &state)
        post(&state, at: time)
    }

    private func commitLocally(_ box: ErasedContents, at time: Duration, in state: inout LoadableState) {
        state.commit(.success(box), at: time, freshFor: freshness.contents, isLocal: true)
        state.isInvalidated = false
    }

    private func giveUpForAll(_ change: (inout LoadableState) -> Void) {
        let run = state.withLock { state in
            let run = state.run
            state.run = nil
            state.failedAttempts = 0
            change(&state)
            post(&state)
            return run
        }
        run?.task?.cancel()
        source.deliver()
        let error = LoadableError(.givenUp, "the run was given up")
        run?.callers.end(LoadableOutcome(result: .failure(error), generation: nil))
    }

    /// What the rollback of an optimistic write restores.
    private struct Before: Sendable {
        let generation: Int
        let committedGeneration: Int
        let box: ErasedContents?
        let settled: LoadState
        let failure: LoadFailure?
        let loadedAt: Duration?
        let isLocal: Bool
        let isInvalidated: Bool
        let isFresh: Bool
        let freshUntil: Duration?

        init(_ state: LoadableState) {
            generation = state.generation
            committedGeneration = state.committedGeneration
            box = state.box
            settled = state.settled
            failure = state.failure
            loadedAt = state.loadedAt
            isLocal = state.isLocal
            isInvalidated = state.isInvalidated
            isFresh = state.isFresh
            freshUntil = state.freshUntil
        }
    }

    private func restore(_ before: Before, over written: Int) -> Bool {
        let (isRestored, isWanted) = state.withLock { state in
            let isNewest = state.committedGeneration == written
            guard isNewest, state.overtaking.corrected != written else {
                state.overtaking.refused = max(state.overtaking.refused ?? written, written)
                guard isNewest else { return (false, false) }
                state.isInvalidated = true
                state.isFresh = false
                post(&state)
                return (false, true)
            }
            // A write that is rolled back no longer overtakes a run.
            let mayCommit = [state.generation, before.generation].contains(state.run?.generation)
            state.generation += 1
            if mayCommit { state.run?.generation = state.generation }
            state.overtaking.generation = state.generation
            state.overtaking.committedGeneration = before.committedGeneration
            state.box = before.box
            state.settled = before.settled
            state.failure = before.failure
            state.loadedAt = before.loadedAt
            state.isLocal = before.isLocal
            let overtaking = state.overtaking
            // The restored contents were to be rolled back themselves, or would have been replaced by an answer that
            // was dropped.
            let isOld =
                overtaking.refused == before.committedGeneration
                || overtaking.dropped.map { $0 >= before.generation } ?? false
            state.isInvalidated = state.isInvalidated || before.isInvalidated || isOld
            state.isFresh = before.isFresh && !state.isInvalidated
            state.freshUntil = before.freshUntil
            post(&state)
            return (true, state.settled == .idle || state.isInvalidated)
        }
        source.deliver()
        if isWanted { startForInterest() }
        return isRestored
    }
}

/// A local write that can be rolled back.
public struct OptimisticWrite: Sendable {
    private let restore: @Sendable () -> Bool

    init(_ restore: @escaping @Sendable () -> Bool) { self.restore = restore }

    /// Restores the contents from before the write, unless newer contents have been committed since. A write that was
    /// corrected meanwhile stays, and becomes stale.
    ///
    /// A run that the write had overtaken may commit again. The restored contents are stale in two cases: a run's answer
    /// was dropped because of the write, or they are themselves an optimistic write, whose rollback this write had
    /// prevented.
    ///
    /// - Returns: false if the contents are newer or were corrected, and did not change.
    @discardableResult
    public func rollBack() -> Bool { restore() }
}

extension Loadable {
    /// Applies a change that became known elsewhere to existing contents; without contents it does nothing.
    ///
    /// State, error and age stay, and a current run commits afterwards unless a local write has overtaken it. `change` runs
    /// under a lock: keep it short and do not use the loadable in it.
    public func correct(_ change: (Contents) -> Contents) { amend(change) }
}
