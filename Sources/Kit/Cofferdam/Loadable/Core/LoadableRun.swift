/// Whether a run was asked for in any case, or only if what there is does not do.
enum LoadMode: Sendable {
    case always
    case ifNeeded
    /// In any case, and not by the run that goes on: its callers wait for the new one.
    case restart
}

/// What a run came to, for those who waited for it.
struct LoadableOutcome: Sendable {
    let result: Result<ErasedContents, any Error>
    /// The generation as which it stands; nil if it does not, because a local write overtook it.
    let generation: Int?

    static var left: Self { Self(result: .failure(CancellationError()), generation: nil) }
}

/// What loading came to, before it commits.
struct LoadResult<Contents: Sendable>: Sendable {
    var result: Result<ContentsBox<Contents>, any Error>
    /// For a derived loadable, what it was made of.
    var upstream: UpstreamVersion?
    /// Whether it is to commit at all, and not only to be handed to the callers.
    var commits = true
}

/// Which contents of its origin, and of what that led to, a derived loadable was made of. Later ones are greater.
struct UpstreamVersion: Sendable, Comparable {
    var origin: Int
    var inner = 0

    static func < (a: Self, b: Self) -> Bool { (a.origin, a.inner) < (b.origin, b.inner) }
}

/// A run that goes on.
struct LoadableRun {
    /// Of the latest start: an earlier one was superseded, and its answer is not wanted any more.
    var id: Int
    /// The generation on which its answer may commit.
    var generation: Int
    /// How often the contents had been invalidated when it started.
    var epoch: Int
    let callers: LoadableCallers
    /// The highest priority of its callers so far.
    var priority: TaskPriority
    var task: Task<Void, Never>?
}
