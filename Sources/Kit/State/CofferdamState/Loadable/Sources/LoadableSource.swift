import Cofferdam

/// Pushes contents into a loadable, for sockets and subscriptions. The users of ``loadable`` can only observe it.
public final class LoadableSource<Contents: Sendable>: Sendable {
    private let pushed: Loadable<Contents>

    /// Creates a source, with contents if there are any already.
    public init(_ contents: Contents? = nil, clock: some Clock<Duration> = ContinuousClock()) {
        pushed = Loadable(contents, freshness: .always, clock: clock) {
            throw LoadableError(.notLoadable, "its contents are pushed, not loaded")
        }
    }

    /// The loadable to hand out.
    public var loadable: ReadOnlyLoadable<Contents> { ReadOnlyLoadable(pushed) }

    /// Shows that new contents are being loaded; the old ones and the last error stay.
    public func setSyncing() { pushed.pushSyncing() }

    /// Pushes new contents.
    public func succeed(_ contents: Contents) { pushed.push(.success(contents)) }

    /// Pushes a failure. Each one counts, even if it follows another.
    public func fail(_ error: any Error) { pushed.push(.failure(error)) }

    /// Returns to the initial state.
    public func reset() { pushed.reset() }
}
