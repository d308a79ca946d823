extension Loadable {
    /// The contents of another loadable, which the contents of this one lead to. That one is made anew for each new contents
    /// of this one; while it stands, what is written or loaded there arrives here too.
    ///
    /// ``fetch()`` fetches both, ``fetchIfNeeded()`` each only if it needs it.
    ///
    /// - Parameter next: may be called more than once for the same contents.
    public func flatMap<Target: Sendable>(
        _ next: @escaping @Sendable (Contents) throws -> Loadable<Target>
    ) -> Loadable<Target> {
        chained(next) { _, target in target }
    }

    /// Both: these contents, and those of the loadable that they lead to; otherwise as ``flatMap(_:)``.
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
        let derived = derived { (box, generation, mode) -> LoadableLanding<Target> in
            await link.evaluate(box, generation, mode)
        }
        link.attach(derived)
        return derived
    }
}

/// The loadable that some contents led to, for as long as they stand.
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
    ) async -> LoadableLanding<Target> {
        do {
            let outcome = await (try inner(for: box, generation)).outcome(mode)
            return LoadableLanding(
                result: outcome.result.map { ContentsBox(combine(box.contents, ContentsBox<Inner>.of($0).contents)) },
                upstream: UpstreamVersion(origin: generation, inner: outcome.generation ?? 0),
                lands: outcome.generation != nil
            )
        } catch {
            return LoadableLanding(result: .failure(error), upstream: UpstreamVersion(origin: generation))
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

    /// What lands in the inner one after it has first been fetched for here.
    private func follow(_ snapshot: LoadableSnapshot<Inner>, _ box: ContentsBox<Contents>, _ generation: Int) {
        guard snapshot.generation > 0, snapshot.error == nil, let inner = snapshot.box,
            let derived = state.withLock({ $0.box === box ? $0.derived : nil })
        else { return }
        derived.landInner(
            ContentsBox(combine(box.contents, inner.contents)),
            UpstreamVersion(origin: generation, inner: snapshot.generation)
        )
    }
}

extension Loadable {
    fileprivate func landInner(_ box: ContentsBox<Contents>, _ version: UpstreamVersion) {
        let now = timekeeper.now
        let hasLanded = state.withLock { state in
            guard let landed = state.upstream, landed.origin == version.origin, landed < version, state.run == nil
            else {
                return false
            }
            state.land(.success(box), at: now, freshFor: freshness.contents)
            state.upstream = version
            if state.isInvalidated { state.isFresh = false }
            post(&state)
            return true
        }
        if hasLanded { source.deliver() }
    }
}
