import Cofferdam

extension UpgradeEngine {
    /// Goes back to `legacyOnly` here at once, and everywhere as soon as the store is reachable. Only a kill switch at
    /// ``KillSwitch/Target/freeze`` prevents this.
    ///
    /// - Returns: the status. ``UpgradeStatus/pendingRequests`` holds the requests that have not reached the store.
    /// - Throws: ``UpgradeRefusal`` of the store: there was nothing to abort, or no name or reason was given.
    @discardableResult
    public func abort(by: String, reason: String) async throws -> UpgradeStatus {
        try await submit(request(.abort, by: by, reason: reason))
    }

    /// Sets the kill switch here at once, and everywhere as soon as the store is reachable.
    ///
    /// - Throws: as ``abort(by:reason:)``.
    @discardableResult
    public func kill(_ target: KillSwitch.Target, by: String, reason: String) async throws -> UpgradeStatus {
        try await submit(request(.kill(target), by: by, reason: reason))
    }

    func submit(_ request: UpgradeRequest) async throws -> UpgradeStatus {
        guard !request.by.isEmpty, !request.reason.isEmpty else {
            throw UpgradeRefusal(.incomplete, "a change needs a name and a reason, for the log")
        }
        state.withLock { state in
            state.followed.pendingRequests.append(request)
            state.awaited.insert(request.id)
        }
        await follow()
        await remember()
        let status = await refresh()
        let refusal = state.withLock { state in
            state.awaited.remove(request.id)
            return state.refusals.removeValue(forKey: request.id)
        }
        if let refusal { throw refusal }
        return status
    }

    // MARK: The store

    /// Reads the kill switch of this machine.
    ///
    /// - Returns: whether it changed.
    @discardableResult
    func readLocalKill() async -> Bool {
        guard let memory = options.memory else { return false }
        var isOther = false
        await attempt("this machine's kill switch") {
            let kill = try await memory.localKill(of: capability)
            isOther = state.withLock { state in
                defer { state.followed.localKill = kill }
                return state.followed.localKill != kill
            }
        }
        return isOther
    }

    /// Reads the stored state.
    ///
    /// - Returns: whether the store answered.
    @discardableResult
    func readStage() async -> Bool {
        let answered = await attempt("the store") {
            let floor = state.withLock { $0.followed.revision }
            accept(try await store.read(capability), floor: floor)
        }
        if !answered { await readStop() }
        return answered
    }

    /// Asks the second channel for a stop.
    private func readStop() async {
        guard let stops = options.stops, !Task.isCancelled else { return }
        await attempt("the stop file") {
            guard let stop = try await stops.stop(of: capability) else { return }
            state.withLock { $0.followed.receive(stop) }
        }
    }

    func readStore() async {
        if await readStage() { await deliver() }
    }

    /// Carries out the requests made here.
    ///
    /// - Returns: whether there were any.
    @discardableResult
    func deliver() async -> Bool {
        let isAny = state.withLock { !$0.followed.pendingRequests.isEmpty }
        await attempt("what was requested here") { try await carryOutPendingRequests() }
        return isAny
    }

    /// Lets the store record manual edits, which are already in effect.
    func settle() async {
        await attempt("what was done by hand") { try await store.settle(capability) }
    }

    /// A request that waits for the end of a freeze does not block later ones, such as a kill switch that may end the
    /// freeze.
    private func carryOutPendingRequests() async throws {
        var frozen: UpgradeRefusal?
        for request in state.withLock({ $0.followed.pendingRequests }) {
            do { try await carryOut(request) } catch let refusal as UpgradeRefusal { frozen = frozen ?? refusal }
        }
        if let frozen { throw frozen }
    }

    private func carryOut(_ request: UpgradeRequest) async throws {
        var refusal: UpgradeRefusal?
        do {
            accept(try await store.carryOut(request, for: capability, plan: plan))
        } catch let error as UpgradeRefusal {
            // The request waits for the end of the freeze; until then only this instance follows it.
            if error.code == .frozen { throw error }
            refusal = error
        }
        state.withLock { state in
            state.followed.pendingRequests.removeAll { $0.id == request.id }
            if state.awaited.contains(request.id) { state.refusals[request.id] = refusal }
        }
    }

    func accept(_ found: StoredUpgrade?, floor: Int64 = 0) {
        let now = time.elapsed()
        state.withLock { $0.followed.read(found, at: now, floor: floor) }
    }

    /// Runs `body`. While it fails, the status shows its error.
    ///
    /// - Returns: whether it succeeded.
    @discardableResult
    func attempt(_ subject: String, _ body: () async throws -> Void) async -> Bool {
        do {
            try await body()
            state.withLock { $0.followed.problems[subject] = nil }
            return true
        } catch is CancellationError {
            // A cancelled caller is not an error.
        } catch {
            state.withLock { state in
                state.followed.problems[subject] = "\(error)"
                if (error as? UpgradeStoreError)?.code == .setBack { state.followed.noteSetBack() }
            }
        }
        return false
    }

