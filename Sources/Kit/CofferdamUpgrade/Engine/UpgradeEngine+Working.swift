import Cofferdam

extension UpgradeEngine {
    /// What is done again and again, each by a task of its own: none waits for another.
    private enum PeriodicJob: CaseIterable {
        case lookForKill, askStore, deliver, save, decide, note
    }

    /// Reads what is stored and was counted, and follows it. What the process before has left is judged first: if the candidate ended
    /// it too often, the upgrade is aborted before anybody opens the candidate. A kill is obeyed meanwhile, of this machine and of the
    /// store, however long the disk or the evidence takes.
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

    /// Only follows what is stored, for those who must not wait for what was counted: ``start()`` is to be called then, before
    /// anything counts.
    @discardableResult
    public func startFollowing() async -> UpgradeStatus {
        await whileRunning([.lookForKill]) { await begin() }
        await whileRunning([.lookForKill, .askStore]) {
            finishStarting()
            await followWhatIsStored()
        }
        return status
    }

    /// Reads the store, carries out what was ordered here, and follows what holds then.
    @discardableResult
    public func refresh() async -> UpgradeStatus {
        await readLocalKill()
        await readStore()
        await followWhatIsStored()
        return status
    }

    /// Works until it is cancelled: see ``UpgradeEngineSettings``. Call ``start()`` before.
    ///
    /// A kill is obeyed, and what was counted is saved, however long the store, the disk or the evidence takes.
    ///
    /// - Throws: `CancellationError` alone.
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
            // In a task of its own, which is not cancelled.
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

    /// Follows each change that the store tells of, until it is cancelled.
    private func watch() async {
        guard let watching = options.watching else { return }
        for await _ in watching.changes(of: capability) { await followStore() }
    }

    private func followStore() async {
        await readStage()
        await follow()
        // A disk that takes no write must not keep the next change from being followed.
        _ = beginRemembering()
    }

    // MARK: Duties

    /// Does that, and follows what the store tells, as long as `body` lasts, and waits for none of it then.
    private func whileRunning(_ jobs: [PeriodicJob], _ body: () async -> Void) async {
        let start = time.elapsed()
        var tasks = [detached { await self.watch() }]
        for job in jobs {
            tasks.append(
                detached {
                    // It only ends by being cancelled.
                    try? await self.keep(job, from: start)
                }
            )
        }
        defer { for task in tasks { task.cancel() } }
        await body()
    }

    /// In equal steps: how long it takes is not added to them. What takes longer than a step begins again at once, but for the gate, which
    /// lets its evidence rest for a step.
    private func keep(_ job: PeriodicJob, from start: Duration) async throws {
        let interval = max(interval(of: job), .milliseconds(1))
        var next = start + interval
        while true {
            try Task.checkCancellation()
            try await time.sleep(next)
            let began = time.elapsed()
            await perform(job)
            // By when it began: what has come since then it may not have seen.
            next = max(next + interval, began)
            if job == .decide, next < time.elapsed() { next = time.elapsed() + interval }
        }
    }

    private func interval(of job: PeriodicJob) -> Duration {
        let settings = options.settings
        return switch job {
        case .lookForKill: settings.killPolling
        case .askStore, .deliver: store.isLocal ? min(settings.polling, settings.killPolling) : settings.polling
        case .save: settings.saving
        case .decide: settings.polling
        case .note: settings.noting
        }
    }

    private func perform(_ job: PeriodicJob) async {
        switch job {
        case .lookForKill:
            let isOther = await readLocalKill()
            // Also where the kill switch is what it was: it may have been out of touch for too long by now.
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
