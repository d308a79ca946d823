#if CommandLine
import CofferdamSupport
import ArgumentParser
import CofferdamUpgrade

struct UpgradeStatusCommand<Tool: TeamTool>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "status",
            abstract: "Show what each upgrade means for users now, and what happens next.",
            discussion: """
                `upgrade explain` shows the statistics behind it.

                EXAMPLES
                  \(Tool.name) upgrade status
                  \(Tool.name) upgrade status --json | jq '.[] | {capability, stage, waitsFor}'
                  \(Tool.name) upgrade status --state /var/lib/app/upgrade
                """
        )
    }

    @OptionGroup var capabilities: ManyCapabilities
    @OptionGroup var options: UpgradeOptions

    func run() async throws {
        try await CommandRun<Tool>.run(isJSON: options.json) { tooling, _ in
            let upgrade = try await tooling.requiredUpgrade(Tool.name, at: options.place(in: .current))
            let chosen = try upgrade.chosen(capabilities.capability)
            let controls = try await options.open(upgrade, mayCreate: false)
            let statuses = try await controls.status(of: chosen)
            return CommandRun<Tool>.Outcome(statuses, isGreen: true) { style in
                StatusTable(statuses: statuses, note: controls.note).render(style)
            }
        }
    }
}

struct UpgradePlanCommand<Tool: TeamTool>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "plan",
            abstract: "Show the steps, how many users each needs, and what takes V2 back.",
            discussion: """
                EXAMPLES
                  \(Tool.name) upgrade plan
                  \(Tool.name) upgrade plan --numbers
                  \(Tool.name) upgrade plan --attempt 2
                  \(Tool.name) upgrade plan --daily-users 2000
                  \(Tool.name) upgrade plan --arms
                  \(Tool.name) upgrade plan --server https://upgrades.example.com
                  \(Tool.name) upgrade plan --json | jq '.[].stages[] | {stage, cleanUnits}'
                """
        )
    }

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "Show each test with its share of α.")
    var numbers = false

    @Option(help: "The number of the attempt: 1 plus the rollbacks so far.")
    var attempt = 1

    @Option(
        help: """
            How many new users come each day, to estimate how many days each gate takes. A returning user counts \
            once.
            """
    )
    var dailyUsers: Int?

    @Flag(help: "Show the plan for builds with one side each instead: no process can hold both.")
    var arms = false

    @OptionGroup var capabilities: ManyCapabilities
    @OptionGroup var server: ServerOption

    func validate() throws {
        if arms, server.server != nil { throw ValidationError("Give --arms or --server, not both.") }
        if let dailyUsers, dailyUsers < 1 {
            throw ValidationError("--daily-users must be at least 1.")
        }
        if attempt < 1 { throw ValidationError("--attempt must be at least 1.") }
    }

    func run() async throws {
        try await CommandRun<Tool>.run(isJSON: json) { tooling, _ in
            var chosen = try await tooling.requiredUpgrade(Tool.name, at: server.place(in: .current)).chosen(
                capabilities.capability
            )
            if arms {
                let plan = try UpgradePlan.named(.arms)
                chosen = chosen.map { .init($0.name, plan: plan) }
            } else if case .server(let address) = try server.place(in: .current) {
                chosen = try await ServerOption.controls(at: address, .current).planned(chosen)
            }
            let reports = try PlanReport.reports(chosen, attempt: attempt, dailyUsers: dailyUsers)
            return CommandRun<Tool>.Outcome(reports, isGreen: true) { style in
                reports.map { $0.render(style, showsNumbers: numbers) }.joined(separator: "\n")
            }
        }
    }
}
#endif
