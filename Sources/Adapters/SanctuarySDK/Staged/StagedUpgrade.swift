#if Staged
    import Cofferdam
    import CofferdamUpgrade
    import SanctuaryRouting

    /// Where the app's upgrade stands, and what its calls are counted by. It stays as it is, or an engine leads it on by what is
    /// stored.
    ///
    /// Nobody waits for the evidence: the state is read before anything is opened, all else beside the app's work.
    final class StagedUpgrade: Sendable {
        let control: StageControl
        let routes: SanctuaryRoutes
        /// Whether the stage may change while the app is open.
        var canMove: Bool { led != nil }

        /// What there is beside the routes where somebody leads.
        private struct Led: Sendable {
            var engine: UpgradeEngine
            var window: EvidenceBuffer
            var calls: CallFiles
        }

        private let led: Led?
        private let tellIssues: @Sendable ([String]) -> Void
        private let work = Mutex<Task<Void, any Error>?>(nil)
        private let told = Mutex<Set<String>>([])

        /// How long closing waits for what is being compared.
        static let patience = Duration.seconds(2)

        init(at stage: Stage) {
            control = StageControl(StageState(stage: stage))
            routes = SanctuaryRoutes()
            led = nil
            tellIssues = { _ in }
        }

        /// Reads what is stored. Where that cannot be read, what was read last holds, by its age, until it can: it is remembered
        /// beside the SDKs' own state, because V1 may not read what V2 has written there. Where nothing is remembered either,
        /// `legacyOnly` does. An issue says so.
        init(in directory: String, _ configuration: SDKConfiguration) async throws {
            let issues = configuration.issues
            tellIssues = { notes in
                let found = notes.map {
                    TranslationIssue($0, at: "COFFERDAM_UPGRADE_STATE", raw: directory, severity: .warning)
                }
                issues.report(found, of: "upgrade")
            }
            control = StageControl()
            let plan = try SanctuaryUpgrade.plan()
            let breakers = try Breakers()
            let recorder = EvidenceRecorder(
                fewestForBaseline: plan.settings.fewestForBaseline,
                expectations: Expectations(SanctuaryUpgrade.expected),
                breakers: breakers,
                key: { EpochKey(stage: $0, binary: BuildIdentity.current ?? "", margin: plan.settings.limit) }
            )
            let window = EvidenceBuffer(before: recorder)
            let store = FileUpgradeStore(directory: directory)
            let calls = CallFiles(in: directory)
            routes = SanctuaryRoutes(
                observer: window,
                breakers: SanctuaryRoutes.sharing(breakers),
                calls: calls.own
            )
            let engine = UpgradeEngine(
                SanctuaryUpgrade.capability,
                plan: plan,
                store: store,
                control: control,
                recorder: recorder
            ) {
                // The gate is asked as often as the kill switch is looked for.
                $0.settings.polling = .seconds(1)
                $0.evidenceStore = store.log
                $0.log = store.log
                $0.memory = FileUpgradeMemory(
                    directory: configuration.stateDirectory + "/sanctuary.upgrade",
                    of: directory
                )
                $0.calls = calls.own
                $0.otherCrashes = calls.others
            }
            led = Led(engine: engine, window: window, calls: calls)
            // Where the candidate has ended too many processes, it is judged before it may be opened.
            await engine.startFollowing()
            tell(engine)
        }

        /// Leads from now on, until the end.
        func begin() {
            guard let led else { return }
            let task = Task(executorPreference: nil) {
                await led.engine.start()
                led.window.open()
                try await led.engine.run()
            }
            work.withLock { $0 = task }
        }

        /// Ends the services, and keeps what was counted. What is being compared is waited for a little; what is cut off then is
        /// nobody's failure, and is not counted.
        ///
        /// - Parameter session: ends with the services, and its windows with it.
        func end(of session: UnitSession? = nil, _ close: @escaping @Sendable () async -> Void) async {
            guard let led else { return await close() }
            do {
                try await abandoning(after: Self.patience, on: ContinuousClock(), executor: nil) { [routes] in
                    await routes.shadowQueue.drained()
                }
            } catch {
                // It takes too long, or nobody waits any more.
            }
            if let session { sessionEnded(of: session) }
            led.window.close()
            await close()
            guard let task = work.withLock({ $0.take() }) else { return }
            // In a task of its own: what was counted is kept also when this one is cancelled.
            await Task(executorPreference: nil) {
                task.cancel()
                // It saves, and ends by being cancelled.
                _ = await task.result
                guard led.window.hasCounted || led.calls.hasFoundEnd else { return }
                // Who lives for less than a second is judged here.
                await led.engine.decide()
                await led.engine.note()
            }.value
            tell(led.engine)
        }

        /// The unit's session has ended.
        func sessionEnded(of session: UnitSession) {
            if let unit = session.unit { led?.window.sessionEnded(of: unit) }
        }

        /// Says what has not been said before.
        private func tell(_ engine: UpgradeEngine) {
            tellIssues(engine.status.notes.filter { note in told.withLock { $0.insert(note).inserted } })
        }
    }
#endif
