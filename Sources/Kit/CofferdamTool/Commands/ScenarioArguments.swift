#if CommandLine
    import ArgumentParser
    import CofferdamRehearsal
    import CofferdamUpgrade

    /// Which scenarios are walked, and under what traffic.
    struct ScenarioArguments: ParsableArguments {
        @Option(help: ArgumentHelp("Walk that scenario alone, or 'all' of them.", valueName: "name"))
        var scenario: String?

        @Option(help: "How often a unit may fail: the gate's limit in the rehearsal.")
        var limit = ScenarioOptions().limit

        @Option(help: "The seed of the traffic and of the faults.")
        var seed = ScenarioOptions().seed

        @Option(help: "How many units come by in a second; without it, as fast as it goes.")
        var rate: Double?

        @Option(help: "What they do: how often of each kind, and how often one begins to follow.")
        var mix = ScenarioOptions().mix.description

        @Option(help: "How many calls of the old SDK are watched, at least, before anything is moved.")
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
            if let rate, !(rate > 0 && rate <= 1_000_000) { throw ValidationError("\(rate) is no rate above 0.") }
            if !(1...10_000_000).contains(baseline) { throw ValidationError("\(baseline) calls are no baseline.") }
        }

        /// Nil for the whole rehearsal.
        var scenarios: [Scenario]? {
            get throws {
                guard let scenario else { return nil }
                if scenario == "all" { return Scenario.all }
                guard let found = Scenario.all.first(where: { $0.name == scenario }) else {
                    let names = Scenario.all.map(\.name).joined(separator: ", ")
                    throw ValidationError("there is no scenario '\(scenario)'; there are \(names), all")
                }
                return [found]
            }
        }

        /// One after the other: each opens both SDKs.
        func walk(
            _ scenarios: [Scenario],
            _ tooling: ScenarioRunner,
            _ progress: ToolProgress
        ) async throws -> [ScenarioReport] {
            var options = ScenarioOptions()
            options.limit = limit
            options.seed = seed
            options.rate = rate
            options.mix = try TrafficMix(mix)
            options.baseline = baseline
            var reports: [ScenarioReport] = []
            for scenario in scenarios {
                reports.append(try await tooling.run(scenario, options, progress: progress.show))
            }
            return reports
        }
    }
#endif
