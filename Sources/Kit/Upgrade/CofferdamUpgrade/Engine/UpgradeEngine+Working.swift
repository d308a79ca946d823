import Cofferdam

extension UpgradeEngine {
    /// The periodic jobs, each in its own task, so that none waits for another.
    private enum PeriodicJob: CaseIterable {
        case lookForKill, askStore, deliver, save, decide, note
    }

    /// Reads the stored state and counts, and follows them. First evaluates a crash of the previous process: after too
    /// many crashes with the candidate, the upgrade is aborted before the candidate is opened. Meanwhile, kill switches
    /// of this machine and of the store take effect, however long the disk or the evidence takes.
    @discardableResult
    public func start() async -> UpgradeStatus {
        await whileRunning([.lookForKill]) { await begin() }
        await whileRunning([.lookForKill, .askStore]) {
            await resumeEvidenceOnce()
            finishStarting()
            await follow()
            await updateState()
            await remember()
            await save()
            await settle()
        }
        return status
    }

    /// Follows the stored state without restoring counts, for callers that must not wait for the counts. Call
    /// ``start()`` later, before anything is counted.
    @discardableResult
    public func startFollowing() async -> UpgradeStatus {
        await whileRunning([.lookForKill]) { await begin() }
        await whileRunning([.lookForKill, .askStore]) {
            finishStarting()
            await followWhatIsStored()
        }
        return status
    }

    /// Reads the store, carries out requests made here, and follows the result.
    @discardableResult
    public func refresh() async -> UpgradeStatus {
        await readLocalKill()
        await readStore()
        await followWhatIsStored()
        return status
    }

    /// Runs until it is cancelled: see ``UpgradeEngineSettings``. Call ``start()`` first.
    ///
    /// A kill switch takes effect, and counts are saved, however long the store, the disk or the evidence takes.
    ///
    /// - Throws: `CancellationError` only.
    public func run() async throws {
        let start = time.elapsed()
        do {
            try await withThrowingTaskGroup { group in
                for job in PeriodicJob.allCases {
                    group.addTask(executorPreference: options.executor) { try await self.keep(job, from: start) }
                }
                group.addTask(executorPreference: options.executor) { await self.watch() }
                try await group.waitForAll()
            }
        } catch {
            // In a detached task, which is not cancelled.
            await detached { await self.save() }.value
            throw error
        }
    }

    // MARK: Steps

    private func begin() async {
        state.withLock { $0.pendingStarts += 1 }
        if await readLocalKill() { await follow() }
        await recall()
        await readStore()
    }

    private func finishStarting() { state.withLock { $0.pendingStarts -= 1 } }

    private func followWhatIsStored() async {
        if state.withLock({ $0.needsEvidence }) { await resumeEvidenceOnce() }
        await follow()
        await updateState()
        await remember()
        await settle()
    }

    /// Follows each change that the store reports, until it is cancelled.
    private func watch() async {
        guard let watching = options.watching else { return }
        for await _ in watching.changes(of: capability) { await followStore() }
    }

    private func followStore() async {
        await readStage()
        await follow()
        // A disk that accepts no write must not delay the next change.
        _ = beginRemembering()
    }

    // MARK: Periodic jobs

    /// Runs `body` while these jobs run and the engine follows the changes that the store reports. At the end, cancels
    /// both without waiting for them.
    private func whileRunning(_ jobs: [PeriodicJob], _ body: () async -> Void) async {
        let start = time.elapsed()
        var tasks = [detached { await self.watch() }]
        for job in jobs {
            tasks.append(
                detached {
                    // The job ends only by cancellation.
                    try? await self.keep(job, from: start)
                }
            )
        }
        defer { for task in tasks { task.cancel() } }
        await body()
    }

    /// Runs a job at fixed intervals, independent of how long it takes. A job that takes longer starts again at once,
    /// except the gate, which pauses for one interval.
    private func keep(_ job: PeriodicJob, from start: Duration) async throws {
        let interval = max(interval(of: job), .milliseconds(1))
        var next = start + interval
        while true {
            try Task.checkCancellation()
            try await time.sleep(next)
            let began = time.elapsed()
            await perform(job)
            // Measured from when the job began: it may have missed later changes.
            next = max(next + interval, began)
            if job == .decide, next < time.elapsed() { next = time.elapsed() + interval }
        }
    }

    private func interval(of job: PeriodicJob) -> Duration {
        let settings = options.settings
        return switch job {
        case .lookForKill: settings.killPollInterval
        case .askStore, .deliver:
            store.isLocal ? min(settings.pollInterval, settings.killPollInterval) : settings.pollInterval
        case .save: settings.saveInterval
        case .decide: settings.pollInterval
        case .note: settings.snapshotInterval
        }
    }

    private func perform(_ job: PeriodicJob) async {
        switch job {
        case .lookForKill:
            let isOther = await readLocalKill()
            // Even if the kill switch is unchanged: contact may have been lost for too long by now.
            if isOther || state.withLock({ $0.followed.seen != nil }) { await follow() }
        case .askStore: await followStore()
        case .deliver:
            if await deliver() { await follow() }
            await settle()
        case .save: await save()
        case .decide:
            if state.withLock({ $0.needsEvidence }) {
                await resumeEvidenceOnce()
                await follow()
            }
            await updateState()
            await decide()
        case .note: await note()
        }
    }
}
