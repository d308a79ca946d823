import Cofferdam

/// The state that a loadable's lock protects.
struct LoadableState {
    /// What is shown: the ``base`` with the pending changes on top.
    private(set) var box: ErasedContents?
    private var pending: PendingChanges?
    /// How the last run or write ended.
    var settled = LoadState.idle
    var failure: LoadFailure?
    /// Counts changes of what is shown, and commits of runs.
    var generation = 0
    /// The same without pending changes.
    private(set) var commits = 0
    /// Counts commits of anything but the current run, which overtake it: a run that began before one does not commit.
    private(set) var writes = 0
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

    /// - Parameter run: the number of the run that answers; nil for what comes from elsewhere, 0 if it is older than any run.
    mutating func commit(
        _ result: Result<ErasedContents, any Error>,
        at time: Duration,
        freshFor: Duration?,
        isLocal: Bool = false,
        of run: Int? = nil
    ) {
        switch result {
        case .success(let box):
            setBase(box, isLocal: isLocal, of: run)
            settled = .succeeded
            failure = nil
            loadedAt = time
            isFresh = true
            freshUntil = freshFor.map { time + $0 }
        case .failure(let error):
            noteCommit(of: run)
            generation += 1
            settled = .failed
            failure = LoadFailure(error, at: time)
            isFresh = false
        }
    }

    /// The last answer or local write, without the pending changes.
    var base: ErasedContents? { if let pending { pending.base } else { box } }

    /// Replaces the base. An answer contains what was confirmed before its load began.
    mutating func setBase(_ base: ErasedContents?, isLocal: Bool, of run: Int? = nil) {
        self.isLocal = isLocal
        noteCommit(of: run)
        guard pending != nil else {
            (box, generation) = (base, generation + 1)
            return
        }
        let run = run ?? runCount + 1
        change { $0.setBase(base, isLocal: isLocal, of: run) }
    }

    private mutating func noteCommit(of run: Int? = nil) {
        commits += 1
        if run ?? 0 == 0 { writes += 1 }
    }

    /// Changes the base, but neither its state nor its age.
    mutating func correct(_ correction: (ErasedContents) -> ErasedContents) {
        commits += 1
        change { $0.base = $0.base.map(correction) }
    }

    // MARK: Pending changes

    /// Whether a pending change is part of what is shown.
    var hasPendingChanges: Bool { pending != nil }

    /// - Returns: the number of the change.
    mutating func add(_ apply: @escaping PendingChanges.Apply) -> Int {
        let number = generation + 1
        change { $0.add(apply, as: number) }
        return number
    }

    /// - Returns: false if the change is not pending any more.
    mutating func takeBack(_ change: Int) -> Bool {
        guard pending?.contains(change) ?? false else { return false }
        self.change { $0.takeBack(change) }
        return true
    }

    /// - Parameter apply: what the server has made of it; nil if it does not say.
    /// - Returns: false if the change is not pending any more.
    mutating func confirm(_ change: Int, as apply: PendingChanges.Apply?) -> Bool {
        guard pending?.contains(change) ?? false else { return false }
        let (current, last) = (run?.id, runCount)
        self.change { $0.confirm(change, as: apply, current: current, last: last) }
        return true
    }

    /// Notes that no run is in progress any more. What it commits is committed before.
    mutating func endRun() {
        run = nil
        failedAttempts = 0
        if pending?.awaitsRun ?? false { change { $0.endRun() } }
    }

    mutating func dropPendingChanges() {
        noteCommit()
        change { $0 = PendingChanges(base: nil) }
    }

    private mutating func change(_ body: (inout PendingChanges) -> Void) {
        var changes = pending ?? PendingChanges(base: box)
        body(&changes)
        pending = changes.isEmpty ? nil : changes
        box = changes.shown
        generation += 1
    }

    mutating func invalidate() {
        epoch += 1
        isInvalidated = true
        isFresh = false
    }

    /// False if the inner loadable belongs to other contents of the origin than the current ones.
    var isInnerSyncing: Bool { inner.isSyncing && inner.revision.origin == upstream?.origin }

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
            pending: pending,
            revision: revision,
            isOutdated: isOutdated || isFollowingOutdated,
            settled: settled,
            state: run == nil && !isFollowingSync && !isInnerSyncing ? settled : .syncing,
            failure: failure,
            age: age,
            generation: generation,
            commits: commits,
            isLocal: isLocal || hasPendingChanges,
            isInvalidated: isInvalidated || isOutdated || isFollowingInvalidation,
            failedAttempts: failedAttempts
        )
    }
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
