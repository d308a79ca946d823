/// How a loadable stood at one moment.
public struct LoadableSnapshot<Contents: Sendable>: Sendable {
    let box: ContentsBox<Contents>?
    /// Counts what was told to listeners.
    let revision: Int
    /// Whether it, or what it shows, is made of what has been replaced since.
    let isOutdated: Bool
    /// How it stands apart from a run that goes on.
    let settled: LoadState
    public let state: LoadState
    /// Why the last run failed; nil after a success. Kept while the next run goes on.
    public let error: (any Error)?
    /// How old the contents were, on the loadable's clock, when the snapshot was taken; nil if never loaded nor written.
    public let age: Duration?
    /// Grows by one with each run that has landed and each local write.
    public let generation: Int
    /// Whether the contents are a local write that no run has replaced: also when a run has ended since, which the write
    /// overtook.
    public let isLocal: Bool
    /// Whether the contents were declared out of date, or what they are made of has changed since.
    public let isInvalidated: Bool
    /// How many attempts of the run that goes on have failed so far and are being repeated.
    public let failedAttempts: Int

    /// What was loaded or written last: also while syncing, and after a run that failed.
    public var contents: Contents? { box?.contents }

    /// The same without the contents' type.
    public var status: LoadableStatus {
        LoadableStatus(state: state, hasContents: box != nil, error: error, generation: generation)
    }
}

/// How a loadable stood at one moment, whatever it loads.
public struct LoadableStatus: Sendable {
    public var state: LoadState
    public var hasContents: Bool
    public var error: (any Error)?
    public var generation: Int

    public init(state: LoadState, hasContents: Bool, error: (any Error)? = nil, generation: Int = 0) {
        self.state = state
        self.hasContents = hasContents
        self.error = error
        self.generation = generation
    }
}

/// What a loadable is doing, or how it went; says nothing about whether there are contents.
public enum LoadState: String, Sendable, Hashable, CaseIterable {
    /// Nothing has been tried yet.
    case idle
    case syncing
    case succeeded
    case failed
}
