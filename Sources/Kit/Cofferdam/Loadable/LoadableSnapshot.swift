/// How a loadable stood at one moment.
public struct LoadableSnapshot<Contents: Sendable>: Sendable {
    public var state: LoadState
    /// What was loaded or written last: also while syncing, and after a run that failed.
    public var contents: Contents?
    /// Why the last run failed; nil after a success.
    public var error: (any Error)?
    /// Grows by one with each run that has landed and each local write.
    public var generation: Int
}

/// What a loadable is doing, or how it went; says nothing about whether there are contents.
public enum LoadState: String, Sendable, Hashable, CaseIterable {
    /// Nothing has been tried yet.
    case idle
    case syncing
    case succeeded
    case failed
}
