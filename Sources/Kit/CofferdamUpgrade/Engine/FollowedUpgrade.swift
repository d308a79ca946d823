/// What one instance knows of an upgrade, and what it follows from that. Pure: time is given, in how long the engine has been there.
struct FollowedUpgrade: Sendable {
    let capability: String
    let plan: UpgradePlan
    let settings: UpgradeEngineSettings

    private(set) var stored: StoredUpgrade?
    /// When the store was read last; before 0 if another process did.
    private(set) var seen: Duration?
    private(set) var isSetBack = false
    /// What was ordered here and has not reached the store.
    var orders: [UpgradeRequest] = []
    /// Of this machine alone.
    var localKill: KillSwitch?
    /// What fails, by what it concerns.
    var problems: [String: String] = [:]
    var decision: Decision?

    init(_ capability: String, _ plan: UpgradePlan, _ settings: UpgradeEngineSettings) {
        self.capability = capability
        self.plan = plan
        self.settings = settings
    }

    /// Before anything was stored.
    var initial: StoredUpgrade { StoredUpgrade(state: UpgradeState(capability: capability, since: 0)) }
    var revision: Int64 { stored?.revision ?? 0 }

    // MARK: What is heard

    /// Goes on with what another process has seen, unless the store has told something newer meanwhile, and with its orders before
    /// those that were given here.
    ///
    /// - Parameter age: since then, by the calendar.
    mutating func resume(_ remembered: RememberedUpgrade, age: Duration) {
        if seen == nil || remembered.revision >= revision && remembered.stored != stored {
            stored = remembered.stored
            seen = .zero - max(.zero, age)
        }
        orders.removeAll { order in remembered.orders.contains { $0.id == order.id } }
        orders = remembered.orders + orders
    }

    /// The store was read.
    ///
    /// - Parameter floor: the ``revision`` when the reading began: an older one than that was set back, while one that is only
    ///   older than now was overtaken on its way.
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
    }

    /// The store itself has noticed.
    mutating func noteSetBack() { isSetBack = true }

    // MARK: What follows

    /// Why what the gate has decided is not carried out: something has come between. Nil where nothing has.
    func refusal(of decision: Decision) -> UpgradeRefusal? {
        guard decision.verdict != .hold else { return nil }
        if let kill = localKill ?? stored?.kill {
            let message = "the kill switch is at \(kill.target.rawValue), by \(kill.by): \(kill.reason)"
            return UpgradeRefusal(.frozen, message)
        }
        if let order = orders.first {
            return UpgradeRefusal(.outdated, "\(order.action.name) was ordered here by \(order.by) meanwhile")
        }
        if isSetBack { return UpgradeRefusal(.outOfTouch, "the store tells an older state than before") }
        guard let state = stored?.state, state.stage == decision.reading.stage, state.epoch == decision.reading.epoch
        else { return UpgradeRefusal(.outdated, "the stage has changed while the evidence was read") }
        return nil
    }

    func age(at time: Duration) -> Duration? { seen.map { max(.zero, time - $0) } }

    func mayRise(at time: Duration) -> Bool {
        guard let age = age(at: time) else { return false }
        return age <= settings.noRiseAfter && !isSetBack && orders.isEmpty && localKill == nil
    }

    /// What is stored, with what was ordered here.
    private var ordered: StoredUpgrade? {
        guard !orders.isEmpty else { return stored }
        return orders.reduce(stored ?? initial) { state, order in
            // What the rules refuse changes nothing here either.
            (try? state.applying(order, plan: plan).after) ?? state
        }
    }

    /// What is to be followed.
    func routing(at time: Duration) -> StageState {
        var routing = ordered?.routing ?? StageState()
        if isOutOfTouch(at: time) {
            routing.stage = routing.stage.outOfTouch
            routing.overrides = routing.overrides.mapValues(\.outOfTouch)
            routing.servesNamed = false
        }
        // A freeze here holds nobody back whom the kill switch of all sends to a side.
        if let localKill, localKill.target != .freeze || routing.kill == nil { routing.kill = localKill }
        return routing
    }

    private func isOutOfTouch(at time: Duration) -> Bool { age(at: time).map { $0 > settings.legacyAfter } ?? true }

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
            mayRise: mayRise(at: time),
            isSetBack: isSetBack,
            orders: orders,
            notes: notes(at: time, routing),
            verdict: decision.flatMap { $0.reading.epoch == stored?.state.epoch ? $0.verdict : nil }
        )
    }

    private func notes(at time: Duration, _ routing: StageState) -> [String] {
        var notes: [String] = []
        if let age = age(at: time) {
            let seconds = age.components.seconds
            if isOutOfTouch(at: time) {
                notes.append("out of touch with the store for \(seconds) s: shadow and canary are at legacyOnly here")
            } else if age > settings.noRiseAfter {
                notes.append("out of touch with the store for \(seconds) s: nothing is raised")
            }
        } else {
            notes.append("the store was never read: legacyOnly here")
        }
        if isSetBack { notes.append("the store tells an older state than before: it is not followed") }
        if let localKill {
            notes.append("this machine's kill switch is at \(localKill.target.rawValue): \(localKill.reason)")
        }
        notes += orders.map { "\($0.action.name) by \($0.by) has not reached the store" }
        notes += problems.sorted { $0.key < $1.key }.map(\.value)
        return notes
    }
}

extension StoredUpgrade {
    /// When a change by hand was made each process that saw it tells for itself, until one of them has written it down.
    fileprivate func isSameChange(as other: StoredUpgrade?) -> Bool {
        guard let other else { return false }
        var changed = self
        changed.state.since = other.state.since
        return changed == other
    }
}

extension Stage {
    /// What is followed of it by who has not heard for too long whether it still holds.
    fileprivate var outOfTouch: Stage {
        switch kind {
        case .shadow, .canary: .legacyOnly
        case .legacyOnly, .candidateWithFallback, .candidateShadowed, .candidateOnly: self
        }
    }
}
