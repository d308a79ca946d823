/// When a loadable is synced by itself.
public struct SyncSchedule: Sendable {
    /// From loading to the next sync; nil for none after a success. Where ``isForced`` is not set, the next sync comes once
    /// the contents are stale too; a period of zero then means as soon as they are.
    public var period: Duration?
    /// From a failure to the next sync; nil for none after a failure. The attempts of ``LoadRetry`` are within one run, these
    /// waits are between runs.
    public var backoff: Backoff?
    /// Whether each sync loads in any case, or only if it is needed.
    public var isForced: Bool
    /// Whether it starts by itself, or only after the first sync that something else starts.
    public var startsAtOnce: Bool
    /// From 0 to 1, new for each wait: the jitter's share.
    public var random: @Sendable () -> Double

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
    private var generation = -1
    /// When the schedule first saw what stands, or that a run had led to nothing.
    private var since = Duration.zero
    /// When the schedule's own last sync ended.
    private var syncedAt: Duration?
    /// Whether a run has gone on since the schedule last looked.
    private var wasTried = false
    /// How many runs in a row have failed, or led to nothing.
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
        // The age of restored contents is another clock's, and may be negative.
        let wait = pause - max(.zero, min(elapsed, syncedAt.map { now - $0 } ?? elapsed))
        if schedule.isForced { return wait }
        if let timeUntilStale = loadable.timeUntilStale { return max(wait, timeUntilStale) }
        // Without a period it would ask all the time; a change wakes it.
        return pause > .zero ? wait : nil
    }

    private mutating func look(at snapshot: LoadableSnapshot<some Sendable>, _ now: Duration) {
        let hasChanged = snapshot.generation != generation
        if hasChanged { (generation, since) = (snapshot.generation, now) }
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
    /// Waits until the version is no longer `seen`, and no longer than `limit`.
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
    /// Syncs by that schedule for as long as the token is held, which keeps runs going meanwhile: periodically, and after
    /// failures by the back-off. Any other sync, write or failure moves the next time at once. Holds the loadable weakly.
    ///
    /// A run that leads to nothing, as that of a group without members, is followed by the back-off too.
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

    /// Polls: loads now if it is needed, and then again and again, for as long as the token is held.
    public func poll(every period: Duration) -> ListenerToken {
        sync(by: SyncSchedule(every: period, backoff: Backoff(initial: period, factor: 1, maximum: period, jitter: 0)))
    }

    /// Syncs if it is needed whenever a signal arrives while this is in use: connectivity is back, or the app in the
    /// foreground. Ends with the signals, or when the token is released. Holds the loadable weakly.
    ///
    /// - Parameter isForced: whether a signal loads in any case.
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
