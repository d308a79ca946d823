import Cofferdam

/// Saves a loadable's contents between launches.
public struct LoadablePersistence<Contents: Sendable>: Sendable {
    /// Saved contents and their age.
    public struct Record: Sendable {
        /// The saved contents.
        public var contents: Contents
        /// How long ago they were loaded.
        public var age: Duration

        /// Creates a record.
        public init(_ contents: Contents, age: Duration) {
            self.contents = contents
            self.age = age
        }
    }

    let restore: @Sendable () async throws -> Record?
    let save: @Sendable (Contents) async throws -> Void
    let report: @Sendable (any Error) -> Void

    /// - Parameters:
    ///   - restore: called once, by the first run; returns nil if nothing is saved. While the record is fresh
    ///     ``Loadable/fetchIfNeeded()`` does not load; ``Loadable/fetch()`` shows it during the run.
    ///   - save: called after each successful run and local write, one at a time and in order. Contents that change meanwhile
    ///     are skipped, except the last. Pending changes are not saved.
    ///   - report: called with the errors of `restore` and `save`, which do not fail a run.
    public init(
        restore: @escaping @Sendable () async throws -> Record?,
        save: @escaping @Sendable (Contents) async throws -> Void,
        report: @escaping @Sendable (any Error) -> Void
    ) {
        self.restore = restore
        self.save = save
        self.report = report
    }
}

/// Restores saved contents before the first run and saves each commit.
final class Restoration<Contents: Sendable>: Sendable {
    private struct State {
        weak var loadable: Loadable<Contents>?
        var wasAttempted = false
        /// The contents that are saved, or are being saved.
        var kept: ContentsBox<Contents>?
    }

    private let state = Mutex(State())
    private let persistence: LoadablePersistence<Contents>

    init(_ persistence: LoadablePersistence<Contents>) { self.persistence = persistence }

    func before(_ loading: Loadable<Contents>.Loading) -> Loadable<Contents>.Loading {
        Loadable.Loading { mode in
            if let box = await self.restoredOnce(mode) { return LoadResult(result: .success(box)) }
            return await loading.load(mode)
        }
    }

    func serve(_ loadable: Loadable<Contents>) {
        let initial = loadable.snapshot.base
        state.withLock { ($0.loadable, $0.kept) = (loadable, initial) }
        let states = loadable.snapshots.states
        _ = Task(executorPreference: loadable.executor) {
            // Whether contents have been saved depends only on the contents, not on a failure in between.
            for await snapshot in states where snapshot.generation > 0 && self.isNew(snapshot.base) {
                guard let contents = snapshot.base?.contents else { continue }
                do { try await self.persistence.save(contents) } catch { self.persistence.report(error) }
            }
        }
    }

    private func isNew(_ box: ContentsBox<Contents>?) -> Bool {
        // The old contents are freed without the lock.
        let old = state.withLock { state in
            defer { state.kept = box }
            return state.kept
        }
        return old !== box
    }

    /// The restored contents if they suffice for that mode.
    private func restoredOnce(_ mode: LoadMode) async -> ContentsBox<Contents>? {
        let loadable = state.withLock { state -> Loadable<Contents>? in
            defer { state.wasAttempted = true }
            return state.wasAttempted ? nil : state.loadable
        }
        guard let loadable else { return nil }
        do {
            guard let record = try await persistence.restore() else { return nil }
            return loadable.commitRestored(record, mode) { box in state.withLock { $0.kept = box } }
        } catch {
            state.withLock { $0.wasAttempted = !(error is CancellationError) }
            persistence.report(error)
            return nil
        }
    }
}

extension Loadable {
    /// Commits restored contents, unless there are newer ones.
    ///
    /// - Parameter note: called with the contents before they are published.
    /// - Returns: the contents if the run needs no others.
    fileprivate func commitRestored(
        _ record: LoadablePersistence<Contents>.Record,
        _ mode: LoadMode,
        _ note: (ContentsBox<Contents>) -> Void
    ) -> ContentsBox<Contents>? {
        let now = timekeeper.now
        defer { source.deliver() }
        return state.withLock { state in
            guard state.commits == 0 else { return nil }
            let box = ContentsBox(record.contents)
            note(box)
            // It answers no change that was made since.
            state.commit(.success(box), at: now - max(.zero, record.age), freshFor: freshness.contents, of: 0)
            // They were saved while the clock was ahead, so how long ago is not known.
            if record.age < .zero { state.isFresh = false }
            post(&state)
            if case .ifNeeded = mode, !state.isInvalidated, state.isFresh,
                freshness.contents.map({ record.age < $0 }) ?? true
            {
                return box
            }
            // The run that restored goes on and commits afterwards.
            let writes = state.writes
            state.run?.writes = writes
            return nil
        }
    }
}
