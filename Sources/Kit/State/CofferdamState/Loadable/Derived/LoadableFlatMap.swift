import Cofferdam

extension Loadable {
    /// The contents of an inner loadable, which `next` returns for the contents of this one, and again whenever they
    /// change. The derived loadable follows the inner one: contents, state, error and writes.
    ///
    /// ``fetch()`` fetches both, ``fetchIfNeeded()`` each only if it needs it.
    ///
    /// - Parameter next: may be called more than once for the same contents.
    public func flatMap<Target: Sendable>(
        _ next: @escaping @Sendable (Contents) throws -> Loadable<Target>
    ) -> Loadable<Target> {
        chained(next) { _, target in target }
    }

    /// These contents together with those of the inner loadable; otherwise as ``flatMap(_:)``.
    public func joined<Target: Sendable>(
        _ next: @escaping @Sendable (Contents) throws -> Loadable<Target>
    ) -> Loadable<(Contents, Target)> {
        chained(next) { contents, target in (contents, target) }
    }

    private func chained<Inner: Sendable, Target: Sendable>(
        _ next: @escaping @Sendable (Contents) throws -> Loadable<Inner>,
        _ combine: @escaping @Sendable (Contents, Inner) -> Target
    ) -> Loadable<Target> {
        let link = Link<Contents, Inner, Target>(next, combine)
        let derived = derived { (box, generation, mode) -> LoadResult<Target> in
            await link.evaluate(box, generation, mode)
        }
        link.attach(derived)
        return derived
    }
}

/// The inner loadable that some contents led to, for as long as they are current.
private final class Link<Contents: Sendable, Inner: Sendable, Target: Sendable>: Sendable {
    private struct State {
        weak var derived: Loadable<Target>?
        var box: ContentsBox<Contents>?
        var inner: Loadable<Inner>?
        var token: ListenerToken?
    }

    private let state = Mutex(State())
    private let next: @Sendable (Contents) throws -> Loadable<Inner>
    private let combine: @Sendable (Contents, Inner) -> Target

    init(
        _ next: @escaping @Sendable (Contents) throws -> Loadable<Inner>,
        _ combine: @escaping @Sendable (Contents, Inner) -> Target
    ) {
        self.next = next
        self.combine = combine
    }

    func attach(_ derived: Loadable<Target>) { state.withLock { $0.derived = derived } }

    func evaluate(
        _ box: ContentsBox<Contents>,
        _ generation: Int,
        _ mode: LoadMode
    ) async -> LoadResult<Target> {
        do {
            let inner = try inner(for: box, generation)
            let outcome = await inner.outcome(mode)
            // Listeners may be notified after waiters have resumed.
            follow(inner.snapshot, box, generation)
            return LoadResult(
                result: outcome.result.map { ContentsBox(combine(box.contents, ContentsBox<Inner>.of($0).contents)) },
                upstream: UpstreamVersion(origin: generation, inner: outcome.generation ?? 0),
                commits: outcome.generation != nil
            )
        } catch {
            return LoadResult(result: .failure(error), upstream: UpstreamVersion(origin: generation))
        }
    }

    private func inner(for box: ContentsBox<Contents>, _ generation: Int) throws -> Loadable<Inner> {
        if let inner = state.withLock({ $0.box === box ? $0.inner : nil }) { return inner }
        let inner = try next(box.contents)
        let token = inner.snapshots.listen { [weak self] in self?.follow($0, box, generation) }
        let old = state.withLock { state in
            let old = state.token
            (state.box, state.inner, state.token) = (box, inner, token)
            return old
        }
        old?.cancel()
        return inner
    }

    /// Follows the inner loadable after its first fetch from here, even when others sync it.
    private func follow(_ snapshot: LoadableSnapshot<Inner>, _ box: ContentsBox<Contents>, _ generation: Int) {
        guard let derived = state.withLock({ $0.box === box ? $0.derived : nil }) else { return }
        let loadResult: Result<ErasedContents, any Error>? =
            if snapshot.generation == 0 { nil } else if let error = snapshot.error { .failure(error) } else {
                snapshot.box.map { .success(ContentsBox(combine(box.contents, $0.contents))) }
            }
        derived.followInner(
            loadResult,
            as: UpstreamVersion(origin: generation, inner: snapshot.generation),
            revision: UpstreamVersion(origin: generation, inner: snapshot.revision),
            isSyncing: snapshot.state == .syncing
        )
    }
}

extension Loadable {
    fileprivate func followInner(
        _ loadResult: Result<ErasedContents, any Error>?,
        as version: UpstreamVersion,
        revision: UpstreamVersion,
        isSyncing: Bool
    ) {
        let now = timekeeper.now
        let shouldNotify = state.withLock { state in
            guard revision >= state.inner.revision else { return false }
            let wasSyncing = state.isInnerSyncing
            state.inner = (isSyncing, revision)
            var hasChanged = wasSyncing != state.isInnerSyncing
            // A run in progress reports it when it ends.
            guard state.run == nil else { return false }
            if let loadResult, let committed = state.upstream, committed.origin == version.origin, committed < version {
                state.commit(loadResult, at: now, freshFor: freshness.contents)
                state.upstream = version
                if state.isInvalidated { state.isFresh = false }
                hasChanged = true
            }
            if hasChanged { post(&state, at: now) }
            return hasChanged
        }
        if shouldNotify { source.deliver() }
    }
}
