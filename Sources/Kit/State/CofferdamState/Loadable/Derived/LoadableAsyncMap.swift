import Cofferdam

extension Loadable {
    /// The contents after further asynchronous work. The derived loadable follows this one's runs, failures and resets.
    /// New contents make the derived ones out of date, and are transformed when a caller fetches the derived loadable
    /// or keeps it in sync.
    ///
    /// ``fetch()`` fetches this one too, ``fetchIfNeeded()`` only if it needs it.
    public func asyncMap<Target: Sendable>(
        _ transform: @escaping @Sendable (Contents) async throws -> Target
    ) -> Loadable<Target> {
        derived { box, generation, _ in
            let upstream = UpstreamVersion(origin: generation)
            do {
                return LoadResult(
                    result: .success(ContentsBox(try await transform(box.contents))),
                    upstream: upstream
                )
            } catch {
                return LoadResult(result: .failure(error), upstream: upstream)
            }
        }
    }

    /// - Parameter evaluate: makes the target's contents from this one's, which committed as that generation.
    func derived<Target: Sendable>(
        _ evaluate: @escaping @Sendable (ContentsBox<Contents>, Int, LoadMode) async -> LoadResult<Target>
    ) -> Loadable<Target> {
        let follower = Follower<Contents, Target>(self)
        let derived = Loadable<Target>(
            timekeeper: timekeeper,
            executor: executor,
            loading: Loadable<Target>.Loading { [self] mode in
                let outcome = await self.outcome(mode)
                let generation = outcome.generation
                switch outcome.result {
                case .failure(let error):
                    return LoadResult(
                        result: .failure(error),
                        upstream: generation.map { UpstreamVersion(origin: $0) },
                        commits: generation != nil
                    )
                case .success(let box):
                    var loadResult = await evaluate(.of(box), generation ?? 0, mode)
                    if generation == nil { loadResult.commits = false }
                    return loadResult
                }
            } timeUntilUpstreamIsStale: {
                follower.timeUntilStale
            }
        )
        follower.start(derived)
        return derived
    }
}

/// Notifies a derived loadable, whose contents take work to make, of changes of its origin.
final class Follower<Contents: Sendable, Target: Sendable>: Sendable {
    private struct State {
        weak var derived: Loadable<Target>?
        var token: ListenerToken?
    }

    private let state = Mutex(State())
    private let origin: Loadable<Contents>

    init(_ origin: Loadable<Contents>) { self.origin = origin }

    var timeUntilStale: Duration? {
        let made = state.withLock { $0.derived }?.upstream
        if let made, made.origin < origin.snapshot.generation { return .zero }
        return origin.timeUntilStale
    }

    func start(_ derived: Loadable<Target>) {
        state.withLock { $0.derived = derived }
        let token = origin.snapshots.listen { [weak self] in self?.follow($0) }
        state.withLock { $0.token = token }
    }

    private func follow(_ snapshot: LoadableSnapshot<Contents>) {
        guard let derived = state.withLock({ $0.derived }) else { return }
        let loadResult: FollowedState.Commit =
            if let error = snapshot.error {
                .settled(.failed, derived.snapshot.base, error, age: derived.age)
            } else if snapshot.box == nil { .settled(.idle, nil, nil, age: nil) } else { .outdated }
        derived.follow(
            FollowedState(
                revision: UpstreamVersion(origin: 1, inner: snapshot.revision),
                version: UpstreamVersion(origin: snapshot.generation),
                isSyncing: snapshot.state == .syncing,
                loadResult: snapshot.generation == 0 ? .nothing : loadResult
            )
        )
        derived.startIfOutdated(by: snapshot)
    }
}