    // MARK: The routes

    /// Updates the routes. Until the memory has been read and the saved counts are restored, the routes may go back at
    /// once but not forward, because counts from a higher stage would be lost.
    func follow() async {
        let now = time.elapsed()
        let changed = state.withLock { state -> UpgradeStatus? in
            let routing = state.followed.routing(at: now)
            let mayCount = state.pendingStarts == 0 && !state.needsEvidence && state.resumption == nil
            if mayCount, let stored = state.followed.stored { recorder.follow(stored.state) }
            guard mayCount || !routing.raises(control.state) else { return nil }
            // Even if the routes follow it already: the file may have another epoch.
            options.calls?.enter(epoch: routing.epoch)
            guard control.take(routing) else { return nil }
            return state.followed.status(at: now)
        }
        guard let changed else { return }
        // Detached, so that tasks that observers start do not inherit the caller's task-locals.
        await detached {
            self.control.notifyObservers()
            self.options.observer?.followed(changed)
        }.value
    }

    /// Starts a task of the engine, without its caller's task-locals and not cancelled with the caller.
    func detached<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Task<Value, Never> {
        Task.detached(executorPreference: options.executor, priority: Task.currentPriority, operation: body)
    }

    // MARK: Memory

    /// Reads the memory only once, even if a caller is cancelled: after that, the engine knows more than the memory.
    func recall() async {
        let recalling = state.withLock { state in
            if let recalling = state.recalling { return recalling }
            state.canRemember = options.memory == nil
            let recalling = detached { await self.recallNow() }
            state.recalling = recalling
            return recalling
        }
        await recalling.value
    }

    private func recallNow() async {
        // First, so that the remembered state is not followed without it.
        if options.calls?.hasCrashedTooOften ?? false {
            let reason = "three processes crashed within ten minutes while calling the candidate"
            let request = request(.abort, by: options.settings.name, reason: reason)
            state.withLock { $0.followed.pendingRequests.append(request) }
        }
        if let memory = options.memory { await recall(from: memory) }
    }

    private func recall(from memory: any UpgradeMemory) async {
        await attempt("what is remembered here") {
            let remembered = try await memory.remembered(of: capability)
            state.withLock { state in
                state.canRemember = true
                guard let remembered else { return }
                let age = Duration.milliseconds(WallTime.since(remembered.seen, at: options.now())) - time.elapsed()
                state.followed.resume(remembered, age: age)
                state.remembered = (remembered, .zero - max(.zero, age))
            }
        }
    }

    /// Writes changes to the memory, and from time to time also the time at which the store was last read. Writes keep
    /// their order, and continue even if the caller is cancelled: a request outlives its caller.
    func remember() async { await beginRemembering()?.value }

    /// - Returns: the task that writes; nil if there is nothing to write.
    func beginRemembering() -> Task<Void, Never>? {
        guard let memory = options.memory else { return nil }
        let (now, date) = (time.elapsed(), options.now())
        return state.withLock { state -> Task<Void, Never>? in
            let followed = state.followed
            let isNothing = followed.stored == nil && followed.pendingRequests.isEmpty && followed.stop == nil
            guard state.canRemember, !isNothing || state.remembered != nil else { return nil }
            let seen = followed.age(at: now).map { date - $0.components.seconds * 1_000 } ?? 0
            let upgrade = RememberedUpgrade(
                followed.stored ?? followed.initial,
                seen: seen,
                pendingRequests: followed.pendingRequests,
                stop: followed.stop
            )
            if let (last, at) = state.remembered {
                let isOld = now - at >= .seconds(60) && upgrade.seen > last.seen + 1_000
                var same = last
                same.seen = upgrade.seen
                guard isOld || upgrade != same else { return state.writing }
            }
            state.remembered = (upgrade, now)
            let writing = detached { [before = state.writing] in
                await before?.value
                await self.write(upgrade, to: memory)
            }
            state.writing = writing
            return writing
        }
    }

    /// Writes to the memory. If that fails, the next call writes again.
    private func write(_ upgrade: RememberedUpgrade, to memory: any UpgradeMemory) async {
        var isWritten = false
        await attempt("what is remembered here") {
            try await memory.remember(upgrade)
            isWritten = true
        }
        guard !isWritten else { return }
        state.withLock { state in
            if state.remembered?.upgrade == upgrade { state.remembered = nil }
        }
    }
}

extension StageState {
    /// Returns whether it raises any operation, and does so by a step rather than a kill switch.
    fileprivate func raises(_ before: StageState) -> Bool {
        guard kill == nil else { return false }
        if before.stage < .candidateWithFallback, !servedUnits.isSubset(of: before.servedUnits) { return true }
        let operations: [String?] = [nil] + Set(overrides.keys).union(before.overrides.keys)
        return operations.contains { before.stage(for: $0) < stage(for: $0) }
    }
}
