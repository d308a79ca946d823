public import Cofferdam  // listeners' tokens

/// A view of a loadable that can be observed but not fetched or written.
public struct ReadOnlyLoadable<Contents: Sendable>: Sendable {
    let base: Loadable<Contents>

    init(_ base: Loadable<Contents>) { self.base = base }

    /// The current state.
    public var snapshot: LoadableSnapshot<Contents> { base.snapshot }

    /// The snapshot, for listeners and as a sequence of states.
    public var snapshots: Provider<LoadableSnapshot<Contents>> { base.snapshots }

    /// Like ``Loadable/observe(isActive:_:)``, never active.
    public func observe(_ body: @escaping @Sendable (LoadableSnapshot<Contents>) -> Void) -> ListenerToken {
        base.observe(body)
    }

    /// Like ``Loadable/map(_:)``.
    public func map<Target: Sendable>(
        _ transform: @escaping @Sendable (Contents) throws -> Target
    ) -> ReadOnlyLoadable<Target> {
        ReadOnlyLoadable<Target>(base.map(transform))
    }
}

extension Loadable {
    /// A view that can be observed but not fetched or written.
    public var readOnly: ReadOnlyLoadable<Contents> { ReadOnlyLoadable(self) }
}
