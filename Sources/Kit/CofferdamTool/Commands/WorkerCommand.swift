#if CommandLine
    import ArgumentParser
    import CofferdamContracts

    /// What the tool starts itself as: it runs what it is asked for in lines of JSON, and answers each with its row.
    struct WorkerCommand<Tool: TeamTool>: AsyncParsableCommand {
        static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "worker",
                abstract: "Run cases or mutants for a parent process, one after the other.",
                shouldDisplay: false
            )
        }

        enum Kind: String, ExpressibleByArgument { case contracts, mutants }

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
                    }
                }
            #else
                throw ValidationError("There are no child processes here.")
            #endif
        }
    }

    #if os(macOS) || os(Linux)
        extension WorkerLink {
            fileprivate func answer(_ row: some Encodable) {
                // A line that its parent cannot read, if it cannot be written.
                send((try? WorkerLine.text(row)) ?? "")
            }
        }
    #endif
#endif
