import Cofferdam

/// The state that a loadable's lock protects.
struct LoadableState {
    var box: ErasedContents?
    /// How the last run or write ended.
    var settled = LoadState.idle
    var failure: LoadFailure?
    /// Counts commits of runs and of local writes.
    var generation = 0
    private var keptOvertaking: OvertakingBox?
    /// The version of the followed contents in the last commit.
    var upstream: UpstreamVersion?
    var loadedAt: Duration?
    var isLocal = false
    var isInvalidated = false
    /// Counts invalidations.
    var epoch = 0
    /// Whether the followed loadable is syncing.
    var isFollowingSync = false
    /// Whether the inner loadable is syncing, and the version of the origin's contents that led to it.
    var inner = (isSyncing: false, revision: UpstreamVersion(origin: 0))
    /// Whether the followed loadable was invalidated.
    var isFollowingInvalidation = false
    /// Whether the followed contents are derived from contents that have been replaced since.
    var isFollowingOutdated = false
    /// The version that was followed last.
    var followed = UpstreamVersion(origin: 0)
    /// The newest version that contents could be derived from.
    var available = UpstreamVersion(origin: 0)
    /// Counts notifications.
    var revision = 0
    /// The number of tokens that keep it in sync.
    var interests = 0
    var failedAttempts = 0
    var run: LoadableRun?
    var runCount = 0
    /// Set after a success, and cleared by anything that makes the contents stale at once.
    var isFresh = false
    /// When the contents become stale; nil for never.
    var freshUntil: Duration?

    init(box: ErasedContents? = nil) { self.box = box }

    mutating func commit(
        _ result: Result<ErasedContents, any Error>,
        at time: Duration,
        freshFor: Duration?,
        isLocal: Bool = false
    ) {
        generation += 1
        switch result {
        case .success(let box):
            self.box = box
            self.isLocal = isLocal
            settled = .succeeded
            failure = nil
            loadedAt = time
            isFresh = true
            freshUntil = freshFor.map { time + $0 }
        case .failure(let error):
            settled = .failed
            failure = LoadFailure(error, at: time)
            isFresh = false
        }
    }

    mutating func invalidate() {
        epoch += 1
        isInvalidated = true
        isFresh = false
    }

    /// False if the inner loadable belongs to other contents of the origin than the current ones.
    var isInnerSyncing: Bool { inner.isSyncing && inner.revision.origin == upstream?.origin }

    /// The generation as which the current contents committed: the current one, unless a later one was rolled back or
    /// the contents were corrected.
    var committedGeneration: Int {
        overtaking.generation == generation ? overtaking.committedGeneration ?? generation : generation
    }

    /// Uses no memory until a local write overtakes a run, is corrected or is to be rolled back.
    var overtaking: Overtaking {
        get { keptOvertaking?.overtaking ?? Overtaking() }
        set { keptOvertaking = OvertakingBox(newValue) }
    }

    /// Whether the contents are derived from contents that have been replaced since.
    var isOutdated: Bool { upstream.map { $0.origin < available.origin } ?? false }

    func freshBox(now: () -> Duration) -> ErasedContents? {
        guard run == nil, !isOutdated, isFresh else { return nil }
        guard let freshUntil else { return box }
        return now() < freshUntil ? box : nil
    }

    func freshError(for duration: Duration, now: () -> Duration) -> (any Error)? {
        guard duration > .zero, run == nil, !isInvalidated, let failure else { return nil }
        return now() - failure.time < duration ? failure.error : nil
    }

    func age(at now: @autoclosure () -> Duration) -> Duration? { loadedAt.map { now() - $0 } }

    /// The snapshot to notify listeners of.
    mutating func nextSnapshot(age: Duration?) -> SnapshotFields {
        revision += 1
        return snapshot(age: age)
    }

    @inline(__always)
    func snapshot(age: Duration?) -> SnapshotFields {
        SnapshotFields(
            box: box,
            revision: revision,
            isOutdated: isOutdated || isFollowingOutdated,
            settled: settled,
            state: run == nil && !isFollowingSync && !isInnerSyncing ? settled : .syncing,
            failure: failure,
            age: age,
            generation: generation,
            isLocal: isLocal,
            isInvalidated: isInvalidated || isOutdated || isFollowingInvalidation,
            failedAttempts: failedAttempts
        )
    }
}

/// What became of local writes that were to be rolled back, and of the results that they overtook.
struct Overtaking: Sendable {
    /// The generation of the last rollback or correction, and the generation as which the contents since then had
    /// committed.
    var generation, committedGeneration: Int?
    /// The newest write that could not be rolled back, because a later one builds on it or because it was corrected.
    var refused: Int?
    /// The newest write that was corrected, and so cannot be rolled back.
    var corrected: Int?
    /// The generation on which the last result that a local write overtook would have committed.
    var dropped: Int?
}

private final class OvertakingBox: Sendable {
    let overtaking: Overtaking

    init(_ overtaking: Overtaking) { self.overtaking = overtaking }
}

/// Why the last run failed, and when.
final class LoadFailure: Sendable {
    let error: any Error
    let time: Duration

    init(_ error: any Error, at time: Duration) {
        self.error = error
        self.time = time
    }
}

/// Contents in their internal form: a single pointer for every type, so that code that does not know the type is fast
/// too.
@usableFromInline
// Proof: one immutable value that is Sendable.
final class ContentsBox<Contents: Sendable>: ErasedContents, @unchecked Sendable {
    @usableFromInline let contents: Contents

    @inlinable
    init(_ contents: Contents) {
        self.contents = contents
        super.init()
    }

    /// Proof: a `Loadable<Contents>` keeps nothing but boxes of its own contents, and hands them only to its own
    /// snapshots and callers. A debug build checks it.
    @inlinable
    static func of(_ erased: ErasedContents) -> ContentsBox { unsafeDowncast(erased, to: ContentsBox.self) }
}

/// A box without its type. The state under a loadable's lock consists of these, and so is not generic: generic code
/// that is compiled elsewhere would look up the type's metadata at every step, which costs more than the step.
@usableFromInline
// Proof: the only subclass is ContentsBox.
class ErasedContents: @unchecked Sendable {
    @inlinable
    init() {}
}
