#if Sandbox
import Cofferdam
import CofferdamRehearsal
import CofferdamTool
import CofferdamUpgrade
import MenagerieService
import SanctuaryDomain
import SanctuaryHarness
import SanctuaryOperations
import SanctuaryRouting

/// Rehearses a keeper's whole day through each SDK, against one service with real input, for a team to read before it
/// upgrades.
struct Rehearsal {
    let progress: ToolProgress

    func run() async throws -> RehearsalReport {
        progress.show("starting the vendor's service")
        let service = try await startService()
        do {
            let report = try await run(against: service.url)
            await service.stop()
            return report
        } catch {
            await service.stop()
            throw error
        }
    }

    private func run(against url: String) async throws -> RehearsalReport {
        let v1 = try await rehearse("v1") { try await openV1(at: url, directory: $0, issues: $1) }
        let v2 = try await rehearse("v2") { try await openV2(at: url, directory: $0, issues: $1) }
        return RehearsalReport(
            adapters: [v1.steps, v2.steps],
            comparisons: [Self.catalogue(legacy: v1.animals, candidate: v2.animals)],
            issues: ["v1": v1.issues, "v2": v2.issues]
        )
    }

    private struct AdapterResult {
        var steps: RehearsalReport.AdapterRun
        var animals: [Animal]
        var issues: [RehearsalReport.Issue]
    }

    private func rehearse(
        _ name: String,
        open: (_ directory: String, _ issues: IssueSink) async throws -> SanctuaryServices
    ) async throws -> AdapterResult {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let recorder = IssueRecorder()
        let services = try await open(directory.path, recorder.sink)
        var walk = RehearsalWalk(adapter: name, services: services, progress: progress)
        await walk.run()
        await services.close()
        return AdapterResult(
            steps: .init(name: name, steps: walk.steps),
            animals: walk.animals,
            issues: recorder.issues
        )
    }

    private static func catalogue(legacy: [Animal], candidate: [Animal]) -> RehearsalReport.Comparison {
        let differences = Comparator<Animal>.animals.differences(
            legacy: legacy,
            candidate: candidate,
            key: \.id,
            subject: { "\($0.name) (\($0.id))" }
        )
        return RehearsalReport.Comparison(
            name: "catalogue",
            unit: "animals",
            counts: ["v1": legacy.count, "v2": candidate.count],
            ComparisonReport(differences, expecting: expectedCatalogueDifferences)
        )
    }
}

/// Records the translation issues of an adapter.
private final class IssueRecorder: Sendable {
    private let recorded = Mutex<[RehearsalReport.Issue]>([])

    var issues: [RehearsalReport.Issue] { recorded.withLock { $0 } }

    var sink: IssueSink {
        IssueSink { issues, operation in
            let new = issues.map { RehearsalReport.Issue($0, of: operation) }
            self.recorded.withLock { $0 += new }
        }
    }
}
#endif
