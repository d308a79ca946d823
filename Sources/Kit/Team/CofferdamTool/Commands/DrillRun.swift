#if CommandLine
import ArgumentParser
import CofferdamRehearsal
import CofferdamSupport
import CofferdamUpgrade

/// The options of a drill.
struct DrillArguments: ParsableArguments {
    @Flag(
        help: "Let V2 fail on devices that follow a server on loopback, and time a person who stops it by the runbook."
    )
    var drill = false

    @Flag(help: "In the drill, carry out the runbook's commands, without a person.")
    var play = false

    @Option(help: ArgumentHelp("End the drill after this time, with exit code 1.", valueName: "seconds"))
    var within = 900

    func validate() throws {
        guard drill || !play else { throw ValidationError("--play needs --drill.") }
        guard (1...86_400).contains(within) else { throw ValidationError("--within must be 1 to 86400 seconds.") }
    }
}

/// A drill at the terminal: it shows the alert, and the seconds of each step until all devices are stopped.
struct DrillRun<Tool: TeamTool> {
    let options: DrillArguments

    /// - Throws: `ExitCode` with 1 if the devices are not stopped in time.
    func run() async throws {
        let isStopped = try await CommandRun<Tool>.use { tooling in
            guard let console = tooling.console else { throw WatchedRehearsal.missing(Tool.self) }
            guard let upgrades = tooling.upgrades, let capability = upgrades.capabilities.first else {
                throw ValidationError("\(Tool.name) describes no upgrade to drill.")
            }
            var setting = Drill.Setting(capability.name, costOfGoingBack: upgrades.costOfGoingBack)
            setting.limit = .seconds(options.within)
            let drill = try await console.drill(setting)
            let result: Result<Bool, any Error>
            do { result = .success(try await follow(drill, setting)) } catch { result = .failure(error) }
            await drill.close()
            return try result.get()
        }
        if let code = Interruption.current?.exitCode { throw ExitCode(code) }
        if !isStopped { throw ExitCode.failure }
    }

    private func follow(_ drill: Drill, _ setting: Drill.Setting) async throws -> Bool {
        try Self.say(
            """
            ALERT  \(drill.alert.escapedForTerminal)

            Follow the runbook. The page is \(drill.address)/, for any user with the token in this file as the password:
            export COFFERDAM_SERVER=\(drill.address) COFFERDAM_SERVER_TOKEN_FILE=\(drill.tokenFile)

            """
        )
        let devices = setting.devices
        let isStopped = try await withThrowingTaskGroup(of: Bool?.self) { group in
            group.addTask {
                try await play(drill)
                return nil
            }
            group.addTask {
                try await drill.follow { step, time in
                    let text =
                        switch step {
                        case .looked: "first look"
                        case .stopped(let words): "stop asked: \(words.escapedForTerminal)"
                        case .confirmed(let have): "confirmed by \(have) of \(devices) devices"
                        }
                    // A closed pipe ends the lines, not the drill.
                    try? Self.say("\(Self.seconds(time))  \(text)")
                }
            }
            var isStopped = false
            while let outcome = try await group.next() { isStopped = outcome ?? isStopped }
            return isStopped
        }
        try Self.say(
            isStopped
                ? "The drill is over: no device uses V2. Write its date into the runbook."
                : "The drill is over: after \(options.within) s, devices still use V2."
        )
        return isStopped
    }

    private static func say(_ text: String) throws { try StandardStream.output.write(text + "\n") }

    /// "   12.3 s".
    private static func seconds(_ time: Duration) -> String {
        let text = "\((time / .seconds(1)).shown(1)) s"
        return String(repeating: " ", count: max(0, 8 - text.count)) + text
    }

    /// Carries out the runbook's commands, if the drill is without a person.
    private func play(_ drill: Drill) async throws {
        guard options.play else { return }
        var environment = ToolEnvironment.current
        environment.variables["COFFERDAM_SERVER"] = drill.address
        environment.variables["COFFERDAM_SERVER_TOKEN_FILE"] = drill.tokenFile
        environment.variables["COFFERDAM_SERVER_TOKEN"] = nil
        try await ToolEnvironment.$current.withValue(environment) {
            for arguments in [["status"], ["kill", "legacy", "--all", "--reason", "drill"], ["status"]] {
                try Self.say("$ \(Tool.name) upgrade \(arguments.joined(separator: " "))")
                let command = try RootCommand<Tool>.parseAsRoot(["upgrade"] + arguments)
                guard var command = command as? any AsyncParsableCommand else { continue }
                try await command.run()
            }
        }
    }
}
#endif
