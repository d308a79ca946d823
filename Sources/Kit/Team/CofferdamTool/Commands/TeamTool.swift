#if CommandLine
import ArgumentParser

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A team's own command-line tool: its name and what it works on. An adopter's whole main file is
///
/// ```swift
/// @main enum MyTool: TeamTool {
///     static let name = "mytool"
///     static func tooling() async throws -> Tooling { Tooling(rules: …, adapters: …) }
/// }
/// ```
public protocol TeamTool: Sendable {
    /// The command's name, as people type it.
    static var name: String { get }
    /// Returns what the tool works on. Called once, and only by commands that need it: never for `--help`.
    static func tooling() async throws -> Tooling
}

extension TeamTool {
    /// Parses the process's arguments, runs the command, and ends the process with its exit code.
    ///
    /// `@concurrent`, because `@main` does not recognise a function that stays on its caller's actor.
    @concurrent public static func main() async {
        // A closed pipe becomes a write error, so that the exit code still gives the result.
        signal(SIGPIPE, SIG_IGN)
        ProcessFolder.use()
        #if os(macOS) || os(Linux)
        await WorkerPool.$tool.withValue(WorkerPool.ownPath) {
            await Interruption.listening { await RootCommand<Self>.main() }
        }
        #else
        await Interruption.listening { await RootCommand<Self>.main() }
        #endif
    }
}

struct RootCommand<Tool: TeamTool>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: Tool.name,
            abstract:
                "Check a vendor's SDK: compare its adapters with their contract and with each other.",
            discussion: """
                EXAMPLES
                  \(Tool.name) rehearse
                  \(Tool.name) contracts
                  \(Tool.name) contracts --rule LIST-01 --json
                  \(Tool.name) mutants
                  \(Tool.name) can-upgrade
                  \(Tool.name) drift
                  \(Tool.name) tapes record --adapter v1 v1.tape.json
                  \(Tool.name) simulate-gate
                  \(Tool.name) upgrade status
                  \(Tool.name) wall

                EXIT CODES
                  0    success
                  1    a rule failed, a mutant survived, a step failed, a difference is
                       unexpected, the gate promotes too often, can-upgrade says no, a
                       change is not allowed, or the wall is broken
                  2    can-upgrade cannot tell, or the build of --adapter NAME=PATH is refused
                  64   wrong usage
                  70   the tool itself failed
                  129, 130, 143
                       ended by SIGHUP, Ctrl-C or SIGTERM, after writing the results so far

                COMPLETIONS
                  \(Tool.name) --generate-completion-script bash|zsh|fish
                """,
            subcommands: [
                RehearseCommand<Tool>.self, ConsoleCommand<Tool>.self, ContractsCommand<Tool>.self,
                MutantsCommand<Tool>.self, CanUpgradeCommand<Tool>.self, DriftCommand<Tool>.self,
                TapesCommand<Tool>.self, SimulateGateCommand<Tool>.self, UpgradeCommand<Tool>.self,
                RunbookCommand<Tool>.self,
                NewPortCommand.self, VendorCopyCommand.self, WallCommand.self, WorkerCommand<Tool>.self,
            ]
        )
    }
}
#endif
