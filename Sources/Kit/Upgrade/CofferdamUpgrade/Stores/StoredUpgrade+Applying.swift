import Cofferdam

extension StoredUpgrade {
    /// Applies a request. Pure: the same for every store.
    ///
    /// - Parameter offered: the plan with which the upgrade begins. One that has begun follows its own.
    /// - Throws: ``UpgradeRefusal``, which names the rule; nothing changes then.
    package func applying(_ request: UpgradeRequest, plan offered: UpgradePlan) throws(UpgradeRefusal) -> UpgradeChange
    {
        guard !request.by.isEmpty, !request.reason.isEmpty else {
            throw UpgradeRefusal(.incomplete, "a change needs a name and a reason, for the log")
        }
        try refuseIfOutdated(request)
        let plan = offered.following(state)
        var next = self
        next.revision = revision + 1
        switch request.action {
        case .kill(let target):
            guard target != .candidate || state.stage.side != .legacy || state.attempt > 1 else {
                throw UpgradeRefusal(
                    .neverAnswered,
                    "\(state.stage.words): V2 has not answered any user yet, so it takes a step up first"
                )
            }
            next.pull(target, request)
        case .resume:
            guard kill != nil else { throw UpgradeRefusal(.alreadyThere, "no kill switch is set") }
            next.clear(request)
        case .override(let operation, let stage, let despiteGate):
            let isAbove = stage.map { state.stage < $0 } ?? false
            if isAbove { try refuseIfKilled() }
            guard !isAbove || despiteGate ?? false else {
                throw UpgradeRefusal(
                    .gateDecides,
                    "no gate has decided on \(operation) above \(state.stage): override it despite the gate"
                )
            }
            next.state.overrides[operation] = stage
        case .allow(let units):
            try refuseIfFrozen()
            try next.state.named.allow(units)
        case .disallow(let units):
            try next.state.named.disallow(units)
        case .abort:
            try next.goBack(to: .legacyOnly, request)
        case .rollBack(let stage):
            guard plan.stages.contains(stage) || stage == .legacyOnly else {
                throw UpgradeRefusal(.unplanned, "the plan has no stage \(stage)")
            }
            try next.goBack(to: stage, request)
        case .retreat(let decision):
            try refuseIfFrozen()
            try check(decision, expecting: .rollBack, plan)
            try next.goBack(to: .legacyOnly, request)
        case .ask(let decision):
            try check(decision, expecting: .undecided, plan)
            guard state.waiting == nil else {
                throw UpgradeRefusal(.alreadyThere, "it is already waiting for a person")
            }
            next.state.waiting = .undecided
        case .promote(let decision):
            try refuseIfKilled()
            try check(decision, expecting: .promote, plan)
            if let waiting = state.waiting {
                throw UpgradeRefusal(.needsPerson, "the upgrade is \(waiting.text): a person must advance it")
            }
            next.move(to: try stageAbove(plan), request)
        case .advance(let despiteGate):
            try refuseIfKilled()
            let stage = try stageAbove(plan)
            if !despiteGate { try refuseWithoutBaseline(request, plan) }
            guard despiteGate || state.waiting != nil || !hasPromotion(plan) else {
                throw UpgradeRefusal(
                    .gateDecides,
                    "the gate at \(state.stage) decides: promote once it says promote, or advance despite the gate"
                )
            }
            next.move(to: stage, request)
        case .measure(let baseline):
            guard state.baseline == nil, state.stage != .legacyOnly else {
                throw UpgradeRefusal(.alreadyThere, "the legacy side's baseline is known, or is still being recorded")
            }
            next.state.baseline = baseline
            next.beginAnew(request)
        case .recount:
            guard !state.countsAsNow, !state.countsAsLater else {
                throw UpgradeRefusal(.alreadyThere, "units are already counted by these rules")
            }
            next.beginAnew(request)
        case .replan(let plan):
            if let problem = plan.problem { throw UpgradeRefusal(.unplanned, problem) }
            guard plan != state.plan ?? StoredPlan(offered) else {
                throw UpgradeRefusal(.alreadyThere, "the upgrade follows this plan")
            }
            next.replan(plan, request)
        }
        if next.state.stage != .legacyOnly { next.state.plan = next.state.plan ?? StoredPlan(offered) }
        next.state.entry = request.id
        return UpgradeChange(before: self, after: next, request: request)
    }

    /// Applies a kill switch that a person set by hand, which no rule refuses.
    func switched(by request: UpgradeRequest) -> UpgradeChange {
        var next = self
        next.revision = revision + 1
        if case .kill(let target) = request.action { next.pull(target, request) } else { next.clear(request) }
        next.state.entry = request.id
        return UpgradeChange(before: self, after: next, request: request)
    }

    // MARK: Steps

    private mutating func pull(_ target: KillSwitch.Target, _ request: UpgradeRequest) {
        // Freeze the stage in force.
        if kill?.target == .legacy, target == .freeze { fallBack(to: .legacyOnly, request) }
        kill = KillSwitch(target, by: request.by, reason: request.reason, seq: (kill?.seq ?? 0) + 1)
    }

    private mutating func clear(_ request: UpgradeRequest) {
        // Units do not return to the candidate automatically: the switch was a rollback, and another attempt follows.
        // An abort under the switch was a rollback already.
        if kill?.target == .legacy { fallBack(to: .legacyOnly, request) }
        kill = nil
    }

    private mutating func move(to stage: Stage, _ request: UpgradeRequest) {
        state.waiting = nil
        // Keep the baseline of an earlier attempt if there is no newer one.
        if state.stage == .legacyOnly, stage != .legacyOnly {
            state.baseline = request.baseline ?? state.baseline
            state.beginning = state.beginning ?? request.id
        }
        state.stage = stage
        state.named.isHeldBack = false
        beginAnew(request)
    }

