/// What groups and chains need of a loadable, whatever it loads.
public protocol LoadableMember: Sendable {
    var status: LoadableStatus { get }
    var needsSync: Bool { get }
    /// How long until ``needsSync`` holds: zero if it does, nil if time alone does not bring it about, or it cannot be told.
    var timeUntilStale: Duration? { get }
    /// Returns when the run is over or this task is cancelled. Does nothing where nothing can be fetched.
    func sync() async
    /// ``sync()`` if ``needsSync``, or if a run goes on.
    func syncIfNeeded() async
    /// Calls `body` now and at every change, while the token is held.
    func listenToStatus(_ body: @escaping @Sendable () -> Void) -> ListenerToken
}

extension LoadableMember {
    /// Zero if it needs a sync, otherwise nil.
    public var timeUntilStale: Duration? { needsSync ? .zero : nil }
}

extension Loadable: LoadableMember {
    public var status: LoadableStatus { snapshot.status }

    public func listenToStatus(_ body: @escaping @Sendable () -> Void) -> ListenerToken {
        snapshots.listen { _ in body() }
    }
}

extension ReadOnlyLoadable: LoadableMember {
    public var status: LoadableStatus { base.status }
    public var needsSync: Bool { false }
    public func sync() async {}
    public func syncIfNeeded() async {}

    public func listenToStatus(_ body: @escaping @Sendable () -> Void) -> ListenerToken { base.listenToStatus(body) }
}
