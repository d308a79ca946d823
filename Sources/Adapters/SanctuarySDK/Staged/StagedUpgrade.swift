#if Staged
import Cofferdam
import CofferdamDevice
import CofferdamUpgrade
import SanctuaryDomain
import SanctuaryRouting

/// The app's upgrade, for as long as the app is open. The stage is either fixed, or moved from stored state: see
/// ``UpgradePlace``.
///
/// The app does not wait for the evidence: the state is read before anything is opened, everything else beside the
/// app's work.
final class StagedUpgrade: Sendable {
    let upgrade: Upgrade<SanctuaryServices>
    /// Nil if the stage is fixed.
    private let place: UpgradePlace?
    private let issues: IssueSink
    private let work = Mutex<Task<Void, any Error>?>(nil)
    private let reportedNotes = Mutex<Set<String>>([])

    /// The time that closing waits for running comparisons.
    static let patience = Duration.seconds(2)

    /// Reads the stored state. While it cannot be read, the last state that was read applies, subject to its age.
    /// Without a copy of that, `legacyOnly` applies. Both cases are reported as issues.
    ///
    /// - Parameters:
    ///   - place: nil for a fixed stage.
    ///   - stage: the fixed stage.
    init(_ place: UpgradePlace?, _ stage: Stage, _ sides: StagedSides, _ issues: IssueSink) async throws {
        (self.place, self.issues) = (place, issues)
        upgrade = try Upgrade(
            SanctuaryUpgrade.capability,
            plan: SanctuaryUpgrade.plan(),
            backend: place?.backend ?? .memory(),
            failures: .sanctuary,
            legacy: { try await sides.openLegacy() },
            candidate: { try await sides.openCandidate() }
        ) {
            $0.shadowCandidate = { try await sides.openShadow() }
            $0.expectations = Expectations(SanctuaryUpgrade.expected)
            $0.counting = { recorder, _ in EvidenceBuffer(before: recorder) }
            place?.configure(&$0)
        }
        guard place != nil else {
            upgrade.control.follow(StageState(stage: stage))
            return
        }
        // If the candidate has crashed too many processes, the gate decides before it may be opened.
        await upgrade.engine.startFollowing()
        report()
    }

    /// The settings of the ports' routes. At a fixed stage nothing is counted, and no breaker replaces the stage.
    var routes: RouteSettings {
        var routes = upgrade.routes
        if place == nil { (routes.observer, routes.breakers) = (nil, nil) }
        return routes
    }

    /// What the routes notify.
    private var buffer: EvidenceBuffer? { upgrade.routes.observer as? EvidenceBuffer }

    /// Runs the upgrade from now on, until `end`.
    func begin() {
        guard let place else { return }
        let task = Task(executorPreference: nil) { [upgrade, buffer] in
            await upgrade.start()
            buffer?.open()
            try await withThrowingTaskGroup { group in
                group.addTask { try await upgrade.run() }
                if let reports = place.reports { group.addTask { try await reports.own?.run() } }
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
        guard let place else { return await close() }
        do {
            try await abandoning(after: Self.patience, on: ContinuousClock(), executor: nil) { [upgrade] in
                await upgrade.routes.shadowQueue.drained()
            }
        } catch {
            // It took too long, or the caller was cancelled.
        }
        if let session { sessionEnded(of: session) }
        buffer?.close()
        await close()
        guard let task = work.withLock({ $0.take() }) else { return }
        // In a separate task, so that the evidence is saved even if this task is cancelled.
        await Task(executorPreference: nil) { [upgrade, buffer] in
            task.cancel()
            // The task saves, and ends when it is cancelled.
            _ = await task.result
            if let reports = place.reports { await Self.post(reports) }
            guard buffer?.hasCounted == true || place.calls.hasFoundEnd else { return }
            // Processes that live for less than a second are judged here.
            await upgrade.engine.decide()
            await upgrade.engine.note()
        }.value
        report()
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
        if let unit = session.unit { buffer?.sessionEnded(of: unit) }
    }

    /// Reports notices that were not reported before.
    private func report() {
        guard let place else { return }
        let notes = upgrade.status.notes.filter { note in reportedNotes.withLock { $0.insert(note).inserted } }
        let found = notes.map { TranslationIssue($0, at: place.variable, raw: place.name, severity: .warning) }
        issues.report(found, of: "upgrade")
    }
}
#endif
