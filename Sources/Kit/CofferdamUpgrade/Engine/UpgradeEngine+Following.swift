import Cofferdam

extension UpgradeEngine {
    /// Everybody here goes back to `legacyOnly` at once, and everybody else as soon as the store can be asked. Only a kill switch that
    /// freezes withstands.
    ///
    /// - Returns: the status; what has not reached the store yet is in ``UpgradeStatus/orders``.
    /// - Throws: ``UpgradeRefusal`` from the store's state: there was nothing to abort, or no name or reason was given.
    @discardableResult
    public func abort(by: String, reason: String) async throws -> UpgradeStatus {
        try await order(request(.abort, by: by, reason: reason))
    }

    /// Pulls the kill switch here at once, and for everybody as soon as the store can be asked.
    ///
    /// - Throws: as ``abort(by:reason:)``.
    @discardableResult
    public func kill(_ target: KillSwitch.Target, by: String, reason: String) async throws -> UpgradeStatus {
        try await order(request(.kill(target), by: by, reason: reason))
    }

    func order(_ request: UpgradeRequest) async throws -> UpgradeStatus {
        guard !request.by.isEmpty, !request.reason.isEmpty else {
            throw UpgradeRefusal(.incomplete, "a change needs a name and a reason, for the log")
        }
        state.withLock { state in
            state.followed.orders.append(request)
            state.awaited.insert(request.id)
        }
        follow()
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

    func readStore() async {
        if let memory = options.memory {
            await attempt("this machine's kill switch") {
                let kill = try await memory.localKill(of: capability)
                state.withLock { $0.followed.localKill = kill }
            }
        }
        await attempt("the store") {
            let floor = state.withLock { $0.followed.revision }
            accept(try await store.read(capability), floor: floor)
            try await carryOutOrders()
        }
    }

    /// One that waits for whoever has frozen the upgrade holds up none after it: a kill switch, say, which may end that.
    private func carryOutOrders() async throws {
        var frozen: UpgradeRefusal?
        for order in state.withLock({ $0.followed.orders }) {
            do { try await carryOut(order) } catch let refusal as UpgradeRefusal { frozen = frozen ?? refusal }
        }
        if let frozen { throw frozen }
    }

    private func carryOut(_ order: UpgradeRequest) async throws {
        var refusal: UpgradeRefusal?
        do {
            accept(try await store.carryOut(order, for: capability, plan: plan))
        } catch let error as UpgradeRefusal {
            // It waits for whoever has frozen it: until then this instance obeys alone.
            if error.code == .frozen { throw error }
            refusal = error
        }
        state.withLock { state in
            state.followed.orders.removeAll { $0.id == order.id }
            if state.awaited.contains(order.id) { state.refusals[order.id] = refusal }
        }
    }

    func accept(_ found: StoredUpgrade?, floor: Int64 = 0) {
        let now = time.elapsed()
        state.withLock { $0.followed.read(found, at: now, floor: floor) }
    }

    /// Does it, and shows as long as it fails why.
    func attempt(_ subject: String, _ body: () async throws -> Void) async {
        do {
            try await body()
            state.withLock { $0.followed.problems[subject] = nil }
        } catch is CancellationError {
            // Nothing fails: nobody wants it any more.
        } catch {
            state.withLock { state in
                state.followed.problems[subject] = "\(error)"
                if (error as? UpgradeStoreError)?.code == .setBack { state.followed.noteSetBack() }
            }
        }
    }

    // MARK: The routes

    /// Lets the routes follow what holds.
    func follow() {
        let now = time.elapsed()
        let changed = state.withLock { state -> UpgradeStatus? in
            let routing = state.followed.routing(at: now)
            if let stored = state.followed.stored { recorder.follow(stored.state) }
            // Also where the routes follow it already: the file may have another's epoch.
            options.calls?.enter(epoch: routing.epoch)
            guard control.take(routing) else { return nil }
            return state.followed.status(at: now)
        }
        guard let changed else { return }
        control.tellWatchers()
        options.observer?.followed(changed)
    }

    // MARK: What is remembered here

    /// Once, whoever has gone meanwhile: later on more is known than what was remembered.
    func recall() async {
        let recalling = state.withLock { state in
            if let recalling = state.recalling { return recalling }
            state.canRemember = options.memory == nil
            let recalling = Task(executorPreference: options.executor) { await self.recallNow() }
            state.recalling = recalling
            return recalling
        }
        await recalling.value
    }

    private func recallNow() async {
        if let memory = options.memory { await recall(from: memory) }
        if options.calls?.hasEndedTooOften ?? false {
            let reason = "three processes ended within ten minutes while the candidate was called"
            let request = request(.abort, by: options.settings.name, reason: reason)
            state.withLock { $0.followed.orders.append(request) }
        }
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

    /// Writes down what is new, and from time to time that the store could be read. It is written in the order in which it became
    /// known, and whoever has gone meanwhile: an order outlives who has given it.
    func remember() async {
        guard let memory = options.memory else { return }
        let (now, date) = (time.elapsed(), options.now())
        let writing = state.withLock { state -> Task<Void, Never>? in
            let followed = state.followed
            let isNothing = followed.stored == nil && followed.orders.isEmpty
            guard state.canRemember, !isNothing || state.remembered != nil else { return nil }
            let seen = followed.age(at: now).map { date - $0.components.seconds * 1_000 } ?? 0
            let upgrade = RememberedUpgrade(followed.stored ?? followed.initial, seen: seen, orders: followed.orders)
            if let (last, at) = state.remembered {
                let isOld = now - at >= .seconds(60) && upgrade.seen > last.seen + 1_000
                guard isOld || upgrade.stored != last.stored || upgrade.orders != last.orders else {
                    return state.writing
                }
            }
            state.remembered = (upgrade, now)
            let writing = Task(executorPreference: options.executor) { [before = state.writing] in
                await before?.value
                await self.write(upgrade, to: memory)
            }
            state.writing = writing
            return writing
        }
        await writing?.value
    }

    /// What could not be written is new once more.
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
