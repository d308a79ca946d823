#if CommandLine
import ArgumentParser
import CofferdamUpgrade

struct UpgradeAdvanceCommand<Tool: TeamTool>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "advance",
            abstract:
                "Take the next step on your own responsibility: from the first stage, after a rollback, or where the gate could not decide.",
            discussion: """
                At a stage with a gate this requires --despite-gate, which the log records. With --to it does nothing if \
                the upgrade has moved since you looked.

                EXAMPLES
                  \(Tool.name) upgrade advance --to "shadow(10000)" --reason "the shadow may begin"
                  \(Tool.name) upgrade advance --to candidateOnly --despite-gate \\
                    --reason "the vendor switches V1 off tonight" --by amara
                """
        )
    }

    @Option(help: "The stage that it must lead to, as status shows it.", transform: UpgradeArguments.stage)
    var to: Stage?

    @Flag(help: "Even without the gate's approval.")
    var despiteGate = false

    @OptionGroup var change: ChangeOptions
    @OptionGroup var capability: OneCapability
    @OptionGroup var options: UpgradeOptions

    func run() async throws {
        let move = RequestedChange.certain(.advance(despiteGate: despiteGate))
        try await UpgradeChange<Tool>.run(options, change, move, to: to) { [try capability.choose(in: $0)] }
    }
}

struct UpgradePromoteCommand<Tool: TeamTool>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "promote",
            abstract: "Advance to the next stage, if the gate approves the latest evidence.",
            discussion: """
                Computes the decision again, and records its inputs in the log. Without the gate's approval it exits with 1 \
                and prints the reason.

                EXAMPLES
                  \(Tool.name) upgrade promote --to "canary(500)" --reason "5009 clean units"
                  \(Tool.name) upgrade watch --until promote \\
                    && \(Tool.name) upgrade promote --reason "the gate says so"
                """
        )
    }

    @Option(help: "The stage that it must lead to, as status shows it.", transform: UpgradeArguments.stage)
    var to: Stage?

    @OptionGroup var change: ChangeOptions
    @OptionGroup var capability: OneCapability
    @OptionGroup var options: UpgradeOptions

    func run() async throws {
        try await UpgradeChange<Tool>.run(options, change, .promote, to: to) {
            [try capability.choose(in: $0)]
        }
    }
}

struct UpgradeReplanCommand<Tool: TeamTool>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "replan",
            abstract: "Give the upgrade this tool's plan; with --server, the server's.",
            discussion: """
                An upgrade follows the plan that it began with, whatever plan a newer build has. This changes it. Users are \
                counted anew, in another attempt, unless the upgrade is at its first stage.

                EXAMPLES
                  \(Tool.name) upgrade replan --reason "too few users for the strict plan"
                """
        )
    }

    @OptionGroup var change: ChangeOptions
    @OptionGroup var capability: OneCapability
    @OptionGroup var options: UpgradeOptions

    func run() async throws {
        try await UpgradeChange<Tool>.run(options, change, .replan) { [try capability.choose(in: $0)] }
    }
}

struct UpgradeRollbackCommand<Tool: TeamTool>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "rollback",
            abstract: "Go back to a lower stage by a person's decision.",
            discussion: """
                The next attempt has a smaller α, and a person must take its first step. No operation keeps a higher stage \
                of its own.

                EXAMPLES
                  \(Tool.name) upgrade rollback --reason "users complain of wrong totals"
                  \(Tool.name) upgrade rollback --to "canary(500)" --reason "too many at once"
                """
        )
    }

    @Option(help: "The stage, one of the plan's.", transform: UpgradeArguments.stage)
    var to: Stage = .legacyOnly

    @OptionGroup var change: ChangeOptions
    @OptionGroup var capability: OneCapability
    @OptionGroup var options: UpgradeOptions

    func run() async throws {
        try await UpgradeChange<Tool>.run(options, change, .certain(.rollBack(to: to))) {
            [try capability.choose(in: $0)]
        }
    }
}

struct UpgradeAbortCommand<Tool: TeamTool>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "abort",
            abstract: "Go back to legacyOnly at once, with every operation.",
            discussion: """
                EXAMPLES
                  \(Tool.name) upgrade abort --reason "it crashes"
                  \(Tool.name) upgrade abort --all --reason "the vendor asks for it"
                """
        )
    }

    @OptionGroup var change: ChangeOptions
    @OptionGroup var capabilities: OneOrAllCapabilities
    @OptionGroup var options: UpgradeOptions

    func run() async throws {
        try await UpgradeChange<Tool>.run(options, change, .certain(.abort)) {
            try capabilities.choose(in: $0)
        }
    }
}
#endif
