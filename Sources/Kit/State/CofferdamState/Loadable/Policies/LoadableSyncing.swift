public import Cofferdam  // listeners' tokens

/// When a loadable syncs automatically.
public struct SyncSchedule: Sendable {
    /// The time from a success to the next sync; nil for none. Unless ``isForced``, the sync also waits until the contents
    /// are stale; zero then means as soon as they are.
    public var period: Duration?
    /// The time from a failure to the next sync; nil for none. It applies between runs; the delays of ``LoadRetry``
    /// apply within one.
    var backoff: Backoff?
    /// Whether each sync loads even if the contents are fresh.
    public var isForced: Bool
    /// Whether it starts at once, or only after the first sync that something else starts.
    var startsAtOnce: Bool
    /// Returns a random number from 0 to 1 for the jitter of each delay.
    var random: @Sendable () -> Double

    /// Creates a schedule.
    public init(
        every period: Duration?,
        backoff: Backoff? = Backoff(),
        isForced: Bool = true,
        startsAtOnce: Bool = true,
        random: @escaping @Sendable () -> Double = { .random(in: 0...1) }
    ) {
        self.period = period
        self.backoff = backoff
        self.isForced = isForced
        self.startsAtOnce = startsAtOnce
        self.random = random
    }
}

/// When a schedule's next sync is due.
private struct SyncTimer {
    private let schedule: SyncSchedule
    private var commits = -1
    /// When the schedule first saw the current number of commits, or that a run had ended without an outcome.
    private var since = Duration.zero
    /// When the schedule's own last sync ended.
    private var syncedAt: Duration?
    /// Whether there has been a run since the schedule last looked.
    private var wasTried = false
    /// How many runs in a row have failed, or ended without an outcome.
    private var failures = 0
    private var failure: LoadFailure?
    private var backoff: Duration?

    init(_ schedule: SyncSchedule) { self.schedule = schedule }

    mutating func note(syncAt time: Duration) { (syncedAt, wasTried) = (time, true) }

    /// How long until the next sync: zero or less if it is due, nil if it has to wait for a change.
    mutating func wait(for loadable: Loadable<some Sendable>) -> Duration? {
        let (snapshot, now) = (loadable.snapshot, loadable.timekeeper.now)
        look(at: snapshot, now)
        let elapsed: Duration
        let pause: Duration?
        switch snapshot.state {
        case .idle:
            elapsed = now - since
            pause = failures > 0 ? backoff : schedule.startsAtOnce ? .zero : nil
        case .syncing: return nil
        case .succeeded:
            elapsed = snapshot.age ?? now - since
            pause = schedule.period
        case .failed:
            elapsed = now - (failure?.time ?? since)
            pause = backoff
        }
        guard let pause else { return nil }
        // The age of restored contents comes from another clock, and may be negative.
        let wait = pause - max(.zero, min(elapsed, syncedAt.map { now - $0 } ?? elapsed))
        if schedule.isForced { return wait }
        if let timeUntilStale = loadable.timeUntilStale { return max(wait, timeUntilStale) }
        // Without a period it would sync all the time; a change wakes it.
        return pause > .zero ? wait : nil
    }

    private mutating func look(at snapshot: LoadableSnapshot<some Sendable>, _ now: Duration) {
        let hasChanged = snapshot.fields.commits != commits
        if hasChanged { (commits, since) = (snapshot.fields.commits, now) }
        switch snapshot.state {
        case .syncing:
            wasTried = true
            return
        case .idle:
            if wasTried {
                since = now
                fail()
            }
        case .succeeded: (failures, failure) = (0, nil)
        case .failed:
            let isNew = snapshot.fields.failure.map { $0 !== failure } ?? hasChanged
            failure = snapshot.fields.failure
            if isNew { fail() }
        }
        wasTried = false
    }

    private mutating func fail() {
        failures += 1
        backoff = schedule.backoff?.wait(attempt: failures, random: schedule.random())
    }
}

extension ProviderCore {
    /// Waits until the version is no longer `seen`, but not longer than `limit`.
    ///
    /// - Returns: false at the end, and on cancellation.
    fileprivate func change(after seen: Int, within limit: Duration?, on timekeeper: Timekeeper) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                var seen = seen
                return await self.next(after: &seen) != nil
            }
            if let limit {
                group.addTask {
                    do { try await timekeeper.sleep(for: limit) } catch { return false }
                    return true
                }
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }
}

extension Loadable {
    /// Syncs by a schedule for as long as the token is held: periodically, and after failures by the backoff. The token
    /// also keeps runs going. Any other sync, write or failure reschedules the next one. Holds the loadable weakly.
    ///
    /// The backoff also follows a run without an outcome, such as that of a group without members.
    public func sync(by schedule: SyncSchedule) -> ListenerToken {
        state.withLock { $0.interests += 1 }
        let (source, timekeeper) = (source, timekeeper)
        let task = Task(executorPreference: executor) { [weak self] in
            var timer = SyncTimer(schedule)
            while !Task.isCancelled {
                // Each wake-up decides anew: the time has come, or something has changed, or both.
                let seen = source.version
                guard let wait = self.map({ timer.wait(for: $0) }) else { return }
                guard let wait, wait <= .zero else {
                    guard await source.change(after: seen, within: wait, on: timekeeper) else { return }
                    continue
                }
                if schedule.isForced { await self?.sync() } else { await self?.syncIfNeeded() }
                timer.note(syncAt: timekeeper.now)
            }
        }
        return ListenerToken { [weak self] in
            task.cancel()
            guard let self else { return }
            self.state.withLock { $0.interests -= 1 }
            self.giveUpIfUnwanted()
        }
    }

    /// Polls: loads now if needed and then periodically, for as long as the token is held.
    public func poll(every period: Duration) -> ListenerToken {
        sync(by: SyncSchedule(every: period, backoff: Backoff(initial: period, factor: 1, maximum: period, jitter: 0)))
    }

    /// Syncs if needed whenever a signal arrives while this is in use, such as regained connectivity or the app becoming
    /// active. Ends with the signals or when the token is released. Holds the loadable weakly.
    ///
    /// - Parameter isForced: whether a signal loads even if the contents are fresh.
    public func sync<Signals: AsyncSequence & Sendable>(
        on signals: Signals,
        isForced: Bool = false
    ) -> ListenerToken where Signals.Element: Sendable {
        let task = Task(executorPreference: executor) { [weak self] in
            do {
                for try await _ in signals {
                    guard let self else { return }
                    guard self.userCount > 0 else { continue }
                    if isForced { await self.sync() } else { await self.syncIfNeeded() }
                }
            } catch { return }
        }
        return ListenerToken { task.cancel() }
    }
}
