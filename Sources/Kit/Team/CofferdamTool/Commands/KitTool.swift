#if CommandLine
import ArgumentParser

/// The command `cofferdam`, for a package that has no tool of its own yet.
package enum KitTool {
    /// Parses the process's arguments, runs the command, and ends the process with its exit code.
    @concurrent package static func main() async {
        ProcessFolder.use()
        await KitCommand.main()
    }
}

struct KitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cofferdam",
        abstract: "Add the kit to your package, and keep its wall.",
        discussion: """
            EXAMPLES
              swift run cofferdam new-port Weather --file Sources/App/Weather.swift
              swift run cofferdam vendor-copy https://github.com/acme/widgets \\
                --version 1.4.2 --as widgets-v1
              swift run cofferdam wall
            """,
        subcommands: [NewPortCommand.self, VendorCopyCommand.self, WallCommand.self]
    )
}
#endif
