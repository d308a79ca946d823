/// When a loadable is synced by itself.
public struct SyncSchedule: Sendable {
    /// From one landing to the next sync; nil for none after a success.
    public var period: Duration?
    /// From a failure to the next sync; nil for none after a failure. The attempts of ``LoadRetry`` are within one run, these
    /// waits are between runs.
    public var backoff: Backoff?
    /// Whether each sync loads in any case, or only if it is needed.
    public var isForced: Bool
    /// Whether it begins by itself, or waits until somebody else has synced for the first time.
    public var startsAtOnce: Bool
    /// From 0 to 1, new for each wait: the jitter's share.
    public var random: @Sendable () -> Double

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

    fileprivate func wait(after state: LoadState, failures: Int) -> Duration? {
        switch state {
        case .idle: startsAtOnce ? .zero : nil
        case .syncing: nil
        case .succeeded: period
        case .failed: backoff?.wait(attempt: failures, random: random())
        }
    }
}

extension Loadable {
    /// Syncs by that schedule for as long as the token is held, which keeps runs going meanwhile: periodically, and after
    /// failures by the back-off. What somebody else syncs moves the next time. Holds the loadable weakly.
    public func sync(by schedule: SyncSchedule) -> ListenerToken {
        state.withLock { $0.interests += 1 }
        let states = snapshots.states
        let timekeeper = timekeeper
        let task = Task(executorPreference: executor) { [weak self] in
            var failures = 0
            var generation = -1
            var states = states.makeAsyncIterator()
            while let snapshot = await states.next() {
                // Each state may start a wait, and the next change ends it.
                if snapshot.generation != generation, snapshot.state != .syncing {
                    generation = snapshot.generation
                    failures = snapshot.state == .failed ? failures + 1 : 0
                }
                while let wait = schedule.wait(after: snapshot.state, failures: failures) {
                    do { try await timekeeper.sleep(for: wait) } catch { return }
                    guard let self else { return }
                    guard self.stands(as: snapshot) else { break }
                    if schedule.isForced { await self.sync() } else { await self.syncIfNeeded() }
                    // Where nothing was needed no change is told of, and the next wait begins by itself.
                    guard wait > .zero, self.stands(as: snapshot) else { break }
                }
            }
        }
        return ListenerToken { [weak self] in
            task.cancel()
            guard let self else { return }
            self.state.withLock { $0.interests -= 1 }
            self.giveUpIfUnwanted()
        }
    }

    private func stands(as snapshot: LoadableSnapshot<Contents>) -> Bool {
        let own = self.snapshot
        return own.generation == snapshot.generation && own.state == snapshot.state
    }

    /// Polls: loads now if it is needed, and then again and again, for as long as the token is held.
    public func poll(every period: Duration) -> ListenerToken {
        sync(by: SyncSchedule(every: period, backoff: Backoff(initial: period, factor: 1, maximum: period, jitter: 0)))
    }

    /// Syncs if it is needed whenever a signal comes while somebody uses this: connectivity is back, or the app in the
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
