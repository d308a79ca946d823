#if CommandLine
import ArgumentParser

/// The options of commands that run rules.
struct RunningOptions: ParsableArguments {
    @Option(help: "How many times its own time limit a rule may take: 1 to 1000.")
    var patience = 4

    @Flag(name: .shortAndLong, help: "Print each case when it ends, and each rule and reason of the results.")
    var verbose = false

    func validate() throws {
        if !(1...1000).contains(patience) { throw ValidationError("--patience must be 1 to 1000.") }
    }

    var reportedRows: ReportedRows { verbose ? .all : .failures }

    var mutantOptions: MutantOptions { MutantOptions(patience: patience, reportedRows: reportedRows) }
}
#endif
