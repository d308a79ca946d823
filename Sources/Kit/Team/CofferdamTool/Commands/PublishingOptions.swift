#if CommandLine
import ArgumentParser
import Cofferdam
import CofferdamContracts
import CofferdamUpgrade

/// The options of commands whose reports a control plane shows.
struct PublishingOptions: ParsableArguments {
    @Flag(help: "Publish the report in the console of COFFERDAM_SERVER.")
    var publish = false

    /// - Throws: `ValidationError` if the tool has no publisher; the publisher's errors.
    func publication(by tooling: Tooling, _ tool: String) throws -> ReportPublication? {
        guard publish else { return nil }
        guard let publisher = tooling.publisher else {
            throw ValidationError("\(tool) does not say where to publish.")
        }
        return ReportPublication(capability: publisher.capability, send: try publisher.open())
    }
}

/// Publishes the reports of one command.
struct ReportPublication: Sendable {
    let capability: String
    let send: ReportPublisher.Publish

    /// Publishes a complete run and its drift, and reports the outcome.
    ///
    /// - Returns: whether that succeeded.
    func publish(_ document: ContractDocument, _ progress: ToolProgress) async -> Bool {
        if let stop = document.report.stop {
            progress.tell("contracts: not published: the run is incomplete: \(stop)")
            return false
        }
        guard await publish(.contracts, document.report, progress) else { return false }
        guard let drift = document.drift else { return true }
        return await publish(.drift, drift, progress)
    }

    /// Publishes a report, and reports the outcome.
    ///
    /// - Returns: whether that succeeded.
    func publish(_ kind: TeamReport.Kind, _ report: some Encodable, _ progress: ToolProgress) async -> Bool {
        do {
            try await send(TeamReport(kind, of: capability, json: OutputFile.json(report)))
            progress.tell("\(kind): published for \(capability)")
            return true
        } catch {
            progress.tell("\(kind): not published: \(error)")
            return false
        }
    }
}
#endif
