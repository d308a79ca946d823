#if CommandLine
import ArgumentParser
import CofferdamRehearsal
import CofferdamUpgrade

/// The options that choose scenarios and their traffic.
struct ScenarioArguments: ParsableArguments {
    @Option(help: ArgumentHelp("Walk one scenario only, or 'all' of them.", valueName: "name"))
    var scenario: String?

    @Option(help: "The failure rate that the rehearsal's gate tolerates per unit.")
    var limit = ScenarioOptions().limit

    @Option(help: "The seed of the traffic and of the faults.")
    var seed = ScenarioOptions().seed

    @Option(help: "Visits per second. Default: as fast as possible.")
    var rate: Double?

    @Option(help: "The share of each kind of operation, and how often a user starts to follow the feed.")
    var mix = ScenarioOptions().mix.description

    @Option(help: "The number of calls of the old SDK to measure before the upgrade starts.")
    var baseline = ScenarioOptions().baseline

    func validate() throws {
        do {
            for scenario in try scenarios ?? [] { try scenario.check(limit: limit) }
            _ = try TrafficMix(mix)
            try GateSettings.defaults { $0.limit = limit }.check()
        } catch let error as ValidationError {
            throw error
        } catch {
            throw ValidationError("\(error)")
        }
        if let rate, !(rate > 0 && rate <= 1_000_000) { throw ValidationError("\(rate) is not a rate above 0.") }
        if !(1...10_000_000).contains(baseline) {
            throw ValidationError("\(baseline) is not a baseline between 1 and 10,000,000 calls.")
        }
    }

    /// The chosen scenarios; nil for the whole rehearsal.
    var scenarios: [Scenario]? {
        get throws {
            guard let scenario else { return nil }
            if scenario == "all" { return Scenario.all }
            guard let found = Scenario.all.first(where: { $0.name == scenario }) else {
                let names = Scenario.all.map(\.name).joined(separator: ", ")
                throw ValidationError("there is no scenario '\(scenario)'; use one of \(names), all")
            }
            return [found]
        }
    }

    /// Walks each scenario once.
    ///
    /// - Returns: the reports, in the order of the scenarios.
    func walk(
        _ scenarios: [Scenario],
        _ runner: ScenarioRunner,
        _ progress: ToolProgress
    ) async throws -> [ScenarioReport] {
        try await ScenarioWalks(runner: runner, progress: progress).run(scenarios.map(task))
    }

    func task(for scenario: Scenario) -> ScenarioTask {
        ScenarioTask(
            scenario: scenario.name,
            limit: limit,
            seed: seed,
            rate: rate,
            mix: mix,
            baseline: baseline
        )
    }
}
#endif
