import Cofferdam
import CofferdamSupport

/// Whether a run is forced or starts only if the contents are stale.
enum LoadMode: Sendable {
    case always
    case ifNeeded
    /// Forced, superseding the current run: its callers wait for the new one.
    case restart
}

/// The outcome of a run for its callers.
struct LoadableOutcome: Sendable {
    let result: Result<ErasedContents, any Error>
    /// The generation as which the result committed; nil if it did not commit, for example because a local write
    /// overtook it.
    let generation: Int?

    static var left: Self { Self(result: .failure(CancellationError()), generation: nil) }
}

/// The result of loading, before it commits.
struct LoadResult<Contents: Sendable>: Sendable {
    var result: Result<ContentsBox<Contents>, any Error>
    /// For a derived loadable, the version of the contents that it was made from.
    var upstream: UpstreamVersion?
    /// False if the result is only returned to the callers.
    var commits = true
}

/// The version of the contents that a derived loadable was made from: those of its origin, and those of the inner
/// loadable that they led to. Later versions are greater.
struct UpstreamVersion: Sendable, Comparable {
    var origin: Int
    var inner = 0

    static func < (a: Self, b: Self) -> Bool { (a.origin, a.inner) < (b.origin, b.inner) }
}

/// The current run.
struct LoadableRun {
    /// The number of the latest start; answers of superseded starts are dropped.
    var id: Int
    /// The number of local writes when it started: its answer commits unless there were more.
    var writes: Int
    /// How often the contents had been invalidated when it started.
    var epoch: Int
    let callers: LoadableCallers
    /// The highest priority of its callers so far. A number, because a state with a `TaskPriority` has no fixed layout.
    private var level: UInt8
    var task: Task<Void, Never>?

    init(id: Int, writes: Int, epoch: Int, callers: LoadableCallers, priority: TaskPriority) {
        (self.id, self.writes, self.epoch, self.callers) = (id, writes, epoch, callers)
        level = priority.rawValue
    }

    var priority: TaskPriority { TaskPriority(rawValue: level) }

    /// Notes a caller's priority, and returns the task if it must be raised to that.
    mutating func raise(to priority: TaskPriority) -> Task<Void, Never>? {
        guard level < priority.rawValue else { return nil }
        level = priority.rawValue
        return task
    }
}

/// The callers of one run. Each is resumed exactly once: when the run ends or when the caller leaves.
final class LoadableCallers: Sendable {
    typealias Outcome = LoadableOutcome

    private enum Seat {
        case reserved
        case waiting(UnsafeContinuation<Outcome, Never>)
        case empty
    }

    private struct State {
        var seats: [Seat] = []
        var taken = 0
        var outcome: Outcome?
    }

    private let state = Mutex(State())
    private let fence = SanitizerFence()

    /// How many callers have come and have not left.
    var count: Int { state.withLock { $0.taken } }

    /// Takes a seat, which keeps the run wanted until ``leave(_:)``.
    func reserve() -> Int {
        state.withLock { state in
            state.seats.append(.reserved)
            state.taken += 1
            return state.seats.count - 1
        }
    }

    /// The run's outcome, or ``LoadableOutcome/left`` as soon as the seat is left.
    func wait(at seat: Int) async -> Outcome {
        // Proof of one resumption: a continuation leaves `seats` under the lock, in `leave` or `end`, and only the code that took
        // it out resumes it; one that was not stored is resumed here.
        let outcome = await withUnsafeContinuation { (continuation: UnsafeContinuation<Outcome, Never>) in
            let outcome = state.withLock { state -> Outcome? in
                if let outcome = state.outcome { return outcome }
                if case .empty = state.seats[seat] { return .left }
                state.seats[seat] = .waiting(continuation)
                return nil
            }
            if let outcome { continuation.resume(returning: outcome) }
        }
        fence.acquire()
        return outcome
    }

    /// Whether this was the last caller of a run that has not ended.
    func leave(_ seat: Int) -> Bool {
        let (continuation, isLast) = state.withLock { state -> (UnsafeContinuation<Outcome, Never>?, Bool) in
            guard state.outcome == nil else { return (nil, false) }
            let left = state.seats[seat]
            switch left {
            case .empty: return (nil, false)
            case .reserved, .waiting: break
            }
            state.seats[seat] = .empty
            state.taken -= 1
            guard case .waiting(let continuation) = left else { return (nil, state.taken == 0) }
            return (continuation, state.taken == 0)
        }
        if let continuation {
            fence.release()
            continuation.resume(returning: .left)
        }
        return isLast
    }

    /// Resumes all callers with the outcome, including those that have a seat but do not wait yet.
    func end(_ outcome: Outcome) {
        let seats = state.withLock { state in
            state.outcome = outcome
            state.taken = 0
            defer { state.seats = [] }
            return state.seats
        }
        fence.release()
        for case .waiting(let continuation) in seats { continuation.resume(returning: outcome) }
    }
}

/// A run that was registered under the lock and starts outside it.
struct LoadableStart {
    let run: Int
    let mode: LoadMode
    /// The work of the run that it supersedes.
    let superseded: Task<Void, Never>?

    func perform(_ loadable: Loadable<some Sendable>) {
        superseded?.cancel()
        loadable.source.deliver()
        loadable.start(run, mode)
    }
}

