import Cofferdam

/// A loadable that can be handed out, observed and fetched before its target exists.
///
/// Without a target it is idle and has no contents; a caller of `fetch` waits for a target and then for its contents.
/// With one it follows the target. If the target is replaced, a waiting fetch waits for the new one.
public final class LoadableProxy<Contents: Sendable>: Sendable {
    private struct State {
        var token: ListenerToken?
        var assignments = 0
    }

    /// The loadable to hand out.
    public let loadable: Loadable<Contents>
    private let targets: ProviderSource<Loadable<Contents>?>
    private let state = Mutex(State())

    /// Creates a proxy, with a target if there is one already.
    public init(_ target: Loadable<Contents>? = nil, executor: (any TaskExecutor)? = nil) {
        let targets = ProviderSource<Loadable<Contents>?>(nil)
        self.targets = targets
        loadable = Loadable(
            timekeeper: Timekeeper(ContinuousClock()),
            executor: executor,
            loading: Loadable.Loading { mode in
                // A caller that came before there was a target accepts contents that the target has already.
                if let target = targets.current { return LoadableProxy.loadResult(await target.outcome(mode)) }
                for await case let target? in targets.provider.states {
                    return LoadableProxy.loadResult(await target.outcome(.ifNeeded))
                }
                return LoadableProxy.loadResult(.left)
            } timeUntilUpstreamIsStale: {
                if let target = targets.current { target.timeUntilStale } else { .zero }
            }
        )
        if target != nil { self.target = target }
    }

    /// The target.
    public var target: Loadable<Contents>? {
        get { targets.current }
        set { assign(newValue) }
    }

    /// The target's state is shown by following it: the run only answers its callers.
    private static func loadResult(_ outcome: LoadableOutcome) -> LoadResult<Contents> {
        LoadResult(result: outcome.result.map { .of($0) }, commits: false)
    }

    private func assign(_ target: Loadable<Contents>?) {
        let (old, assignment) = state.withLock { state in
            state.assignments += 1
            return (state.token.take(), state.assignments)
        }
        old?.cancel()
        let hadTarget = targets.current != nil
        targets.set(target)
        guard let target else {
            loadable.follow(Self.followed(nil, assignment))
            return
        }
        let token = target.snapshots.listen { [weak loadable] in
            loadable?.follow(Self.followed($0, assignment))
            loadable?.startIfOutdated(by: $0)
        }
        state.withLock { state in
            if state.assignments == assignment { state.token = token }
        }
        if hadTarget { loadable.restartRun() }
        loadable.startForInterest()
    }

    private static func followed(
        _ snapshot: LoadableSnapshot<Contents>?,
        _ assignment: Int
    ) -> FollowedState {
        FollowedState(
            revision: UpstreamVersion(origin: assignment, inner: (snapshot?.revision ?? 0) + 1),
            version: UpstreamVersion(origin: assignment, inner: snapshot?.generation ?? 0),
            isSyncing: snapshot?.state == .syncing,
            isInvalidated: snapshot?.isInvalidated ?? false,
            isOutdated: snapshot?.isOutdated ?? false,
            loadResult: .settled(snapshot?.settled ?? .idle, snapshot?.box, snapshot?.error, age: snapshot?.age)
        )
    }
}
