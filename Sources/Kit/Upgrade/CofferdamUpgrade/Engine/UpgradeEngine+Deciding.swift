import Cofferdam

extension UpgradeEngine {
    /// Asks the gate, and carries out its verdict if this engine may.
    ///
    /// It asks also while the stage is frozen or the store was set back: what speaks against the candidate is told then
    /// too.
    ///
    /// - Returns: the decision; nil if there is none to make: nothing is stored, or a kill switch, a request made here or
    ///   a newer version decides.
    @discardableResult
    public func decide() async -> Decision? {
        let known = state.withLock { state -> StoredUpgrade? in
            let followed = state.followed
            guard followed.pendingRequests.isEmpty, !(followed.localKill?.isForced ?? false) else { return nil }
            return followed.stored.flatMap { $0.kill?.isForced ?? false ? nil : $0 }
        }
        guard let known, !known.state.countsAsLater else { return nil }
        var decision: Decision?
        await attempt("the gate") { decision = try await judge(known.state) }
        guard let decision else { return nil }
        state.withLock { $0.followed.decision = decision }
        // A person may have decided otherwise while the evidence was read.
        let refusal = state.withLock { $0.followed.refusal(of: decision) }
        let outcome = if let refusal { DecisionOutcome.refused(refusal) } else { await act(on: decision, known.state) }
        options.observer?.decided(decision, outcome, of: capability)
        return decision
    }

    private func judge(_ stored: UpgradeState) async throws -> Decision {
        let gate = plan.following(stored).gate(at: stored.stage)
        let seconds = age(of: stored)
        noteClock(stored)
        var reading = try await source(of: stored).reading(of: stored, afterSeconds: seconds)
        // The counts of a fleet have no visits: each instance looks at those that it sees.
        let own = recorder.reading(afterSeconds: seconds)
        if reading.hours == nil, own.epoch == stored.epoch, own.stage == stored.stage { reading.hours = own.hours }
        return gate.decide(reading)
    }

    /// How long the stage has lasted, in seconds.
    private func age(of stored: UpgradeState) -> Int {
        Int(clamping: WallTime.since(stored.since, at: (store.wallTime ?? options.now()) / 1_000))
    }

    /// Names a clock that is off: this host's against the store's, or else against the time of the last step.
    private func noteClock(_ stored: UpgradeState) {
        let now = options.now() / 1_000
        let (slow, fast) =
            if let time = store.wallTime {
                (WallTime.since(now, at: time / 1_000), WallTime.since(time / 1_000, at: now))
            } else {
                (WallTime.since(now, at: stored.since), Int64(0))
            }
        let span = ShownTime.span(seconds: max(slow, fast))
        let problem: String? =
            if max(slow, fast) <= Self.clockTolerance {
                nil
            } else if store.wallTime == nil {
                "by this host's clock the stage begins in \(span): this clock is slow, or that of the host that took the step was fast"
            } else {
                "this host's clock is \(span) \(slow > fast ? "behind" : "ahead of") the store's"
            }
        state.withLock { $0.followed.problems["the clock"] = problem }
    }

    /// In seconds.
    private static let clockTolerance: Int64 = 300

    /// The evidence that the gate reads. If each build has one side, this is the evidence of all builds, from their
    /// ledger.
    private func source(of stored: UpgradeState) -> any EvidenceSource {
        if let evidence = options.evidence { return evidence }
        guard plan.following(stored).comparesBuilds, let ledger = options.ledger else { return recorder }
        return ArmEvidence(ledger)
    }

    private func act(on decision: Decision, _ stored: UpgradeState) async -> DecisionOutcome {
        switch decision.verdict {
        case .hold: return .held
        case .promote:
            if let waiting = stored.waiting { return .leftToPerson("the upgrade is \(waiting.text)") }
            guard options.settings.promotesAutomatically else {
                return .leftToPerson("the units of one device are too few to raise the stage")
            }
            guard status.canPromote else { return .refused(.outOfTouch(for: status.ageSeconds)) }
            return await carryOut(.promote(decision), decision)
        case .undecided:
            guard stored.waiting == nil else { return .leftToPerson("the upgrade is already undecided") }
            return await carryOut(.ask(decision), decision)
        case .rollBack: return await goBack(decision)
        }
    }

    private func carryOut(_ action: UpgradeAction, _ decision: Decision) async -> DecisionOutcome {
        do {
            let request = request(action, by: options.settings.name, reason: decision.inWords)
            let stored = try await store.carryOut(request, for: capability, plan: plan)
            await adopt(stored)
            await remember()
            await note(decision.reading)
            return .carriedOut(stored)
        } catch let refusal as UpgradeRefusal {
            return .refused(refusal)
        } catch {
            return .failed("\(error)")
        }
    }

