import Cofferdam

/// The state that a derived loadable takes over from the loadables that it follows.
struct FollowedState: Sendable {
    /// The revision of the followed change: an earlier one that arrives later is ignored.
    var revision: UpstreamVersion
    /// The version of the upstream commit; none commits twice.
    var version: UpstreamVersion
    var isSyncing: Bool
    /// Whether the followed loadable was invalidated, if its contents are taken over.
    var isInvalidated = false
    /// Whether the followed contents are derived from contents that have been replaced since.
    var isOutdated = false
    var loadResult: Commit

    enum Commit: Sendable {
        /// Everything is taken over.
        case settled(LoadState, ErasedContents?, (any Error)?, age: Duration?)
        /// The current contents have become out of date.
        case outdated
        /// Only whether it is syncing.
        case nothing
    }
}

extension Loadable {
    func follow(_ followed: FollowedState) {
        let now = timekeeper.now
        let shouldNotify = state.withLock { state -> Bool in
            guard followed.revision > state.followed else { return false }
            state.followed = followed.revision
            state.available = max(state.available, followed.version)
            var hasChanged =
                state.isFollowingSync != followed.isSyncing
                || state.isFollowingInvalidation != followed.isInvalidated
            state.isFollowingSync = followed.isSyncing
            state.isFollowingInvalidation = followed.isInvalidated
            state.isFollowingOutdated = followed.isOutdated
            if state.upstream.map({ followed.version > $0 }) ?? true {
                hasChanged = commit(followed, at: now, in: &state) || hasChanged
            }
            // A run in progress reports it when it ends.
            if hasChanged, state.run == nil { post(&state, at: now) }
            return hasChanged
        }
        if shouldNotify { source.deliver() }
    }

    /// - Returns: whether anything has changed.
    private func commit(
        _ followed: FollowedState,
        at time: Duration,
        in state: inout LoadableState
    ) -> Bool {
        switch followed.loadResult {
        case .nothing: return false
        case .outdated: return state.upstream != nil
        case .settled(let settled, let box, let error, let age):
            state.upstream = followed.version
            state.setBase(box, isLocal: false)
            state.settled = settled
            state.failure = error.map { LoadFailure($0, at: time) }
            state.loadedAt = age.map { time - $0 }
            state.isInvalidated = false
            state.isFresh = settled == .succeeded && box != nil
            state.freshUntil = nil
        }
        return true
    }

    /// Starts a run if the upstream change requires one. An upstream failure starts none, because that would repeat
    /// forever.
    func startIfOutdated(by snapshot: LoadableSnapshot<some Sendable>) {
        let own = self.snapshot
        let isReady = snapshot.state == .succeeded && (snapshot.isInvalidated || own.isInvalidated)
        guard isReady || snapshot.isOutdated else { return }
        startForInterest()
    }

    /// Commits contents from elsewhere, as a push source does.
    package func push(_ result: Result<Contents, any Error>) {
        let now = timekeeper.now
        state.withLock { state in
            state.isFollowingSync = false
            state.commit(result.map { ContentsBox($0) as ErasedContents }, at: now, freshFor: freshness.contents)
            state.isInvalidated = false
            post(&state, at: now)
        }
        source.deliver()
    }

    /// Shows that a followed loadable is syncing.
    package func pushSyncing() {
        state.withLock { state in
            state.isFollowingSync = true
            post(&state)
        }
        source.deliver()
    }

    /// Makes the callers of the current run wait for a new one.
    func restartRun() {
        let start = state.withLock { $0.run == nil ? nil : startIfMissing(.restart, in: &$0) }
        start?.perform(self)
    }
}
