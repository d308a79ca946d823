#if CommandLine
    import ArgumentParser
    import CofferdamContracts

    struct CanUpgradeCommand<Tool: TeamTool>: AsyncParsableCommand {
        static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "can-upgrade",
                abstract: "Tell whether one adapter can replace another: yes, no or unknown, with the reasons.",
                discussion: """
                    Runs the whole contract, or reads a run that `contracts --json` has written. Exits with 0 for yes, 1 for no \
                    and 2 for unknown, which is not yes.

                    EXAMPLES
                      \(Tool.name) can-upgrade
                      \(Tool.name) can-upgrade --json | jq .reasons
                      \(Tool.name) can-upgrade --run contracts.json
                    """
            )
        }

        @Flag(help: "Print JSON.")
        var json = false

        @Option(help: "The adapter in use.")
        var from: String?

        @Option(help: "The adapter that is to replace it.")
        var to: String?

        @Option(name: .customLong("run"), help: "Judge the run in this file instead of making one.")
        var evidence: String?

        @Option(help: "For how many days a run is valid.")
        var days = 14

        @Flag(help: "Run every case in its own process.")
        var isolate = false

        func validate() throws {
            if days < 0 { throw ValidationError("A run cannot count for \(days) days.") }
        }

        func run() async throws {
            try await CommandRun<Tool>.run(isJSON: json) { tooling, progress in
                let path = try path(in: tooling)
                let report: ContractReport
                if let evidence {
                    report = try OutputFile.read(ContractReport.self, from: evidence)
                } else {
                    var options = ContractOptions.here(isolation: isolation)
                    options.triesUndeclared = true
                    report = await tooling.runContracts(ContractSelection(all: tooling), options, progress)
                }
                let verdict = UpgradeVerdict(
                    report,
                    from: path.legacy,
                    to: path.candidate,
                    today: .today,
                    digest: Digest.sha256(of: tooling.contractText),
                    validFor: days
                )
                let comparison = UpgradeComparison(report, from: path.legacy, to: path.candidate)
                return CommandRun<Tool>.Outcome(verdict, exitCode: verdict.verdict.exitCode) { style in
                    UpgradeSummary(verdict: verdict, comparison: comparison).render(style)
                }
            }
        }

        private func path(in tooling: Tooling) throws -> UpgradePath {
            guard let legacy = from ?? tooling.upgrade?.legacy, let candidate = to ?? tooling.upgrade?.candidate else {
                throw ValidationError("\(Tool.name) has no two live adapters; name them with --from and --to.")
            }
            let known = tooling.adapters.map(\.name)
            for name in [legacy, candidate] where !known.contains(name) {
                throw ValidationError("\(UnknownSelection(kind: "adapter", name: name, known: known.sorted()))")
            }
            if legacy == candidate { throw ValidationError("'\(legacy)' cannot take its own place.") }
            return UpgradePath(from: legacy, to: candidate)
        }

        private var isolation: CaseIsolation? {
            .workers(eachOfItsOwn: isolate, triesUndeclared: true)
        }
    }

    extension UpgradeVerdict.Answer {
        fileprivate var exitCode: ExitCode {
            switch self {
            case .yes: .success
            case .no: .failure
            case .unknown: ExitCode(2)
            }
        }
    }
#endif
