#if Staged
import Cofferdam
import CofferdamDevice
import CofferdamFleet
import CofferdamUpgrade
import SanctuaryRouting

/// The state of the app's upgrade, and the evidence of its calls. The stage is either fixed, or moved by an engine
/// from stored state: see ``UpgradePlace``.
///
/// The app does not wait for the evidence: the state is read before anything is opened, everything else beside the
/// app's work.
final class StagedUpgrade: Sendable {
    let control: StageControl
    let routes: SanctuaryRoutes
    /// Whether the stage may change while the app is open.
    var canMove: Bool { parts != nil }

    /// The parts of an upgrade that an engine moves, besides the routes.
    private struct EngineParts: Sendable {
        var engine: UpgradeEngine
        var window: EvidenceBuffer
        var calls: CallFiles
        /// What is posted to a server; nil without one.
        var reports: ReportFiles?
    }

    private let parts: EngineParts?
    private let reportNotes: @Sendable ([String]) -> Void
    private let work = Mutex<Task<Void, any Error>?>(nil)
    private let reportedNotes = Mutex<Set<String>>([])

    /// The time that closing waits for running comparisons.
    static let patience = Duration.seconds(2)

    init(at stage: Stage) {
        control = StageControl(StageState(stage: stage))
        routes = SanctuaryRoutes()
        parts = nil
        reportNotes = { _ in }
    }

    /// Reads the stored state. While it cannot be read, the last state that was read applies, subject to its age.
    /// That copy is stored beside the SDKs' own state, because V1 may be unable to read what V2 has written there.
    /// Without a copy, `legacyOnly` applies. Both cases are reported as issues.
    init(_ place: UpgradePlace, _ configuration: SDKConfiguration) async throws {
        let issues = configuration.issues
        reportNotes = { notes in
            let found = notes.map {
                TranslationIssue($0, at: place.variable, raw: place.name, severity: .warning)
            }
            issues.report(found, of: "upgrade")
        }
        control = StageControl()
        let plan = try SanctuaryUpgrade.plan()
        let breakers = try Breakers()
        let recorder = EvidenceRecorder(
            minimumBaselineCalls: plan.settings.minimumBaselineCalls,
            expectations: Expectations(SanctuaryUpgrade.expected),
            breakers: breakers,
            key: { EpochKey(stage: $0, binary: place.build, margin: plan.settings.limit) }
        )
        let window = EvidenceBuffer(before: recorder)
        let calls = CallFiles(of: SanctuaryUpgrade.capability, in: place.directory)
        routes = SanctuaryRoutes(
            observer: window,
            breakers: SanctuaryRoutes.sharing(breakers),
            calls: calls.own
        )
        let engine = UpgradeEngine(
            SanctuaryUpgrade.capability,
            plan: plan,
            store: place.store,
            control: control,
            recorder: recorder
        ) {
            place.configure(&$0)
            $0.memory = FileUpgradeMemory(
                directory: configuration.stateDirectory + "/sanctuary.upgrade",
                of: place.name
            )
            $0.calls = calls.own
            $0.otherCrashes = calls.others
        }
        parts = EngineParts(engine: engine, window: window, calls: calls, reports: place.reports)
        // If the candidate has crashed too many processes, the gate decides before it may be opened.
        await engine.startFollowing()
        report(engine)
    }

    /// Runs the engine from now on, until `end`.
    func begin() {
        guard let parts else { return }
        let task = Task(executorPreference: nil) {
            await parts.engine.start()
            parts.window.open()
            try await withThrowingTaskGroup { group in
                group.addTask { try await parts.engine.run() }
                if let reports = parts.reports { group.addTask { try await reports.own?.run() } }
                try await group.waitForAll()
            }
        }
        work.withLock { $0 = task }
    }

    /// Closes the services and saves the evidence. It waits a short time for running comparisons; those cut off are
    /// not counted as failures.
    ///
    /// - Parameter session: ended with the services, along with its windows.
    func end(of session: UnitSession? = nil, _ close: @escaping @Sendable () async -> Void) async {
        guard let parts else { return await close() }
        do {
            try await abandoning(after: Self.patience, on: ContinuousClock(), executor: nil) { [routes] in
                await routes.shadowQueue.drained()
            }
        } catch {
            // It took too long, or the caller was cancelled.
        }
        if let session { sessionEnded(of: session) }
        parts.window.close()
        await close()
        guard let task = work.withLock({ $0.take() }) else { return }
        // In a separate task, so that the evidence is saved even if this task is cancelled.
        await Task(executorPreference: nil) {
            task.cancel()
            // The task saves, and ends when it is cancelled.
            _ = await task.result
            if let reports = parts.reports { await Self.post(reports) }
            guard parts.window.hasCounted || parts.calls.hasFoundEnd else { return }
            // Processes that live for less than a second are judged here.
            await parts.engine.decide()
            await parts.engine.note()
        }.value
        report(parts.engine)
    }

    /// What does not arrive in time is posted by the next process.
    private static func post(_ reports: ReportFiles) async {
        do {
            try await abandoning(after: patience, on: ContinuousClock(), executor: nil) {
                try await reports.deliver()
            }
        } catch {
            // It stays in its file.
        }
    }

    /// Records that the unit's session has ended.
    func sessionEnded(of session: UnitSession) {
        if let unit = session.unit { parts?.window.sessionEnded(of: unit) }
    }

    /// Reports notices that were not reported before.
    private func report(_ engine: UpgradeEngine) {
        reportNotes(engine.status.notes.filter { note in reportedNotes.withLock { $0.insert(note).inserted } })
    }
}
#endif
