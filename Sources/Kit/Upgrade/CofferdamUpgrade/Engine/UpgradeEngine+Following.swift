import Cofferdam

extension UpgradeEngine {
    /// Takes the next step on a person's responsibility, with the baseline that was measured here: from the first stage,
    /// after a rollback, or when the gate could not decide.
    ///
    /// - Parameter despiteGate: takes it elsewhere too, without the gate's approval.
    /// - Throws: ``UpgradeRefusal``; ``UpgradeStoreError``; `CancellationError`.
    @discardableResult
    public func advance(by: String, reason: String, despiteGate: Bool = false) async throws -> UpgradeStatus {
        var request = request(.advance(despiteGate: despiteGate), by: by, reason: reason)
        request.baseline = recorder.baseline
        await adopt(try await store.carryOut(request, for: capability, plan: plan))
        return status
    }

    /// Goes back to `legacyOnly` here at once, and everywhere as soon as the store is reachable.
    ///
    /// - Returns: the status. ``UpgradeStatus/pendingRequests`` holds the requests that have not reached the store.
    /// - Throws: ``UpgradeRefusal`` of the store: there was nothing to abort, or no name or reason was given.
    @discardableResult
    public func abort(by: String, reason: String) async throws -> UpgradeStatus {
        var abort = request(.abort, by: by, reason: reason)
        abort.seen = state.withLock { $0.followed.stored.map { .init($0) } }
        return try await submit(abort)
    }

    /// Sets the kill switch here at once, and everywhere as soon as the store is reachable.
    ///
    /// - Throws: as ``abort(by:reason:)``.
    @discardableResult
    public func kill(_ target: KillSwitch.Target, by: String, reason: String) async throws -> UpgradeStatus {
        try await submit(request(.kill(target), by: by, reason: reason))
    }

    private func submit(_ request: UpgradeRequest) async throws -> UpgradeStatus {
        try await take(request)
        await remember()
        let status = await refresh()
        if let refusal = refusal(of: request) { throw refusal }
        return status
    }

    /// Obeys a request here at once, before anything is read or written.
    private func take(_ request: UpgradeRequest) async throws(UpgradeRefusal) {
        guard !request.by.isEmpty, !request.reason.isEmpty else {
            throw UpgradeRefusal(.incomplete, "a change needs a name and a reason, for the log")
        }
        state.withLock { state in
            state.followed.pendingRequests.append(request)
            state.awaited.insert(request.id)
        }
        await follow()
    }

    private func refusal(of request: UpgradeRequest) -> UpgradeRefusal? {
        state.withLock { state in
            state.awaited.remove(request.id)
            return state.refusals.removeValue(forKey: request.id)
        }
    }

    /// What became of a change.
    package struct CarriedOut: Sendable {
        /// The entry for the audit log.
        package var entry: AuditEntry
        /// Why the store does not have it yet, for people; nil if it has. It is in force here all the same.
        package var whyNotStored: String?

        package init(entry: AuditEntry, whyNotStored: String? = nil) {
            (self.entry, self.whyNotStored) = (entry, whyNotStored)
        }
    }

    /// Carries out a request that lowers the stage or sets the kill switch. It is in force here at once; the store gets it
    /// as soon as it can.
    ///
    /// - Parameter limit: how long to wait for the store, altogether.
    /// - Throws: ``UpgradeRefusal``; `UpgradeStoreError` if the store is needed to know whether there is anything to stop.
    package func stop(_ request: UpgradeRequest, waiting limit: Duration) async throws -> CarriedOut {
        let (known, current) = state.withLock { state in
            let followed = state.followed
            return (state.submitted.first { $0.id == request.id }, followed.withPendingRequests ?? followed.initial)
        }
        guard known?.request.asksTheSame(as: request) ?? true else {
            throw UpgradeRefusal(.keyUsed, "the id \(request.id) belongs to another request")
        }
        let entry: AuditEntry
        if let known {
            entry = known
        } else {
            if let made = await self.made(request.id, within: limit / 4) {
                guard made.request.asksTheSame(as: request) else {
                    throw UpgradeRefusal(.keyUsed, "the id \(request.id) belongs to another request")
                }
                return CarriedOut(entry: made)
            }
            do { entry = try current.applying(request, plan: plan).entry } catch {
                // Another process may have raised the stage since the store was last read.
                await adopt(try await store.carryOut(request, for: capability, plan: plan))
                let made = try await store.entry(request.id, of: capability)
                return CarriedOut(entry: made ?? AuditEntry(request, before: current, after: current))
            }
            state.withLock { $0.submitted = $0.submitted.suffix(Self.keptRequests - 1) + [entry] }
            try await take(request)
        }
        let delivery = detached {
            await self.remember()
            await self.refresh()
        }
        let clock = options.clock
        let answer: Void? = try? await abandoning(after: limit * 3 / 4, on: clock, executor: options.executor) {
            await delivery.value
        }
        if let refusal = refusal(of: request) { throw refusal }
        return state.withLock { state in
            let isPending = state.followed.pendingRequests.contains { $0.id == request.id }
            let problems = state.followed.problems
            let why = answer != nil ? problems["what was requested here"] ?? problems["the store"] : nil
            return CarriedOut(entry: entry, whyNotStored: isPending ? why ?? "the store has not answered yet" : nil)
        }
    }

