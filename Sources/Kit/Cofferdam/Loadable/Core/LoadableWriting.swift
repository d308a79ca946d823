extension Loadable {
    /// Writes the contents locally, as if they had been loaded now. A run that is going on still answers its callers, but
    /// no longer changes the contents.
    @inlinable
    public func set(_ contents: Contents) { write(ContentsBox(contents)) }

    /// Reads and writes the contents as one step, as ``set(_:)``. `change` runs under a lock: keep it short, and call
    /// nothing back.
    public func update(_ change: (Contents?) -> Contents) {
        let now = timekeeper.now
        state.withLock { state in
            landLocally(changed(state.box, change), at: now, in: &state)
        }
        source.deliver()
    }

    /// Changes contents that are there, without saying that they are all new: their age stays, and a run that has not begun
    /// its work yet commits on top, unless a local write has overtaken it.
    func amend(_ change: (Contents) -> Contents) {
        state.withLock { state in
            guard let box = state.box else { return }
            let changed = ContentsBox(change(ContentsBox<Contents>.of(box).contents))
            let isOvertaken = state.run?.generation != state.generation
            let standing = state.standing
            state.generation += 1
            state.box = changed
            if state.isLocal {
                state.overtaking.generation = state.generation
                state.overtaking.standing = standing
                state.overtaking.corrected = standing
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
            landLocally(changed(state.box, change), at: now, in: &state)
            return (Before(before), state.generation)
        }
        source.deliver()
        return OptimisticWrite { self.restore(before, over: written) }
    }

    /// Declares the contents out of date. They stay readable; the next caller loads them, and if this is kept in
    /// sync they are loaded at once. The answer of a run that goes on is out of date too: it commits, as there is no newer
    /// one, and is not fresh.
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
            enterLocally(box, at: now, in: &state)
            let snapshot = state.nextSnapshot(age: .zero)
            return (snapshot, source.post(snapshot))
        }
        source.deliver(snapshot, to: posted.listeners)
        // What goes with the contents before may use this loadable: no lock is held here.
        withExtendedLifetime(posted.replaced) {}
    }

    private func landLocally(
        _ box: ErasedContents,
        at time: Duration,
        in state: inout LoadableState
    ) {
        enterLocally(box, at: time, in: &state)
        post(&state, at: time)
    }

    private func enterLocally(_ box: ErasedContents, at time: Duration, in state: inout LoadableState) {
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

    /// What an optimistic write may have to bring back.
    private struct Before: Sendable {
        let generation: Int
        let standing: Int
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
            standing = state.standing
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
            let isNewest = state.standing == written
            guard isNewest, state.overtaking.corrected != written else {
                state.overtaking.refused = max(state.overtaking.refused ?? written, written)
                guard isNewest else { return (false, false) }
                state.isInvalidated = true
                state.isFresh = false
                post(&state)
                return (false, true)
            }
            // A run is no longer overtaken by what is taken back.
            let mayLand = [state.generation, before.generation].contains(state.run?.generation)
            state.generation += 1
            if mayLand { state.run?.generation = state.generation }
            state.overtaking.generation = state.generation
            state.overtaking.standing = before.standing
            state.box = before.box
            state.settled = before.settled
            state.failure = before.failure
            state.loadedAt = before.loadedAt
            state.isLocal = before.isLocal
            let overtaking = state.overtaking
            // What stands again was to be taken back itself, or would have been replaced by an answer that was dropped.
            let isOld =
                overtaking.refused == before.standing || overtaking.dropped.map { $0 >= before.generation } ?? false
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

/// A local write that may be taken back.
public struct OptimisticWrite: Sendable {
    private let restore: @Sendable () -> Bool

    init(_ restore: @escaping @Sendable () -> Bool) { self.restore = restore }

    /// Brings back what was there before the write, unless something newer has committed since and has not been taken back. A
    /// run that the write has overtaken and that still goes on commits again. What comes back counts as invalidated if a run's
    /// answer was dropped because of the write, and if it is another such write, which was to be taken back while this one
    /// stood on it. A write that has been corrected since stays, and counts as invalidated.
    ///
    /// - Returns: false if something newer is there, or a correction of the write; the contents have not changed then.
    @discardableResult
    public func rollBack() -> Bool { restore() }
}

extension Loadable {
    /// Takes over what has become known elsewhere of contents that are there; without any, it does nothing.
    ///
    /// It is no loading: state, error and age stay, and a run that goes on commits on top, unless a local write has overtaken
    /// it. `change` runs under a lock: keep it short, and call nothing back.
    public func correct(_ change: (Contents) -> Contents) { amend(change) }
}
