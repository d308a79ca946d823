import Cofferdam

/// The state of a loadable at one moment.
public struct LoadableSnapshot<Contents: Sendable>: Sendable {
    @usableFromInline let fields: SnapshotFields

    // Inlined before ownership is settled, it costs a listener no retain and release.
    @_transparent
    init(_ fields: SnapshotFields) { self.fields = fields }

    /// The contents that were loaded or written last, with the pending changes on top; also during a run and after a
    /// failed one.
    @inlinable
    public var contents: Contents? { fields.box.map { ContentsBox.of($0).contents } }
    /// Whether the loadable is idle, syncing, succeeded or failed.
    public var state: LoadState { fields.state }
    /// The error of the last run; nil after a success. It stays during the next run.
    public var error: (any Error)? { fields.failure?.error }
    /// The age of the contents when the snapshot was taken, by the loadable's clock; nil without contents.
    public var age: Duration? { fields.age }
    /// The number of commits of runs, and of local changes.
    package var generation: Int { fields.generation }
    /// Whether the contents are a local write, or contain a pending change. A run that a write has overtaken does not change
    /// that.
    public var isLocal: Bool { fields.isLocal }
    /// Whether the contents or their origin were invalidated.
    public var isInvalidated: Bool { fields.isInvalidated }
    /// How many attempts of the current run have failed.
    public var failedAttempts: Int { fields.failedAttempts }

    var revision: Int { fields.revision }
    var isOutdated: Bool { fields.isOutdated }
    var settled: LoadState { fields.settled }
    var box: ContentsBox<Contents>? { fields.box.map { ContentsBox.of($0) } }
    /// The contents without pending changes.
    package var settledContents: Contents? { base?.contents }
    var base: ContentsBox<Contents>? { fields.base.map { ContentsBox.of($0) } }

    /// The same without the contents' type.
    public var status: LoadableStatus {
        LoadableStatus(state: state, hasContents: fields.box != nil, error: error, generation: generation)
    }
}

/// A snapshot without its contents' type; one for each change, shared by all that are notified of it.
@usableFromInline
final class SnapshotFields: Sendable {
    @usableFromInline let box: ErasedContents?
    /// The snapshot keeps the layers that it shows, so that one that goes is freed with it: not under the loadable's lock,
    /// because what it captures may use the loadable when it is freed.
    private let pending: PendingChanges?
    /// The contents without pending changes.
    var base: ErasedContents? { if let pending { pending.base } else { box } }
    /// Counts notifications of listeners.
    let revision: Int
    /// Whether the contents, or the contents that are followed, are derived from contents that have been replaced
    /// since.
    let isOutdated: Bool
    /// The state apart from a current run.
    let settled: LoadState
    let state: LoadState
    let failure: LoadFailure?
    let age: Duration?
    let generation: Int
    /// The generation without pending changes.
    let commits: Int
    let isLocal: Bool
    let isInvalidated: Bool
    let failedAttempts: Int

    /// Shared by all loadables that have not been loaded or written.
    static let idle = LoadableState().snapshot(age: nil)

    init(
        box: ErasedContents?,
        pending: PendingChanges?,
        revision: Int,
        isOutdated: Bool,
        settled: LoadState,
        state: LoadState,
        failure: LoadFailure?,
        age: Duration?,
        generation: Int,
        commits: Int,
        isLocal: Bool,
        isInvalidated: Bool,
        failedAttempts: Int
    ) {
        self.box = box
        self.pending = pending
        self.revision = revision
        self.isOutdated = isOutdated
        self.settled = settled
        self.state = state
        self.failure = failure
        self.age = age
        self.generation = generation
        self.commits = commits
        self.isLocal = isLocal
        self.isInvalidated = isInvalidated
        self.failedAttempts = failedAttempts
    }
}

/// A loadable's snapshots for its ``Provider``, with their contents' type.
final class SnapshotHub<Contents: Sendable>: ProviderHub {
    private let core: ProviderCore<SnapshotFields>

    init(_ core: ProviderCore<SnapshotFields>) { self.core = core }

    var current: LoadableSnapshot<Contents> { LoadableSnapshot(core.current) }

    func listen(
        _ body: @escaping @Sendable (LoadableSnapshot<Contents>) -> Void,
        end: (@Sendable () -> Void)?
    ) -> ListenerToken {
        core.add(SnapshotListener(body, end: end))
    }

    func next(after seen: inout Int) async -> LoadableSnapshot<Contents>? {
        await core.next(after: &seen).map { LoadableSnapshot($0) }
    }
}

// Proof: see Listener.
private final class SnapshotListener<Contents: Sendable>: Listener<SnapshotFields>, @unchecked Sendable {
    private let body: @Sendable (LoadableSnapshot<Contents>) -> Void
    private let ending: (@Sendable () -> Void)?

    init(_ body: @escaping @Sendable (LoadableSnapshot<Contents>) -> Void, end: (@Sendable () -> Void)?) {
        self.body = body
        ending = end
    }

    override func call(_ fields: SnapshotFields) { body(LoadableSnapshot(fields)) }
    override func end() { ending?() }
}

/// The state of a loadable of any contents at one moment.
public struct LoadableStatus: Sendable {
    /// Whether the loadable is idle, syncing, succeeded or failed.
    public var state: LoadState
    /// Whether there are contents, fresh or not.
    public var hasContents: Bool
    /// The error of the last run, if it failed.
    public var error: (any Error)?
    /// The number of commits so far.
    var generation: Int

    /// Creates a status.
    init(state: LoadState, hasContents: Bool, error: (any Error)? = nil, generation: Int = 0) {
        self.state = state
        self.hasContents = hasContents
        self.error = error
        self.generation = generation
    }
}

/// What a loadable is doing, or how its last run ended; independent of whether there are contents.
public enum LoadState: String, Sendable, Hashable, CaseIterable {
    /// Nothing has been tried yet.
    case idle
    case syncing
    case succeeded
    case failed
}
