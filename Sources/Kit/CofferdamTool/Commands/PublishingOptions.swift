#if CommandLine
    import ArgumentParser
    import Cofferdam
    import CofferdamContracts
    import CofferdamUpgrade

    /// What the commands share whose reports a control plane shows.
    struct PublishingOptions: ParsableArguments {
        @Flag(help: "Publish the report in the console of COFFERDAM_SERVER.")
        var publish = false

        /// - Throws: `ValidationError` for a tool that has nowhere to publish; what the publisher throws.
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

        /// Publishes a run that is whole, and its drift, and says how it went.
        ///
        /// - Returns: whether that was possible.
        func publish(_ document: ContractDocument, _ progress: ToolProgress) async -> Bool {
            if let stop = document.report.stop {
                progress.tell("contracts: not published: the run is not whole: \(stop)")
                return false
            }
            guard await publish(.contracts, document.report, progress) else { return false }
            guard let drift = document.drift else { return true }
            return await publish(.drift, drift, progress)
        }

        /// Publishes a report, and says how it went.
        ///
        /// - Returns: whether that was possible.
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
