#if CommandLine
import ArgumentParser
import CofferdamUpgrade

struct UpgradeAllowCommand<Tool: TeamTool>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "allow",
            abstract:
                "Put named units, such as staff and testers, on the candidate first. They are counted separately.",
            discussion: """
                Use the app's names for units. At legacyOnly, shadow or canary a named unit is served like a canary unit from \
                its next session on. Status shows its results, but no gate counts them. A kill switch, or going back to \
                legacyOnly or shadow, moves named units back too; the next step, or this command, moves all listed units to \
                the candidate again. The list holds at most \(NamedUnits.maxUnits) units.

                EXAMPLES
                  \(Tool.name) upgrade allow ada@example.com ben@example.com \\
                    --reason "our own team first"
                  \(Tool.name) upgrade allow device-17 --all --reason "a tester's phone"
                  \(Tool.name) upgrade status --json | jq '.[].named.units'
                """
        )
    }

    @OptionGroup var units: UnitNames
    @OptionGroup var change: ChangeOptions
    @OptionGroup var capabilities: OneOrAllCapabilities
    @OptionGroup var options: UpgradeOptions

    func run() async throws {
        try await UpgradeChange<Tool>.run(options, change, .certain(.allow(units: units.units))) {
            try capabilities.choose(in: $0)
        }
    }
}

struct UpgradeDisallowCommand<Tool: TeamTool>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "disallow",
            abstract: "Remove named units from the list; the stage decides their next call.",
            discussion: """
                If a unit is not on the list, the command fails and removes none.

                EXAMPLES
                  \(Tool.name) upgrade disallow ben@example.com --reason "left the team"
                """
        )
    }

    @OptionGroup var units: UnitNames
    @OptionGroup var change: ChangeOptions
    @OptionGroup var capabilities: OneOrAllCapabilities
    @OptionGroup var options: UpgradeOptions

    func run() async throws {
        try await UpgradeChange<Tool>.run(options, change, .certain(.disallow(units: units.units))) {
            try capabilities.choose(in: $0)
        }
    }
}

/// The units, as the app names them.
struct UnitNames: ParsableArguments {
    @Argument(help: ArgumentHelp("The units, as the app names them.", valueName: "unit"))
    var units: [String]

    func validate() throws {
        if units.contains(where: { UpgradeArguments.trimmed($0).isEmpty }) {
            throw ValidationError("A unit's name is empty.")
        }
    }
}
#endif
