/// What a loadable guards by its lock. Its layout does not depend on the contents' type.
struct LoadableState<Contents: Sendable> {
    var box: ContentsBox<Contents>?
    /// How the last run or write ended.
    var settled = LoadState.idle
    var error: (any Error)?
    /// Counts what has landed: runs and local writes.
    var generation = 0
    /// Of the last thing that landed.
    var upstream: UpstreamVersion?
    var loadedAt: Duration?
    var failedAt: Duration?
    var isLocal = false
    var isInvalidated = false
    /// Counts invalidations.
    var epoch = 0
    /// Whether somebody else, who is followed, is syncing.
    var isFollowingSync = false
    /// Whether what is followed was invalidated.
    var isFollowingInvalidation = false
    /// Whether what is followed is made of what has been replaced since.
    var isFollowingOutdated = false
    /// What was followed last.
    var followed = UpstreamVersion(origin: 0)
    /// The newest that there is to be made of.
    var available = UpstreamVersion(origin: 0)
    /// Counts what was told to listeners.
    var revision = 0
    /// How many want it kept in sync.
    var interests = 0
    var failedAttempts = 0
    var run: LoadableRun<Contents>?
    var runCount = 0
    /// Set after a success; gone with anything that makes the contents stale at once.
    var fresh: ContentsBox<Contents>?
    /// When `fresh` ceases to be; nil for never.
    var freshUntil: Duration?

    mutating func land(
        _ result: Result<ContentsBox<Contents>, any Error>,
        at time: Duration,
        freshFor: Duration?,
        isLocal: Bool = false
    ) {
        generation += 1
        switch result {
        case .success(let box):
            self.box = box
            self.isLocal = isLocal
            settled = .succeeded
            error = nil
            failedAt = nil
            loadedAt = time
            fresh = box
            freshUntil = freshFor.map { time + $0 }
        case .failure(let error):
            settled = .failed
            self.error = error
            failedAt = time
            fresh = nil
        }
    }

    mutating func invalidate() {
        epoch += 1
        isInvalidated = true
        fresh = nil
    }

    /// Whether it is made of what has been replaced since.
    var isOutdated: Bool { upstream.map { $0.origin < available.origin } ?? false }

    func freshBox(now: () -> Duration) -> ContentsBox<Contents>? {
        guard run == nil, !isOutdated, let fresh else { return nil }
        guard let freshUntil else { return fresh }
        return now() < freshUntil ? fresh : nil
    }

    func freshError(for duration: Duration, now: () -> Duration) -> (any Error)? {
        guard duration > .zero, run == nil, !isInvalidated, let error, let failedAt else { return nil }
        return now() - failedAt < duration ? error : nil
    }

    func snapshot(now: () -> Duration) -> LoadableSnapshot<Contents> {
        LoadableSnapshot(
            box: box,
            revision: revision,
            isOutdated: isOutdated || isFollowingOutdated,
            settled: settled,
            state: run == nil && !isFollowingSync ? settled : .syncing,
            error: error,
            age: loadedAt.map { now() - $0 },
            generation: generation,
            isLocal: isLocal,
            isInvalidated: isInvalidated || isOutdated || isFollowingInvalidation,
            failedAttempts: failedAttempts
        )
    }
}