    /// Going back does not wait for a server, and not for a store that forgot the stage. Then the request is an abort:
    /// when the store is there again, it may be at another epoch, for which this evidence does not count, but the
    /// failures are reason enough to go back in the same attempt.
    private func goBack(_ decision: Decision) async -> DecisionOutcome {
        guard let seen = state.withLock({ $0.followed.stored }) else { return .failed("nothing is stored") }
        if !state.withLock({ $0.followed.isSetBack }) {
            // Nil if the store does not answer in time, or this task is cancelled: then it is asked again later.
            let outcome = try? await abandoning(
                after: Self.patience,
                on: options.clock,
                executor: options.executor
            ) { [self] in await carryOut(.retreat(decision), decision) }
            switch outcome {
            case .failed, nil: break
            case .some(let outcome): return outcome
            }
        }
        var abort = request(.abort, by: options.settings.name, reason: decision.inWords)
        abort.seen = .init(seen)
        state.withLock { [abort] in $0.followed.pendingRequests.append(abort) }
        await follow()
        await remember()
        return .requestedHere
    }

    /// How long going back waits for the store before the candidate is left here.
    static let patience = Duration.seconds(2)

    // MARK: Counts

    /// Merges what was counted since the last merge into the ledger.
    public func save() async {
        // A cancelled caller gives up its turn.
        try? await evidenceTurns.run { await merge() }
    }

    private func merge() async {
        guard let ledger = options.ledger, recorder.isMergeDue else { return }
        await attempt("what was counted") { try await recorder.merge(into: ledger, of: capability) }
    }

    /// Restores the saved counts, even if the caller is cancelled. Only one restore runs at a time, and never during a
    /// save.
    func resumeEvidenceOnce() async {
        let resumption = state.withLock { state in
            if let resumption = state.resumption { return resumption }
            let resumption = detached {
                // This task is never cancelled, so it always gets its turn.
                try? await self.evidenceTurns.run { await self.resumeEvidence() }
                self.state.withLock { $0.resumption = nil }
            }
            state.resumption = resumption
            return resumption
        }
        await resumption.value
    }

    /// Restores the counts of the previous process, and records its crash. If the state is not known yet,
    /// ``refresh()`` does it later.
    func resumeEvidence() async {
        // If the store has been read and is empty, there is still a baseline to continue. If it has not been read,
        // nothing is known.
        let known = state.withLock { state in
            state.needsEvidence = state.followed.seen == nil
            return state.needsEvidence ? nil : (state.followed.stored ?? state.followed.initial).state
        }
        guard let stored = known else { return }
        if let ledger = options.ledger {
            await attempt("what was counted") { try await recorder.resume(from: ledger, at: stored) }
        }
        recorder.follow(stored)
        if let end = options.calls?.crash { recorder.recordCrash(end, id: "\(end.noticed)") }
        for (number, end) in options.otherCrashes.enumerated() {
            recorder.recordCrash(end, id: "\(end.noticed).\(number + 1)")
        }
        // A crash counts before anything else happens.
        await merge()
    }

    /// Updates the stored state if this instance has more: the baseline, or newer counting rules.
    func updateState() async {
        guard let stored = state.withLock({ $0.followed.stored?.state }), stored.stage != .legacyOnly else { return }
        if stored.countsAsLater { return }
        if !stored.countsAsNow {
            await change(
                .recount,
                because: "this version counts units by windows: earlier counts are not comparable"
            )
        } else if stored.baseline == nil, let watched = recorder.watched {
            let reason = "the legacy side at legacyOnly, as this instance recorded it"
            await change(.measure(watched), because: reason)
        }
    }

    private func change(_ action: UpgradeAction, because reason: String) async {
        await attempt("the state's \(action.name)") {
            do {
                accept(
                    try await store.carryOut(
                        request(action, by: options.settings.name, reason: reason),
                        for: capability,
                        plan: plan
                    )
                )
            } catch is UpgradeRefusal {
                // Another instance did it first.
            }
        }
        await follow()
    }

    /// Appends a snapshot of the counts to the log.
    package func note() async {
        guard let stored = state.withLock({ $0.followed.stored?.state }) else { return }
        let seconds = age(of: stored)
        guard plan.following(stored).comparesBuilds, options.evidence == nil else {
            return await note(recorder.reading(of: stored, afterSeconds: seconds))
        }
        var reading: GateReading?
        await attempt("the arms") { reading = try await source(of: stored).reading(of: stored, afterSeconds: seconds) }
        if let reading { await note(reading) }
    }

    private func note(_ reading: GateReading) async {
        guard let log = options.log else { return }
        var reading = reading
        // The visits of two days, once a minute for a week, would fill the log. They matter while the alarm rings.
        let rings = state.withLock { $0.followed.decision?.reasons.contains { $0.code == .alarm } ?? false }
        if !rings { reading.hours = nil }
        let snapshot = EvidenceSnapshot(
            capability: capability,
            at: options.now(),
            reading: reading,
            outcomes: recorder.outcomes
        )
        await attempt("how the evidence grew") { try await log.append(snapshot) }
    }
}

extension UpgradeRefusal {
    fileprivate static func outOfTouch(for seconds: Int?) -> UpgradeRefusal {
        let message = "no stage is raised: the store was \(seconds.map { "read \($0) s ago" } ?? "never read")"
        return UpgradeRefusal(.outOfTouch, message)
    }
}
