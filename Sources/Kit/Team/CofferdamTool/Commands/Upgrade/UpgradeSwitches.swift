#if CommandLine
import ArgumentParser
import CofferdamUpgrade

struct UpgradeKillCommand<Tool: TeamTool>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "kill",
            abstract:
                "Pull the kill switch: all calls to one side, or the stage as it is. It overrides everything else.",
            discussion: """
                legacy     every call goes to the legacy side, at once
                candidate  every call goes to the candidate, if the legacy side is broken
                freeze     no step up, and none by the gate; a person may still go back

                `kill candidate` needs --everybody-to-v2, and a candidate that has answered users. Every running app \
                obeys within a second; a build with one side keeps it. The kill switch is a stop, \
                not a rollback: it holds until `\(Tool.name) upgrade resume` clears it.

                EXAMPLES
                  \(Tool.name) upgrade kill legacy --reason "orders fail"
                  \(Tool.name) upgrade kill candidate --everybody-to-v2 --all --reason "V1 is down"
                  \(Tool.name) upgrade kill freeze --reason "over the weekend"
                """
        )
    }

    @Argument(help: "legacy, candidate or freeze.", transform: UpgradeArguments.target)
    var target: KillSwitch.Target

    @Flag(
        name: .customLong("everybody-to-v2"),
        help: "Confirms that `kill candidate` sends every user to the candidate."
    )
    var everybodyToV2 = false

    @OptionGroup var change: ChangeOptions
    @OptionGroup var capabilities: OneOrAllCapabilities
    @OptionGroup var options: UpgradeOptions

    func validate() throws {
        guard target != .candidate || everybodyToV2 else {
            throw ValidationError("`kill candidate` sends every user to V2: confirm with --everybody-to-v2.")
        }
    }

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
                "Clear the kill switch. After legacy the upgrade continues at legacyOnly, as a new attempt.",
            discussion: """
                `resume` does not bring V2 back: every call stays on the legacy side until a person takes the first step \
                again. After candidate and freeze the upgrade stays at its stage.

                EXAMPLES
                  \(Tool.name) upgrade resume --reason "fixed in Tuesday's release"
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
                A stage above that of the upgrade requires --despite-gate, which the log records. A server refuses an \
                operation that no user has called, unless --unknown insists.

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

    @Flag(help: "Even above the upgrade's stage, without a gate's approval.")
    var despiteGate = false

    @Flag(help: "Even for an operation that the server does not know.")
    var unknown = false

    @OptionGroup var change: ChangeOptions
    @OptionGroup var capability: OneCapability
    @OptionGroup var options: UpgradeOptions

    func validate() throws {
        if clear != (stage == nil) { throw ValidationError("Give either a stage or --clear.") }
        if operation.isEmpty { throw ValidationError("The operation's name is empty.") }
    }

    func run() async throws {
        let isAbove = despiteGate ? true : nil
        let move = UpgradeAction.override(operation: operation, stage: stage, despiteGate: isAbove)
        try await UpgradeChange<Tool>.run(options, change, .certain(move), allowsUnknown: unknown) {
            [try capability.choose(in: $0)]
        }
    }
}
#endif
