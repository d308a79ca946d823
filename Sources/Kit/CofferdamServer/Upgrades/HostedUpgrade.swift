#if Server
    import Cofferdam
    import CofferdamUpgrade

    /// The upgrade of one capability on this server. Its engine asks the gate, which decides on the devices' evidence.
    /// A watched upgrade has its engine and its evidence elsewhere in the process.
    struct HostedUpgrade: Sendable {
        let name: String
        let planName: String
        let plan: UpgradePlan
        let store: ObservedStore
        let evidence: HostedEvidence
        /// Nil for a watched upgrade.
        let engine: UpgradeEngine?
        let now: @Sendable () -> Int64

        init(
            _ capability: HostedCapability,
            store: ObservedStore,
            evidence: StoredEvidence,
            devices: DeviceReports,
            shared: SharedUpgrades?,
            clock: any Clock<Duration>,
            now: @escaping @Sendable () -> Int64,
            executor: (any TaskExecutor)?
        ) throws(ControlPlaneError) {
            do { plan = try .named(capability.plan) } catch {
                throw ControlPlaneError(.invalidConfiguration, "the plan of \(capability.name): \(error.message)")
            }
            (name, planName, self.store, self.now) = (capability.name, capability.plan.rawValue, store, now)
            let source =
                shared.map { HostedEvidence($0.evidence, devices, now: now) } ?? HostedEvidence(evidence, devices)
            self.evidence = source
            engine = UpgradeEngine(
                name,
                plan: plan,
                store: store,
                control: StageControl(),
                recorder: EvidenceRecorder(clock: clock, now: now)
            ) {
                $0.settings.promotesAutomatically = capability.promotesAutomatically
                $0.evidence = source
                $0.watching = shared?.store
                $0.clock = clock
                $0.now = now
                $0.executor = executor
            }
        }

        init(_ watched: WatchedUpgrade, hub: StageHub, freezes: FreezeCalendar) {
            (name, planName, plan, now) = (watched.name, watched.planName, watched.plan, watched.now)
            store = ObservedStore(store: watched.store, hub: hub, freezes: freezes)
            evidence = HostedEvidence(watched)
            engine = nil
        }

        // MARK: Reading

        /// What is stored, and the gate's current decision.
        struct Status: Sendable {
            var state: UpgradeState
            /// Nil at a stage that the plan does not have.
            var decision: Decision?
            /// The same as a document for people and their tools.
            var document: CapabilityStatus
            /// The last entries of the audit log, newest first.
            var entries: [AuditEntry]
        }

        /// - Parameter count: the number of audit log entries; nil for an overview, which has the last one and no
        ///   explanation.
        func status(history count: Int? = nil) async throws -> Status {
            let stored = try await store.read(name)
            let state = stored?.state ?? UpgradeState(capability: name, since: now() / 1_000)
            let (decision, gaps) = try await decision(on: state)
            let entries = try await store.history(of: name, last: max(1, count ?? 1))
            let snapshot = decision.map {
                EvidenceSnapshot(capability: name, at: now(), reading: $0.reading, outcomes: OutcomeCounts())
            }
            var document = CapabilityStatus(name, plan, stored, snapshot.map { [$0] } ?? [], gaps: gaps, now: now())
            (document.plan, document.freeze) = (planName, store.freezes.current?.description)
            document.breakers = try await evidence.breakers(of: state)
            document.latencies = try await evidence.latencies(of: state)
            document.last = entries.first.map { HistoryLine($0) }
            document.releaseSteps = try await delivery(stored, decision?.reading.arms)
            if let count {
                document.samples = try await evidence.samples(of: state)
                document.gate.explanation = decision?.explanation
                document.history = entries.prefix(count).map { HistoryLine($0) }
            }
            return Status(state: state, decision: decision, document: document, entries: entries)
        }

        private func age(of state: UpgradeState) -> Int {
            Int(clamping: WallTime.since(state.since, at: now() / 1_000))
        }

        private func decision(on state: UpgradeState) async throws -> (Decision?, gaps: [String]) {
            guard plan.stages.contains(state.stage) else { return (nil, []) }
            let gate = try plan.following(state).gate(at: state.stage)
            let (reading, gaps) = try await evidence.counted(of: state, afterSeconds: age(of: state))
            return (gate.decide(reading), gaps)
        }

        /// Returns the gate's current decision.
        ///
        /// - Throws: `RefusedChange` at a stage that the plan does not have.
        func explanation() async throws -> DecisionReport {
            let stored = try await store.read(name)
            let state = stored?.state ?? UpgradeState(capability: name, since: now() / 1_000)
            let (found, gaps) = try await decision(on: state)
            guard let decision = found else { throw Self.unplanned(state.stage) }
            var report = DecisionReport(name, decision, gaps: gaps)
            report.releaseSteps = try await delivery(stored, decision.reading.arms)
            return report
        }

        /// The steps that the team's release process must take now; nil if none.
        func delivery() async throws -> String? { try await delivery(try await store.read(name), nil) }

        private func delivery(_ stored: StoredUpgrade?, _ arms: [ArmCounts]?) async throws -> String? {
            try await plan.releaseSteps(stored, arms, in: store) { state in
                try await evidence.reading(of: state, afterSeconds: 0).arms
            }
        }

        private static func unplanned(_ stage: Stage) -> RefusedChange {
            RefusedChange(UpgradeRefusal(.unplanned, "the plan has no stage \(stage)"))
        }

        // MARK: Changing

        /// Makes the change, under the rules that hold for every store.
        ///
        /// - Returns: the entry of the audit log.
        /// - Throws: `RefusedChange`, `UpgradeStoreError`, `CancellationError`.
        func change(_ move: RequestedChange, by: String, reason: String, id: String) async throws -> AuditEntry {
            let state = try await store.read(name)?.state ?? UpgradeState(capability: name, since: now() / 1_000)
            var gaps: [String] = []
            let action: UpgradeAction
            switch move {
            case .certain(let certain): action = certain
            case .promote:
                let (found, missing) = try await decision(on: state)
                guard let decision = found else { throw Self.unplanned(state.stage) }
                (action, gaps) = (.promote(decision), missing)
            }
            var request = UpgradeRequest(action, by: by, reason: reason, at: now(), id: id)
            if case .advance = action, state.stage == .legacyOnly {
                request.baseline = try await evidence.baseline(of: state, minimum: plan.settings.minimumBaselineCalls)
            }
            do {
                _ = try await store.carryOut(request, for: name, plan: plan)
            } catch let refusal as UpgradeRefusal {
                let decision = refusal.code == .otherVerdict ? action.decision : nil
                throw RefusedChange(refusal, decision: decision.map { DecisionReport(name, $0, gaps: gaps) })
            }
            await engine?.refresh()
            guard let entry = try await store.entry(id, of: name) else {
                throw UpgradeStoreError(.outcomeUnknown, "the change is not in the audit log", subject: name)
            }
            return entry
        }
    }
#endif
