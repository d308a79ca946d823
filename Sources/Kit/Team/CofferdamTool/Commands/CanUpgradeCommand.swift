#if CommandLine
import ArgumentParser
import Cofferdam
import CofferdamSupport
import CofferdamContracts

struct CanUpgradeCommand<Tool: TeamTool>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "can-upgrade",
            abstract: "Tell whether one adapter can replace another: yes, no or unknown, with the reasons.",
            discussion: """
                Runs the whole contract, or reads a run that `contracts --json` has written. Exits with 0 for yes, 1 for no \
                and 2 for unknown, which is not yes.

                Where no build can hold both adapters, give the tool of the other build: --adapter NAME=PATH. That \
                adapter's cases run in processes of PATH, which must have the same rules and fixtures; otherwise the \
                command ends with 2. Or run `contracts --json` in a build of each, and give both files: \
                the runs are judged as one. They must share the contract and the fixtures, and each must be a run of the \
                whole contract; otherwise the answer is unknown, and the reasons name the files. The answer is valid from \
                the date of the older run. Without --from and --to, or an upgrade in the tool's description, it is from the \
                adapter whose SDK has the lower version, as the two describe themselves ("Yams 5.0.1", "Yams 6.2.2"); where \
                they do not, from the first file's live adapter to the second's, or from this build's to that of --adapter.

                EXAMPLES
                  \(Tool.name) can-upgrade
                  \(Tool.name) can-upgrade --json | jq .reasons
                  \(Tool.name) can-upgrade --adapter v2=../v2/.build/release/\(Tool.name)
                  \(Tool.name) can-upgrade --run contracts.json
                  \(Tool.name) can-upgrade --run v1.json --run v2.json
                """
        )
    }

    @Flag(help: "Print JSON.")
    var json = false

    @Option(help: "The adapter in use.")
    var from: String?

    @Option(help: "The adapter that is to replace it.")
    var to: String?

    @Option(
        help: ArgumentHelp(
            "Run this adapter in another build of this tool; repeatable.",
            valueName: "name=path"
        )
    )
    var adapter: [String] = []

    @Option(
        name: .customLong("run"),
        help: ArgumentHelp(
            "Judge the run in this file instead of making one; repeatable, for runs of several builds.",
            valueName: "file"
        )
    )
    var files: [String] = []

    @Option(help: "For how many days a run is valid.")
    var days = 14

    @Flag(help: "Run every case in its own process.")
    var isolate = false

    func validate() throws {
        if !files.isEmpty && !adapter.isEmpty { throw ValidationError("--run and --adapter exclude each other.") }
        if let name = try AdapterArguments(adapter).names.first {
            throw ValidationError("can-upgrade runs every adapter: '\(name)' is not NAME=PATH.")
        }
        if days < 0 { throw ValidationError("A run cannot be valid for \(days) days.") }
    }

    func run() async throws {
        try await CommandRun<Tool>.run(isJSON: json) { own, progress in
            let elsewhere = try await AdapterArguments(adapter).builds.adapters(
                beside: own,
                separateProcesses: isolate,
                triesUndeclared: true,
                patience: ContractOptions.here().patience
            )
            let tooling = own.adding(elsewhere)
            let runs = try files.map { try JoinedRuns.Run($0, OutputFile.read(ContractReport.self, from: $0)) }
            let path = try path(in: tooling, runs)
            let report: ContractReport
            if !runs.isEmpty {
                report = JoinedRuns(runs, today: .today).report
            } else {
                var options = ContractOptions.here(isolation: isolation)
                options.elsewhere = elsewhere
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

    /// A build with one major knows only its own adapter; the other adapter is in the runs.
    private func path(in tooling: Tooling, _ runs: [JoinedRuns.Run]) throws -> UpgradePath {
        let found = runs.flatMap(\.report.adapters)
        let path = tooling.upgrade ?? UpgradePath(among: found)
        guard let legacy = from ?? path?.legacy, let candidate = to ?? path?.candidate else {
            let place = runs.isEmpty ? Tool.name : files.joined(separator: " and ")
            throw ValidationError(
                "\(place): it is not clear which two adapters to compare; name them with --from and --to."
            )
        }
        let known = Set(
            tooling.adapters.map(\.name) + found.map(\.name) + runs.flatMap(\.report.rows).map(\.adapter)
        )
        for name in [legacy, candidate] where !known.contains(name) {
            throw ValidationError("\(UnknownSelection(kind: "adapter", name: name, known: known.sorted()))")
        }
        if legacy == candidate { throw ValidationError("'\(legacy)' cannot replace itself.") }
        return UpgradePath(from: legacy, to: candidate)
    }

    private var isolation: CaseIsolation? {
        .workers(separateProcesses: isolate, triesUndeclared: true)
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
