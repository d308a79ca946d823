/// The side that brings contents by itself, as a socket or a subscription does; who is given ``loadable`` can only watch.
public final class LoadableSource<Contents: Sendable>: Sendable {
    private let pushed: Loadable<Contents>

    /// Creates a source, with contents if there are any already.
    public init(_ contents: Contents? = nil, clock: some Clock<Duration> = ContinuousClock()) {
        pushed = Loadable(contents, freshness: .always, clock: clock) {
            throw LoadableError(.notLoadable, "its contents come by themselves")
        }
    }

    /// What is handed out.
    public var loadable: ReadOnlyLoadable<Contents> { ReadOnlyLoadable(pushed) }

    /// Shows that new contents are on their way; the old ones, and the last error, stay.
    public func setSyncing() { pushed.pushSyncing() }

    /// Pushes new contents.
    public func succeed(_ contents: Contents) { pushed.push(.success(contents)) }

    /// Each failure counts, also one that follows another.
    public func fail(_ error: any Error) { pushed.push(.failure(error)) }

    /// Forgets everything.
    public func reset() { pushed.reset() }
}
