#if CommandLine
import CofferdamSupport
import ArgumentParser
import CofferdamContracts

struct ContractsCommand<Tool: TeamTool>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "contracts",
            abstract: "Check every adapter against the contract, and print the results.",
            discussion: """
                ✓ passed   ✗ failed   – skipped, with the reason
                ? not judged   ! crashed   … timed out

                A rule that requires a capability that the adapter lacks is skipped. A rule that requires a harness \
                capability that the harness lacks is not judged.

                A case that fails prints a line on standard error when it ends, with --verbose each one does. Ctrl-C or \
                SIGTERM ends the run and reports the results so far. Such a run is incomplete, and not green.

                A live adapter's cases run in a child process, one at a time: a vendor that traps or hangs \
                costs one case, and the next one gets a new process. A fake's cases run in this one. With --isolate every \
                case has a process of its own; with --in-process none has, which suits a debugger.

                --adapter NAME=PATH adds an adapter of another build: PATH is your team's tool, built with the other SDK. \
                Its cases run in processes of PATH, so a vendor that traps there costs one case. PATH must have the \
                same rules and fixtures, and an adapter NAME, which takes the place of this build's own; otherwise \
                the command ends with 2. It runs beside the other adapters; --adapter NAME alone runs only that one.

                --coverage runs nothing. It shows how many rules of each family judge each operation, and why others \
                have none; it ends with 1 if the tool describes its operations and an empty cell has no reason.

                --environment runs every case, also a fake's, in processes with another time zone, another language \
                and region, and another working directory: an adapter that depends on them fails there.

                --publish sends the results to the console of your cofferdam-server, with the drift if the tool \
                describes one. COFFERDAM_SERVER is its address, and COFFERDAM_SERVER_TOKEN, or the file that \
                COFFERDAM_SERVER_TOKEN_FILE names, a token with the role operator. Only a run of every rule on every \
                adapter is published.

                EXAMPLES
                  \(Tool.name) contracts
                  \(Tool.name) contracts --adapter v2=../v2/.build/release/\(Tool.name)
                  \(Tool.name) contracts --rule LIST-01 --rule LIST-02
                  \(Tool.name) contracts --verbose
                  \(Tool.name) contracts --operation animals --unfold
                  \(Tool.name) contracts --fail-fast
                  \(Tool.name) contracts --patience 10
                  \(Tool.name) contracts --json | jq '.rows[] | select(.outcome == "failed")'
                  \(Tool.name) contracts --report junit=contracts.xml --report html=contracts.html
                  \(Tool.name) contracts --timings --unfold
                  \(Tool.name) contracts --coverage
                  \(Tool.name) contracts --environment
                  \(Tool.name) contracts --publish
                """
        )
    }

    @Flag(help: "Print JSON.")
    var json = false

    @Option(help: "Only this rule; repeatable.")
    var rule: [String] = []

    @Option(help: "Only this operation; repeatable.")
    var operation: [String] = []

    @Option(
        help: ArgumentHelp(
            "Only this adapter; with a path, also that adapter of another build of this tool; repeatable.",
            valueName: "name[=path]"
        )
    )
    var adapter: [String] = []

    @Option(
        help: ArgumentHelp(
            "Also write a report to a file: text, json, junit, markdown, html, or timings as JSON; repeatable.",
            valueName: "format=file"
        )
    )
    var report: [String] = []

    @OptionGroup var publishing: PublishingOptions

    @Flag(help: "Show each rule's operations as well.")
    var unfold = false

    @Flag(help: "Show how long each rule took, slowest first, instead of the results.")
    var timings = false

    @Flag(help: "Show which rules judge which operations, and why others do not, instead of running them.")
    var coverage = false

    @Flag(help: "Run every case in another time zone, language and directory.")
    var environment = false

    @Flag(help: "Run every case in its own process.")
    var isolate = false

    @Flag(help: "Run every case in this process, even a live adapter's; those of another build excepted.")
    var inProcess = false

    @Flag(help: "Also try rules whose capability the adapter does not declare; they still count as skipped.")
    var tryUndeclared = false

    @Flag(help: "Stop at the first unexpected failure.")
    var failFast = false

    @OptionGroup var running: RunningOptions

    @Option(help: "The file that records when the fake last passed; updated if it passes now.")
    var certificate: String?

    func validate() throws {
        if isolate && inProcess { throw ValidationError("--isolate and --in-process exclude each other.") }
        if environment && inProcess { throw ValidationError("--environment and --in-process exclude each other.") }
        if environment, try !AdapterArguments(adapter).builds.isEmpty {
            throw ValidationError("--environment runs the adapters of this build only.")
        }
        if environment && isolation == nil { throw ValidationError("--environment needs child processes.") }
        let isPart =
            try !rule.isEmpty || !operation.isEmpty || failFast || !AdapterArguments(adapter).selected.isEmpty
        if publishing.publish && isPart {
            throw ValidationError(
                "--publish needs a whole run: without --rule, --operation, --fail-fast and --adapter NAME."
            )
        }
    }

    func run() async throws {
        try await CommandRun<Tool>.run(isJSON: json) { own, progress in
            if coverage {
                let table = own.coverage
                return CommandRun<Tool>.Outcome(table, isGreen: table.problems.isEmpty) { table.render($0) }
            }
            let wanted = try AdapterArguments(adapter)
            let elsewhere = try await wanted.builds.adapters(
                beside: own,
                separateProcesses: isolate,
                triesUndeclared: tryUndeclared,
                patience: running.patience
            )
            let tooling = own.adding(elsewhere)
            let selection: ContractSelection
            let files: [ReportFile]
            do {
                selection = try ContractSelection(
                    of: tooling,
                    rules: rule,
                    operations: operation,
                    adapters: wanted.selected
                )
                files = try report.map(ReportFile.init)
            } catch {
                throw ValidationError("\(error)")
            }
            let publication = try publishing.publication(by: tooling, Tool.name)
            var options = ContractOptions.here(isolation: isolation)
            options.elsewhere = elsewhere
            options.triesUndeclared = tryUndeclared
            options.failsFast = failFast
            options.patience = running.patience
            options.reportedRows = running.reportedRows
            options.certifications = try certificate.map(CertificateFile.read) ?? []
            let start = ContinuousClock.now
            var report = await tooling.runContracts(selection, options, progress)
            report.upgrade = tooling.upgrade
            let timed = ContractTimings(report, described: tooling, whole: start.duration(to: .now))
            if let certificate { try CertificateFile.write(report.certifications, to: certificate) }
            var isPublished = true
            if !files.isEmpty || publication != nil {
                let document = try await ContractDocument.all(
                    Tool.name,
                    report,
                    tooling,
                    withDrift: report.stop == nil
                        && (publication != nil || files.contains { $0.format == .html || $0.format == .markdown }),
                    progress
                )
                for file in files { try file.write(document, timed, described: tooling) }
                if let publication { isPublished = await publication.publish(document, progress) }
            }
            if timings {
                return CommandRun<Tool>.Outcome(timed, isGreen: report.isGreen, isPublished: isPublished) { style in
                    timed.render(style, isUnfolded: unfold)
                        + ContractMatrix(report, described: tooling).verdict(style)
                }
            }
            return CommandRun<Tool>.Outcome(report, isGreen: report.isGreen, isPublished: isPublished) { style in
                ContractMatrix(
                    report,
                    described: tooling,
                    detail: unfold ? .operations : running.verbose ? .rules : nil
                )
                .render(style)
            }
        }
    }

    private var isolation: CaseIsolation? {
        inProcess
            ? nil
            : .workers(
                separateProcesses: isolate,
                triesUndeclared: tryUndeclared,
                patience: running.patience,
                in: environment ? .foreign : nil
            )
    }
}
#endif
