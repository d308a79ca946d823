#if CommandLine
import ArgumentParser
import Cofferdam
import CofferdamSupport
import CofferdamSimulation
import CofferdamUpgrade

struct SimulateGateCommand<Tool: TeamTool>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "simulate-gate",
            abstract:
                "Try the upgrade's gate on candidates whose failure rate is known: what it would let through.",
            discussion: """
                Computes the exact probability that a candidate at the limit is promoted, and simulates one gate and whole \
                upgrades: with candidates that fail as often as the limit allows, a tenth as often and ten times as often, \
                and in situations that mislead a gate which counts badly. Exits with 1 if the gate promotes too often.

                EXAMPLES
                  \(Tool.name) simulate-gate
                  \(Tool.name) simulate-gate --json | jq .exact.promotedAtLimit
                  \(Tool.name) simulate-gate --limit 0.0005 --output limit.json
                """
        )
    }

    @Flag(help: "Print JSON.")
    var json = false

    @Option(help: "The failure rate per unit that the gate must not exceed.")
    var limit = GateSettings.defaults.limit

    @Option(help: "The probability of promoting a candidate at the limit.")
    var alpha = GateSettings.defaults.alpha

    @Option(help: "The number of runs for each of the seeds 0 to 4.")
    var runs = GateSimulation().runs

    @Option(help: "The file for the report.")
    var output = ".build/reports/gate.json"

    func validate() throws {
        if runs < 1 { throw ValidationError("--runs must be at least 1.") }
        do {
            try simulation.settings.check()
        } catch {
            throw ValidationError("\(error)")
        }
    }

    func run() async throws {
        try await CommandRun<Tool>.run(isJSON: json) { _, progress in
            let report = try simulation.report { progress.show($0) }
            try OutputFile.write(report, to: output)
            return CommandRun<Tool>.Outcome(report, isGreen: report.isGreen) { Self.text(report, $0) }
        }
    }

    private var simulation: GateSimulation {
        var simulation = GateSimulation()
        simulation.settings.limit = limit
        simulation.settings.alpha = alpha
        simulation.settings.alphaRollback = alpha
        simulation.runs = runs
        return simulation
    }

    private static func text(_ report: GateSimulationReport, _ style: TerminalStyle) -> String {
        var gate = TextTable([
            .init("ONE GATE"), .right("RATE"), .right("RUNS"), .right("PROMOTED"), .right("ROLLED BACK"),
            .right("MEDIAN UNITS"),
        ])
        for (name, runs) in [("at the limit", report.atLimit), ("good", report.good), ("bad", report.bad)] {
            gate.add([
                .init(name), .init("\(runs.rate)"), .init("\(runs.runs)"), .init("\(runs.promoted)"),
                .init("\(runs.rolledBack)"), .init("\(runs.medianSamples)"),
            ])
        }
        var whole = TextTable([
            .init("WHOLE UPGRADE"), .right("RATE"), .right("RUNS"), .right("ARRIVED"), .right("ROLLED BACK"),
            .right("UNDECIDED"), .right("MEDIAN UNITS"),
        ])
        for (name, runs) in [("at the limit", report.wholeUpgrade.atLimit), ("good", report.wholeUpgrade.good)] {
            whole.add([
                .init(name), .init("\(runs.model.candidateFailure)"), .init("\(runs.runs)"),
                .init("\(runs.arrived)"), .init("\(runs.rolledBack)"), .init("\(runs.undecided)"),
                .init("\(runs.medianUnits)"),
            ])
        }
        let exact =
            "Exactly \(report.exact.promotedAtLimit) of those at the limit are promoted by one gate; "
            + "α is \(report.alpha).\n"
        let violations = report.violations.map { style.apply(.red, to: $0) + "\n" }.joined()
        return exact + "\n" + gate.render(style) + "\n" + whole.render(style) + "\n"
            + scenarios(report).render(style) + "\n" + alarms(report).render(style) + violations
    }

    private static func alarms(_ report: GateSimulationReport) -> TextTable {
        var table = TextTable([
            .init("ALARM"), .right("RUNS"), .right("RANG"), .right("MEDIAN FAILING UNITS"), .right("FALSE IN A YEAR"),
        ])
        for (scenario, result) in report.alarm.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            table.add([
                .init(scenario.rawValue), .init("\(result.runs)"), .init("\(result.alarms)"),
                .init(result.medianUnits.map { "\($0)" } ?? "–"), .init("\(result.falseAlarmsPerYear)"),
            ])
        }
        return table
    }

    private static func scenarios(_ report: GateSimulationReport) -> TextTable {
        var table = TextTable([
            .init("SCENARIO"), .right("RUNS"), .right("PROMOTED"), .right("ROLLED BACK"), .init("EXPECTED"),
            .init(""),
        ])
        for (scenario, result) in report.scenarios.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let isMet = result.isMet(alpha: report.alpha)
            table.add([
                .init(scenario.rawValue), .init("\(result.runs)"), .init("\(result.promoted)"),
                .init("\(result.rolledBack)"), .init(result.expected.rawValue),
                .init(isMet ? "passes" : "fails", isMet ? .green : .red),
            ])
        }
        return table
    }
}
#endif
