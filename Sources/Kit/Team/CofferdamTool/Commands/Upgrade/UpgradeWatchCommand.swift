#if CommandLine
import ArgumentParser
import Cofferdam
import CofferdamSupport
import CofferdamUpgrade

struct UpgradeWatchCommand<Tool: TeamTool>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "watch",
            abstract: "Refresh the status every second, until Ctrl-C or the awaited state.",
            discussion: """
                In a pipe it prints a line for each upgrade that changed, with --json an object. With --until it exits with 0 \
                as soon as one upgrade reaches that state, and with 1 if it ends before.

                EXAMPLES
                  \(Tool.name) upgrade watch
                  \(Tool.name) upgrade watch --until promote
                  \(Tool.name) upgrade watch --until "canary(500)" --json
                """
        )
    }

    @Option(help: "promote, hold, rollBack, undecided, or a stage that is reached or passed.")
    var until: WatchGoal?

    @Option(help: "The interval in seconds.")
    var every = 1.0

    @OptionGroup var capabilities: ManyCapabilities
    @OptionGroup var options: UpgradeOptions

    func validate() throws {
        if !(0.1...3600).contains(every) { throw ValidationError("--every must be 0.1 to 3600 seconds.") }
    }

    func run() async throws {
        let code = try await CommandRun<Tool>.use { tooling in
            let upgrade = try await tooling.requiredUpgrade(Tool.name, at: options.place(in: .current))
            let chosen = try upgrade.chosen(capabilities.capability)
            let controls = try await options.open(upgrade, mayCreate: false)
            let style = StandardStream.output.style(environment: controls.environment.variables)
            let watch = UpgradeWatch(
                form: options.json ? .json : StandardStream.output.isTerminal ? .screen(style) : .lines,
                until: until,
                read: { try await controls.status(of: chosen) },
                write: { try StandardStream.output.write($0) }
            )
            do {
                return try await watch.run(ticks: WatchTicks.every(every)) ? ExitCode.success : .failure
            } catch let error as StreamClosed where error.isBrokenPipe {
                // The reader closed the pipe.
                return until == nil ? .success : .failure
            }
        }
        if !code.isSuccess { throw code }
    }
}

extension WatchGoal: ExpressibleByArgument {
    init?(argument: String) { self.init(argument) }
}
#endif
