/// What one instance knows about an upgrade, and what follows from it. Pure: it reads no clock, and times count from
/// the creation of the engine.
struct FollowedUpgrade: Sendable {
    let capability: String
    let plan: UpgradePlan
    let settings: UpgradeEngineSettings

    private(set) var stored: StoredUpgrade?
    /// When the store was last read; negative if another process read it.
    private(set) var seen: Duration?
    private(set) var isSetBack = false
    /// Requests that were made here and have not reached the store.
    var pendingRequests: [UpgradeRequest] = []
    /// The kill switch of this machine.
    var localKill: KillSwitch?
    /// A stop that did not come from the store.
    private(set) var stop: StopNotice?
    /// Current errors, by subject.
    var problems: [String: String] = [:]
    var decision: Decision?

    init(_ capability: String, _ plan: UpgradePlan, _ settings: UpgradeEngineSettings) {
        self.capability = capability
        self.plan = plan
        self.settings = settings
    }

    /// The state if nothing is stored.
    var initial: StoredUpgrade { StoredUpgrade(state: UpgradeState(capability: capability, since: 0)) }
    var revision: Int64 { stored?.revision ?? 0 }

    // MARK: Input

    /// Continues from the state that another process remembered, unless the store has a newer one by now. The other
    /// process's requests come before those made here.
    ///
    /// - Parameter age: the time since then, by the wall clock.
    mutating func resume(_ remembered: RememberedUpgrade, age: Duration) {
        if seen == nil || remembered.revision >= revision && remembered.stored != stored {
            stored = remembered.stored
            seen = .zero - max(.zero, age)
        }
        pendingRequests.removeAll { request in remembered.pendingRequests.contains { $0.id == request.id } }
        pendingRequests = remembered.pendingRequests + pendingRequests
        stop = stop ?? remembered.stop
        endStop()
    }

    /// Obeys a stop that did not come from the store, until the store's state shows that the upgrade has gone back.
    mutating func receive(_ notice: StopNotice) {
        guard stop.map({ $0.at < notice.at }) ?? true else { return }
        stop = notice
        stop?.attempt = stored?.state.attempt
        endStop()
    }

    private mutating func endStop() {
        if stop?.holds(over: stored) == false { stop = nil }
    }

    /// Adopts a state that was read from the store.
    ///
    /// - Parameter floor: the ``revision`` when reading began. A revision below it means that the store was set back. A
    ///   revision that is only below the current one is outdated, because a newer state was adopted meanwhile.
    mutating func read(_ found: StoredUpgrade?, at time: Duration, floor: Int64) {
        let isOther = found.map { $0.revision == revision && !$0.isSameChange(as: stored) } ?? false
        guard (found?.revision ?? 0) >= floor, !isOther else {
            isSetBack = true
            return
        }
        guard (found?.revision ?? 0) >= revision else { return }
        isSetBack = false
        seen = max(seen ?? time, time)
        stored = found
        endStop()
    }

    /// Records that the store detected that it was set back.
    mutating func noteSetBack() { isSetBack = true }

    // MARK: Output

    /// Returns why a decision of the gate must not be carried out, because something changed in the meantime; nil if it
    /// may be.
    func refusal(of decision: Decision) -> UpgradeRefusal? {
        guard decision.verdict != .hold else { return nil }
        if let kill = localKill ?? stop?.kill ?? stored?.kill {
            let message = "the switch \(kill.target.effect), by \(kill.by): \(kill.reason)"
            return UpgradeRefusal(.frozen, message)
        }
        if isSetBack, decision.verdict != .rollBack {
            return UpgradeRefusal(.outOfTouch, "the store reports an older state than before")
        }
        if let request = pendingRequests.first {
            let message = "\(request.action.name) was requested here by \(request.by) in the meantime"
            return UpgradeRefusal(.outdated, message)
        }
        guard let state = stored?.state, state.stage == decision.reading.stage, state.epoch == decision.reading.epoch
        else { return UpgradeRefusal(.outdated, "the stage has changed while the evidence was read") }
        return nil
    }

    func age(at time: Duration) -> Duration? { seen.map { max(.zero, time - $0) } }

    func canPromote(at time: Duration) -> Bool {
        guard let age = age(at: time) else { return false }
        return age <= settings.staleAfter && !isSetBack && pendingRequests.isEmpty && localKill == nil && stop == nil
    }

    /// The stored state with the requests made here; nil if nothing is stored or requested.
    var withPendingRequests: StoredUpgrade? {
        guard !pendingRequests.isEmpty else { return stored }
        let initial = StoredUpgrade(
            state: UpgradeState(capability: capability, since: pendingRequests[0].at / 1_000)
        )
        return pendingRequests.reduce(stored ?? initial) { state, request in
            // A request that the rules refuse has no effect here either.
            (try? state.applying(request, plan: plan).after) ?? state
        }
    }