    /// Returns the entry of a request that was carried out before, perhaps by an earlier process; nil if there is none, or
    /// if the store does not answer in that time.
    private func made(_ id: String, within limit: Duration) async -> AuditEntry? {
        try? await abandoning(after: limit, on: options.clock, executor: options.executor) { [self] in
            try await store.entry(id, of: capability)
        }
    }

    private static let keptRequests = 100

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

    private func carryOutPendingRequests() async throws {
        for request in state.withLock({ $0.followed.pendingRequests }) { try await carryOut(request) }
    }

    /// A request holds here until a state that has it is followed: a store that was set back may accept it, and is not
    /// followed all the same.
    private func carryOut(_ request: UpgradeRequest) async throws {
        var refusal: UpgradeRefusal?
        let floor = state.withLock { $0.followed.revision }
        do {
            let stored = try await store.carryOut(request, for: capability, plan: plan)
            accept(stored, floor: floor)
            guard state.withLock({ stored.revision >= floor && !$0.followed.isSetBack }) else {
                throw UpgradeStoreError(.setBack, "the store reports an older state than before", subject: capability)
            }
        } catch let error as UpgradeRefusal {
            guard state.withLock({ !$0.followed.isSetBack }) else { throw error }
            refusal = error
        }
        state.withLock { state in
            state.followed.pendingRequests.removeAll { $0.id == request.id }
            if state.awaited.contains(request.id) {
                state.refusals[request.id] = refusal
            } else if let refusal {
                let what = "\(request.action.name) by \(request.by) was dropped: \(refusal.message)"
                state.followed.problems["dropped requests"] = what
            }
        }
    }

    /// Reads the store, and returns the state that is in force here, with the requests made here; nil if there is none.
    package func look() async -> StoredUpgrade? {
        await readStage()
        await follow()
        return state.withLock { $0.followed.withPendingRequests }
    }

    /// Follows a state that the store has just stored.
    package func adopt(_ stored: StoredUpgrade?) async {
        accept(stored)
        await follow()
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
        control.begin(hour: VisitHour.hour(of: options.now()))
        let changed = state.withLock { state -> UpgradeStatus? in
            let routing = state.followed.routing(at: now)
            if state.followed.seen != nil { options.served?(state.followed.withPendingRequests) }
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
        var remembered: RememberedUpgrade?
        var isRead = options.memory == nil
        if let memory = options.memory {
            isRead = await attempt("what is remembered here") {
                remembered = try await memory.remembered(of: capability)
            }
        }
        state.withLock { [remembered, isRead] state in
            state.canRemember = isRead
            if let remembered {
                let age = Duration.milliseconds(WallTime.since(remembered.seen, at: options.now())) - time.elapsed()
                state.followed.resume(remembered, age: age)
                state.remembered = (remembered, .zero - max(.zero, age))
            }
            // At the same time, so that the remembered state is not followed without it.
            if options.calls?.hasCrashedTooOften ?? false { stopAfterCrashes(&state.followed) }
        }
    }

    private func stopAfterCrashes(_ followed: inout FollowedUpgrade) {
        let reason = "three processes crashed within ten minutes while calling the candidate"
        var abort = request(.abort, by: options.settings.name, reason: reason)
        if options.isShared {
            followed.receive(StopNotice(by: abort.by, reason: reason, at: abort.at / 1_000))
        } else {
            abort.seen = followed.stored.map { .init($0) }
            followed.pendingRequests.append(abort)
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
