#if CommandLine
    import ArgumentParser
    import CofferdamUpgrade

    struct UpgradeKillCommand<Tool: TeamTool>: AsyncParsableCommand {
        static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "kill",
                abstract:
                    "Pull the kill switch: to one side, or to hold everything where it is. It wins over all else.",
                discussion: """
                    legacy     all users to the old side, at once
                    candidate  all users to the new side, if the old one is broken
                    freeze     keep the current stage, whatever the gate decides

                    EXAMPLES
                      \(Tool.name) upgrade kill legacy --reason "orders fail"
                      \(Tool.name) upgrade kill candidate --all --reason "V1 is down"
                      \(Tool.name) upgrade kill freeze --reason "over the weekend"
                    """
            )
        }

        @Argument(help: "legacy, candidate or freeze.", transform: UpgradeArguments.target)
        var target: KillSwitch.Target

        @OptionGroup var change: ChangeOptions
        @OptionGroup var capabilities: OneOrAllCapabilities
        @OptionGroup var options: UpgradeOptions

        func run() async throws {
            try await UpgradeChange<Tool>.run(options, change, .certain(.kill(target))) {
                try capabilities.choose(in: $0)
            }
        }
    }

    struct UpgradeUnkillCommand<Tool: TeamTool>: AsyncParsableCommand {
        static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "resume",
                abstract:
                    "Clear the kill switch. After legacy the upgrade resumes at legacyOnly, with every operation.",
                discussion: """
                    EXAMPLES
                      \(Tool.name) upgrade resume --reason "the release of Tuesday mends it"
                    """
            )
        }

        @OptionGroup var change: ChangeOptions
        @OptionGroup var capabilities: OneOrAllCapabilities
        @OptionGroup var options: UpgradeOptions

        func run() async throws {
            try await UpgradeChange<Tool>.run(options, change, .certain(.resume)) {
                try capabilities.choose(in: $0)
            }
        }
    }

    struct UpgradeOverrideCommand<Tool: TeamTool>: AsyncParsableCommand {
        static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "override",
                abstract: "Give one operation its own stage, or let it follow the others again.",
                discussion: """
                    EXAMPLES
                      \(Tool.name) upgrade override orders.place legacyOnly --reason "amounts first"
                      \(Tool.name) upgrade override orders.place --clear --reason "amounts are right"
                    """
            )
        }

        @Argument(help: "The operation's name, as in the evidence.")
        var operation: String

        @Argument(help: "The stage.", transform: UpgradeArguments.stage)
        var stage: Stage?

        @Flag(help: "Remove its own stage.")
        var clear = false

        @OptionGroup var change: ChangeOptions
        @OptionGroup var capability: OneCapability
        @OptionGroup var options: UpgradeOptions

        func validate() throws {
            if clear != (stage == nil) { throw ValidationError("Give a stage or --clear, one of them.") }
            if operation.isEmpty { throw ValidationError("The operation has no name.") }
        }

        func run() async throws {
            try await UpgradeChange<Tool>.run(options, change, .certain(.override(operation: operation, stage: stage)))
            {
                [try capability.choose(in: $0)]
            }
        }
    }
#endif