    /// The state that the routes follow.
    func routing(at time: Duration) -> StageState {
        var routing = withPendingRequests?.routing ?? StageState()
        if let expired = expired(at: time) {
            routing.stage = expired(routing.stage)
            routing.overrides = routing.overrides.mapValues(expired)
            routing.servesNamed = false
        }
        // A local freeze does not override a kill switch of the store that sends units to a side.
        if let localKill, localKill.target != .freeze || routing.kill == nil { routing.kill = localKill }
        if let stop, routing.kill?.target != .legacy { routing.kill = stop.kill }
        return routing
    }

    private func hasFallenBack(at time: Duration) -> Bool {
        guard let limit = settings.fallsBackAfter, let age = age(at: time) else { return false }
        return age > limit
    }

    /// Returns what becomes of a stage because contact to the store has been lost for too long; nil if it has not.
    private func expired(at time: Duration) -> ((Stage) -> Stage)? {
        if hasFallenBack(at: time) { return { _ in .legacyOnly } }
        return isOutOfTouch(at: time) ? \.outOfTouch : nil
    }

    private func isOutOfTouch(at time: Duration) -> Bool { age(at: time).map { $0 > settings.expiresAfter } ?? true }

    func status(at time: Duration) -> UpgradeStatus {
        let routing = routing(at: time)
        let age = age(at: time)
        return UpgradeStatus(
            capability: capability,
            stage: routing.stage(),
            stored: stored?.state,
            kill: routing.kill,
            revision: revision,
            ageSeconds: age.map { Int($0.components.seconds) },
            canPromote: canPromote(at: time),
            isSetBack: isSetBack,
            pendingRequests: pendingRequests,
            notes: notes(at: time, routing),
            verdict: decision.flatMap { $0.reading.epoch == stored?.state.epoch ? $0.verdict : nil }
        )
    }

    private func notes(at time: Duration, _ routing: StageState) -> [String] {
        var notes: [String] = []
        if let age = age(at: time) {
            let seconds = age.components.seconds
            if hasFallenBack(at: time) {
                notes.append("out of touch with the store for \(seconds) s: all users are on V1 here")
            } else if isOutOfTouch(at: time) {
                notes.append(
                    "out of touch with the store for \(seconds) s: while only some would be on V2, all users are on V1 here"
                )
            } else if age > settings.staleAfter {
                notes.append("out of touch with the store for \(seconds) s: no further step is taken")
            }
        } else {
            notes.append("the store was never read: all users are on V1 here")
        }
        if isSetBack { notes.append("the store reports an older state than before: it is not followed") }
        if let localKill {
            notes.append("this machine's switch \(localKill.target.effect): \(localKill.reason)")
        }
        if let stop { notes.append("stopped here without the store, by \(stop.by): \(stop.reason)") }
        notes += pendingRequests.map { "\($0.action.plainWords), by \($0.by), has not reached the store" }
        if stored?.state.countsAsLater ?? false {
            notes.append("a newer version of the kit counts at this stage: it decides, and this one only follows")
        }
        if let state = stored?.state {
            if !plan.following(state).stages.contains(state.stage) {
                notes.append(
                    "the plan does not have the stage it is at, \(state.stage.words): the gate can only go back"
                )
            }
            // A process that only follows has no use for a plan of its own.
            if settings.promotesAutomatically, let note = plan.note(on: state) { notes.append(note) }
        }
        if decision?.verdict == .rollBack, let kill = routing.kill, kill.target == .freeze, let decision,
            decision.reading.epoch == stored?.state.epoch
        {
            notes.append(
                "the gate would take V2 back, but \(kill.by) stopped the upgrade where it is: \(decision.inWords)"
            )
        }
        notes += problems.sorted { $0.key < $1.key }.map(\.value)
        return notes
    }
}

extension StoredUpgrade {
    /// Compares without the time, because each process that reads an edit by hand records its own time until one of
    /// them is stored.
    fileprivate func isSameChange(as other: StoredUpgrade?) -> Bool {
        guard let other else { return false }
        var changed = self
        changed.state.since = other.state.since
        return changed == other
    }
}

extension StopNotice {
    var kill: KillSwitch { KillSwitch(.legacy, by: by, reason: reason) }
}

extension Stage {
    /// The stage to follow when contact to the store has been lost for too long.
    fileprivate var outOfTouch: Stage {
        switch kind {
        case .shadow, .canary: .legacyOnly
        case .legacyOnly, .aa, .arms, .candidateWithFallback, .candidateShadowed, .candidateOnly: self
        }
    }
}