    /// What was counted under another plan decides nothing under this one, and the tests so far have used their part of
    /// α.
    private mutating func replan(_ plan: StoredPlan, _ request: UpgradeRequest) {
        state.plan = plan
        guard state.stage != .legacyOnly else { return }
        state.attempt += 1
        beginAnew(request)
    }

    /// Begins a new epoch without counts.
    private mutating func beginAnew(_ request: UpgradeRequest) {
        state.epoch += 1
        state.since = request.at / 1_000
        state.counting = EpochKey.currentCounting
    }

    private mutating func goBack(to stage: Stage, _ request: UpgradeRequest) throws(UpgradeRefusal) {
        guard stage < state.stage || stage == state.stage && isExceeded(stage) else {
            throw UpgradeRefusal(.alreadyThere, "\(stage) is not below \(state.stage)")
        }
        fallBack(to: stage, request)
    }

    /// Whether an operation or a named unit is beyond that stage.
    private func isExceeded(_ stage: Stage) -> Bool {
        state.overrides.contains { stage < $0.value } || stage.side == .legacy && state.named.isServed
    }

    /// Sends every unit and operation back to at most that stage; an operation with a lower stage keeps it. If no
    /// unit uses the candidate then, named units do not either. The attempt ends if the stage itself goes back.
    private mutating func fallBack(to stage: Stage, _ request: UpgradeRequest) {
        state.overrides = state.overrides.filter { $0.value <= stage }
        if stage < state.stage {
            move(to: stage, request)
            state.attempt += 1
            state.waiting = .rolledBack
        }
        if stage.side == .legacy { state.named.holdBack() }
    }

    // MARK: Rules

    /// A step up may say what it was based on. An abort may too, and then belongs to the attempt of that state.
    private func refuseIfOutdated(_ request: UpgradeRequest) throws(UpgradeRefusal) {
        guard let seen = request.seen else { return }
        switch request.action {
        case .abort:
            guard let attempt = seen.attempt, attempt != state.attempt else { return }
            throw UpgradeRefusal(
                .outdated,
                "\(request.action.name) by \(request.by) was meant for attempt \(attempt); it is now attempt \(state.attempt)"
            )
        case .advance, .promote, .override, .kill(.candidate), .allow:
            guard seen.revision != revision || seen.stage != state.stage else { return }
            let now = seen.stage == state.stage ? "it was changed" : "it moved from \(seen.stage) to \(state.stage)"
            throw UpgradeRefusal(.movedOn, "since you looked, \(now)")
        default: return
        }
    }

    private func refuseIfFrozen() throws(UpgradeRefusal) {
        guard let kill, kill.target == .freeze else { return }
        throw UpgradeRefusal(.frozen, "frozen by \(kill.by): \(kill.reason)")
    }

    private func refuseIfKilled() throws(UpgradeRefusal) {
        guard let kill else { return }
        throw UpgradeRefusal(
            .frozen,
            "the switch \(kill.target.effect), by \(kill.by): \(kill.reason)"
        )
    }

    /// Without a baseline, no gate could ever promote. One that was taken while the legacy side itself failed would hide a
    /// candidate that fails as often.
    private func refuseWithoutBaseline(_ request: UpgradeRequest, _ plan: UpgradePlan) throws(UpgradeRefusal) {
        guard state.stage == .legacyOnly, !plan.gates.isEmpty else { return }
        guard let baseline = request.baseline ?? state.baseline else {
            // Its builds are compared with each other.
            guard !plan.comparesBuilds else { return }
            let calls = plan.settings.minimumBaselineCalls
            throw UpgradeRefusal(
                .noBaseline,
                """
                nothing is known of the legacy side to compare with: the step needs at least \(calls) of its calls, counted at \
                legacyOnly. Wait for them, or advance despite the gate
                """
            )
        }
        if let problem = plan.problem(of: baseline) { throw UpgradeRefusal(.failingBaseline, problem) }
    }

    private func stageAbove(_ plan: UpgradePlan) throws(UpgradeRefusal) -> Stage {
        guard let stage = plan.stages.first(where: { state.stage < $0 }) else {
            throw UpgradeRefusal(.alreadyThere, "\(state.stage) is the end of the plan")
        }
        return stage
    }

    private func hasPromotion(_ plan: UpgradePlan) -> Bool {
        plan.gates.contains { gate in gate.stage == state.stage && gate.tests.contains { $0.role == .promote } }
    }

    /// Checks that a decision belongs to this state, was made by the gate of this plan and attempt, and follows from
    /// its own numbers.
    private func check(
        _ decision: Decision,
        expecting verdict: GateVerdict,
        _ plan: UpgradePlan
    ) throws(UpgradeRefusal) {
        guard decision.verdict == verdict else {
            throw UpgradeRefusal(.otherVerdict, "the gate says \(decision.verdict.rawValue), not \(verdict.rawValue)")
        }
        guard decision.reading.stage == state.stage, decision.reading.epoch == state.epoch else {
            throw UpgradeRefusal(
                .outdated,
                "decided at \(decision.reading.stage), epoch \(decision.reading.epoch); it is now \(state.stage), epoch \(state.epoch)"
            )
        }
        guard decision.gate == plan.gate(at: state.stage) else {
            throw UpgradeRefusal(
                .outdated,
                "decided by a gate of another plan or attempt; it is now attempt \(state.attempt)"
            )
        }
        if let contradiction = decision.contradictions().first {
            throw UpgradeRefusal(.contradiction, "the record does not follow from its own numbers: \(contradiction)")
        }
    }
}

extension UpgradeState.Waiting {
    /// For people.
    package var text: String {
        switch self {
        case .rolledBack: "rolled back"
        case .undecided: "undecided"
        }
    }
}