extension Loadable {
    /// Registers a run, unless the current one serves the mode.
    func startIfMissing(_ mode: LoadMode, in state: inout LoadableState) -> LoadableStart? {
        let old = state.run
        if let old {
            if case .restart = mode {} else if old.epoch == state.epoch { return nil }
        }
        state.runCount += 1
        state.failedAttempts = 0
        state.run = LoadableRun(
            id: state.runCount,
            writes: state.writes,
            epoch: state.epoch,
            callers: old?.callers ?? LoadableCallers(),
            priority: max(old?.priority ?? Task.currentPriority, Task.currentPriority)
        )
        if old == nil { post(&state) }
        return LoadableStart(run: state.runCount, mode: mode, superseded: old?.task)
    }

    func start(_ run: Int, _ mode: LoadMode) {
        guard state.withLock({ $0.run?.id == run }) else { return }
        let own = Task.currentPriority
        let task = Task(executorPreference: executor) {
            let loadResult = await self.attempts(run, mode)
            self.end(run, loadResult)
        }
        let priority = state.withLock { state -> TaskPriority? in
            guard state.run?.id == run else { return nil }
            state.run?.task = task
            return state.run?.priority
        }
        guard let priority else { return task.cancel() }
        // More urgent callers may have joined meanwhile, or may have waited since the run that this one supersedes.
        if priority > own { task.raise(to: priority) }
    }

    /// Raises the current run, if it is the run of those callers: a less urgent caller may have started it.
    func raise(_ callers: LoadableCallers, to priority: TaskPriority) {
        let task = state.withLock { state -> Task<Void, Never>? in
            state.run?.callers === callers ? state.run?.raise(to: priority) : nil
        }
        task?.raise(to: priority)
    }

    /// Starts a run without a caller if the contents are stale and the loadable is kept in sync.
    func startForInterest() {
        let isUpstreamStale = loading.isUpstreamStale
        let start = state.withLock { state -> LoadableStart? in
            guard state.interests > 0 else { return nil }
            if state.run == nil {
                if !isUpstreamStale, state.freshBox(now: { timekeeper.now }) != nil { return nil }
                if state.freshError(for: freshness.error, now: { timekeeper.now }) != nil { return nil }
            }
            return startIfMissing(.ifNeeded, in: &state)
        }
        start?.perform(self)
    }

    private func attempts(_ run: Int, _ mode: LoadMode) async -> LoadResult<Contents> {
        var failures = 0
        loading.begin?()
        while true {
            let loadResult = await loading.load(mode)
            guard case .failure(let error) = loadResult.result else { return loadResult }
            failures += 1
            guard !Task.isCancelled, let wait = retry?(failures, error) else { return loadResult }
            note(failures, of: run)
            do { try await timekeeper.sleep(for: wait) } catch { return loadResult }
        }
    }

    private func note(_ failures: Int, of run: Int) {
        state.withLock { state in
            guard state.run?.id == run else { return }
            state.failedAttempts = failures
            post(&state)
        }
        source.deliver()
    }

    private func end(_ run: Int, _ loadResult: LoadResult<Contents>) {
        let now = timekeeper.now
        let ended = state.withLock { state -> (LoadableCallers, LoadableOutcome, Bool)? in
            guard let ended = state.run, ended.id == run else { return nil }
            let isOvertaken = ended.writes != state.writes
            let commits = loadResult.commits && !isOvertaken && isCurrent(loadResult.upstream, state)
            if commits { commit(loadResult, of: ended, at: now, in: &state) }
            let isCommitted = commits || isShown(loadResult.result, state)
            state.endRun()
            post(&state, at: now)
            let isInvalid = state.isFollowingInvalidation && state.settled == .succeeded
            let isOutdated = state.isOutdated || state.isFollowingOutdated || isInvalid
            // Its callers get what the screens show.
            let result = loadResult.result.map { isCommitted ? state.box ?? $0 : $0 as ErasedContents }
            let outcome = LoadableOutcome(result: result, generation: isCommitted ? state.generation : nil)
            return (ended.callers, outcome, isOutdated)
        }
        guard let (callers, outcome, isOutdated) = ended else { return }
        source.deliver()
        callers.end(outcome)
        if isOutdated { startForInterest() }
    }

    private func isCurrent(_ upstream: UpstreamVersion?, _ state: borrowing LoadableState) -> Bool {
        guard let upstream, let committed = state.upstream else { return true }
        return upstream >= committed
    }

    /// Whether the answer has already committed, as followed and restored contents do.
    private func isShown(
        _ result: Result<ContentsBox<Contents>, any Error>,
        _ state: borrowing LoadableState
    ) -> Bool {
        guard case .success(let box) = result, state.settled == .succeeded, let shown = state.base else { return false }
        return shown === box
    }

    private func commit(
        _ loadResult: LoadResult<Contents>,
        of run: LoadableRun,
        at time: Duration,
        in state: inout LoadableState
    ) {
        let result = loadResult.result.map { $0 as ErasedContents }
        state.commit(result, at: time, freshFor: freshness.contents, of: run.id)
        state.upstream = loadResult.upstream ?? state.upstream
        if run.epoch == state.epoch { state.isInvalidated = false } else { state.isFresh = false }
    }

    /// Abandons the current run and cancels its work if it has no callers left.
    ///
    /// - Parameter callers: the callers whose run it must still be; nil for any.
    func giveUpIfUnwanted(_ callers: LoadableCallers? = nil) {
        let (task, isGivenUp) = state.withLock { state -> (Task<Void, Never>?, Bool) in
            guard let run = state.run, callers == nil || run.callers === callers, run.callers.count == 0,
                state.interests == 0
            else { return (nil, false) }
            state.endRun()
            post(&state)
            return (run.task, true)
        }
        task?.cancel()
        if isGivenUp { source.deliver() }
    }
}
