#if Sandbox
import Cofferdam
import CofferdamContracts
import CofferdamTool
import CofferdamUpgrade
import MenagerieService
import SanctuaryDomain
import SanctuaryHarness

/// Makes the same calls through both majors against one service, and compares the answers.
struct DriftRun {
    let progress: ToolProgress

    /// - Parameter url: the service's address; nil starts a service in which an accessory's link is lost.
    func run(against url: String?) async throws -> DriftReport {
        if let url { return try await compare(at: url) }
        progress.show("starting the vendor's service")
        let service = try await startService()
        do {
            try service.control.loseLink(of: "feeder-1")
            let report = try await compare(at: service.url)
            await service.stop()
            return report
        } catch {
            await service.stop()
            throw error
        }
    }

    private func compare(at url: String) async throws -> DriftReport {
        let legacy = try await side("v1") { try await openV1(at: url, directory: $0, issues: .init { _, _ in }) }
        let candidate = try await side("v2") { try await openV2(at: url, directory: $0, issues: .init { _, _ in }) }
        var report = DriftReport(legacy: "v1", candidate: "v2")
        let known = vendorDifferences.flatMap(\.drifts)
        for call in DriftCall.all {
            let (compared, differences) = call.compare(legacy[call.name], candidate[call.name])
            report.add(call: call.name, compared: compared, differences, knowing: known)
        }
        return report
    }

    /// Returns one side's answers by the name of the call.
    private func side(
        _ name: String,
        _ open: (_ directory: String) async throws -> SanctuaryServices
    ) async throws -> [String: DriftAnswer] {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let services = try await open(directory.path)
        var answers: [String: DriftAnswer] = [:]
        // Without a vendor both sides would agree on everything.
        do {
            _ = try await services.catalogue.animals(AnimalsRequest(PageRequest(limit: 1)))
        } catch {
            await services.close()
            throw error
        }
        for call in DriftCall.all {
            progress.show("\(name): \(call.name)")
            answers[call.name] = await call.ask(services)
        }
        await services.close()
        return answers
    }
}
#endif
