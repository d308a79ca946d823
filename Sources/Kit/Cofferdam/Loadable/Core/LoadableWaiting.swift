/// What one may wait for.
public enum LoadableGoal: String, Sendable, Hashable, CaseIterable {
    /// There are contents, however old.
    case contents
    /// The last run or write has succeeded.
    case success
    /// It is not syncing: it may be idle, or have failed.
    case settled

    fileprivate func isReached<Contents>(by snapshot: LoadableSnapshot<Contents>) -> Bool {
        switch self {
        case .contents: snapshot.contents != nil
        case .success: snapshot.state == .succeeded
        case .settled: snapshot.state != .syncing
        }
    }
}

extension Loadable {
    /// Returns the first snapshot that reaches the goal; the one that stands may.
    ///
    /// - Parameters:
    ///   - limit: how long to wait at most; nil for ever.
    ///   - schedule: syncs while somebody waits; nil to wait for what others sync.
    /// - Throws: ``DeadlineExceeded``, or `CancellationError`.
    @discardableResult
    public func wait(
        for goal: LoadableGoal,
        within limit: Duration? = nil,
        syncingBy schedule: SyncSchedule? = nil,
        clock: some Clock<Duration> = ContinuousClock()
    ) async throws -> LoadableSnapshot<Contents> {
        let token = schedule.map { sync(by: $0) }
        defer { token?.cancel() }
        guard let limit else { return try await first(goal) }
        return try await withDeadline(limit, clock: clock) { try await self.first(goal) }
    }

    /// Waits until it is not syncing, and returns the contents that are there then, however the run went.
    ///
    /// - Throws: the run's error if there are no contents, or ``LoadableError/Code/notLoadable`` if it is idle; what
    ///   ``wait(for:within:syncingBy:clock:)`` throws.
    public func settledContents(
        within limit: Duration? = nil,
        clock: some Clock<Duration> = ContinuousClock()
    ) async throws -> Contents {
        let snapshot = try await wait(for: .settled, within: limit, clock: clock)
        if let contents = snapshot.contents { return contents }
        throw snapshot.error ?? LoadableError(.notLoadable, "nobody has loaded it")
    }

    private func first(_ goal: LoadableGoal) async throws -> LoadableSnapshot<Contents> {
        for await snapshot in snapshots.states where goal.isReached(by: snapshot) { return snapshot }
        throw CancellationError()
    }
}
