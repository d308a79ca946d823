#if CommandLine
import ArgumentParser
import Cofferdam
import CofferdamContracts
import CofferdamRehearsal

/// The command that the tool, or another build's tool, starts in a child process. It runs what it is asked for in
/// lines of JSON, and answers each line with its row.
struct WorkerCommand<Tool: TeamTool>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "worker",
            abstract: "Run cases, mutants or scenarios for a parent process, one after the other.",
            shouldDisplay: false
        )
    }

    enum Kind: String, ExpressibleByArgument { case describe, contracts, mutants, scenarios }

    @Argument
    var kind: Kind

    @Option
    var patience = 4

    @Flag
    var tryUndeclared = false

    func run() async throws {
        #if os(macOS) || os(Linux)
        try await CommandRun<Tool>.use { tooling in
            let link = WorkerLink.toParent()
            switch kind {
            case .describe: link.answer(try await WorkerDescription(of: tooling))
            case .contracts:
                var options = ContractOptions.here()
                options.triesUndeclared = tryUndeclared
                options.patience = patience
                let cases = link.values(ContractReport.Case.self)
                await tooling.serveContracts(cases, options) { link.answer($0) }
            case .mutants:
                for await id in link.values(MutantID.self) {
                    guard let row = await tooling.mutants?.serve(id, MutantOptions(patience: patience)) else {
                        break
                    }
                    link.answer(row)
                }
            case .scenarios: await walk(link, tooling)
            }
        }
        #else
        throw ValidationError("There are no child processes here.")
        #endif
    }
}

#if os(macOS) || os(Linux)
extension WorkerCommand {
    /// Walks the scenarios that the parent asks for, until the parent has ended.
    private func walk(_ link: WorkerLink, _ tooling: Tooling) async {
        let current = Mutex<Task<Void, Never>?>(nil)
        let tasks = link.values(ScenarioTask.self) { current.withLock { $0?.cancel() } }
        for await task in tasks {
            let walk = Task(executorPreference: nil) {
                do {
                    guard let runner = tooling.scenarios else {
                        throw ScenarioFailure(scenario: task.scenario, reason: "the tool describes no upgrade")
                    }
                    let report = try await runner.run(task) { link.answer(ScenarioAnswer.progress($0)) }
                    link.answer(ScenarioAnswer.report(report))
                } catch {
                    let reason = (error as? ScenarioFailure)?.reason ?? "\(error)"
                    link.answer(ScenarioAnswer.failure(reason))
                }
            }
            current.withLock { $0 = walk }
            await walk.value
        }
    }
}

extension WorkerLink {
    fileprivate func answer(_ row: some Encodable) {
        // If the row cannot be encoded, an empty line, which the parent cannot read.
        send((try? WorkerLine.text(row)) ?? "")
    }
}
#endif
#endif
