import Cofferdam

extension Loadable {
    /// The transformed contents. The derived loadable follows this one at once: contents, state, error and writes. Fetching it
    /// fetches this one and joins its run.
    ///
    /// - Parameter transform: may be called more than once for the same contents, on any thread. What it throws is the
    ///   derived loadable's error.
    public func map<Target: Sendable>(
        _ transform: @escaping @Sendable (Contents) throws -> Target
    ) -> Loadable<Target> {
        let follower = MapFollower(self, transform)
        let derived = Loadable<Target>(
            timekeeper: timekeeper,
            executor: executor,
            loading: Loadable<Target>.Loading(load: follower.load) { [self] in timeUntilStale }
        )
        follower.start(derived)
        return derived
    }
}

/// Updates a derived loadable at every change of its origin.
private final class MapFollower<Contents: Sendable, Target: Sendable>: Sendable {
    private struct State {
        weak var derived: Loadable<Target>?
        var token: ListenerToken?
        var memo: (origin: ContentsBox<Contents>, target: Result<ContentsBox<Target>, any Error>)?
        var last: ContentsBox<Target>?
    }

    private let state = Mutex(State())
    private let origin: Loadable<Contents>
    private let transform: @Sendable (Contents) throws -> Target

    init(_ origin: Loadable<Contents>, _ transform: @escaping @Sendable (Contents) throws -> Target) {
        self.origin = origin
        self.transform = transform
    }

    func start(_ derived: Loadable<Target>) {
        state.withLock { $0.derived = derived }
        let token = origin.snapshots.listen { [weak self] in self?.follow($0) }
        state.withLock { $0.token = token }
        follow(origin.snapshot)
    }

    func load(_ mode: LoadMode) async -> LoadResult<Target> {
        let outcome = await origin.outcome(mode)
        follow(origin.snapshot)
        return LoadResult(
            result: outcome.result.flatMap { target(of: .of($0)) },
            upstream: outcome.generation.map { UpstreamVersion(origin: $0) },
            commits: outcome.generation != nil
        )
    }

    private func follow(_ snapshot: LoadableSnapshot<Contents>) {
        guard let derived = state.withLock({ $0.derived }) else { return }
        derived.follow(
            FollowedState(
                revision: UpstreamVersion(origin: 1, inner: snapshot.revision),
                version: UpstreamVersion(origin: snapshot.generation),
                isSyncing: snapshot.state == .syncing,
                isInvalidated: snapshot.isInvalidated,
                isOutdated: snapshot.isOutdated,
                loadResult: loadResult(of: snapshot)
            )
        )
        derived.startIfOutdated(by: snapshot)
    }

    private func loadResult(of snapshot: LoadableSnapshot<Contents>) -> FollowedState.Commit {
        guard let box = snapshot.box else { return .settled(snapshot.settled, nil, snapshot.error, age: nil) }
        switch target(of: box) {
        case .success(let target): return .settled(snapshot.settled, target, snapshot.error, age: snapshot.age)
        case .failure(let error):
            let last = state.withLock { $0.last }
            return .settled(.failed, last, snapshot.error ?? error, age: snapshot.age)
        }
    }

    private func target(of box: ContentsBox<Contents>) -> Result<ContentsBox<Target>, any Error> {
        if let memo = state.withLock({ $0.memo }), memo.origin === box { return memo.target }
        let target = Result { ContentsBox(try transform(box.contents)) }
        return state.withLock { state in
            // The first transform wins: equal source boxes keep one target box, so that followers recognise it.
            if let memo = state.memo, memo.origin === box { return memo.target }
            state.memo = (box, target)
            if case .success(let box) = target { state.last = box }
            return target
        }
    }
}
