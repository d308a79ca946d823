/// A loadable for those who may watch and not fetch nor write.
public struct ReadOnlyLoadable<Contents: Sendable>: Sendable {
    let base: Loadable<Contents>

    init(_ base: Loadable<Contents>) { self.base = base }

    /// How things stand now.
    public var snapshot: LoadableSnapshot<Contents> { base.snapshot }

    /// The snapshot, for listeners and as a sequence of states.
    public var snapshots: Provider<LoadableSnapshot<Contents>> { base.snapshots }

    /// As ``Loadable/observe(isActive:_:)``, keeping nothing alive.
    public func observe(_ body: @escaping @Sendable (LoadableSnapshot<Contents>) -> Void) -> ListenerToken {
        base.observe(body)
    }

    /// As ``Loadable/map(_:)``.
    public func map<Target: Sendable>(
        _ transform: @escaping @Sendable (Contents) throws -> Target
    ) -> ReadOnlyLoadable<Target> {
        ReadOnlyLoadable<Target>(base.map(transform))
    }
}

extension Loadable {
    /// The same, for those who may watch and not fetch nor write.
    public var readOnly: ReadOnlyLoadable<Contents> { ReadOnlyLoadable(self) }
}
