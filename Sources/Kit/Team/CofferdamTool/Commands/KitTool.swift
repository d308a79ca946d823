#if CommandLine
import ArgumentParser
import CofferdamContracts

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// The command `cofferdam`, for a package that has no tool of its own yet, and for people who only look after a server.
package enum KitTool: TeamTool {
    package static let name = "cofferdam"

    /// It has no upgrade of its own, so that `upgrade` takes those of the server.
    package static func tooling() async throws -> Tooling {
        Tooling(rules: [Rule<Int>](), adapters: [], upgrades: UpgradeTooling([]))
    }

    /// Parses the process's arguments, runs the command, and ends the process with its exit code.
    @concurrent package static func main() async {
        // A closed pipe becomes a write error, so that the exit code still gives the result.
        signal(SIGPIPE, SIG_IGN)
        ProcessFolder.use()
        await Interruption.listening { await KitCommand.main() }
    }
}

struct KitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cofferdam",
        abstract: "Add the kit to your package, keep its wall, and look after the upgrades of a server.",
        discussion: """
            EXAMPLES
              swift run cofferdam new-port Weather --file Sources/App/Weather.swift
              swift run cofferdam vendor-copy https://github.com/acme/widgets \\
                --version 1.4.2 --as widgets-v1
              swift run cofferdam wall
              cofferdam upgrade status --server https://upgrades.example.com
            """,
        subcommands: [
            NewPortCommand.self, VendorCopyCommand.self, WallCommand.self, UpgradeCommand<KitTool>.self,
            RunbookCommand<KitTool>.self,
        ]
    )
}
#endif
