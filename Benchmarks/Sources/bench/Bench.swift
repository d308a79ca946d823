import ArgumentParser

/// `./dev bench NAME`: prints a table, and writes Benchmarks/results/NAME.json.
@main
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measures the kit against named bases.",
        subcommands: [
            ProvidersCommand.self, StoreCommand.self, RunnerCommand.self, UpgradeCommand.self, TransportCommand.self,
            ServerCommand.self,
        ]
    )
}

struct ProvidersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "providers",
        abstract: "A translator against the loop by hand; loadables against a subject, a stream, a task and an actor."
    )

    @OptionGroup var results: ResultsOptions

    func run() async throws {
        let translations = try translateBenchmark()
        translations.forEach(report)
        let measurements = try await translations + loadablesBenchmark(report)
        try results.write(measurements, suite: "providers")
    }

    private func report(_ row: Measurement) {
        let value = "\(row.value.formatted(decimals: 1)) \(row.unit)"
        print("\(row.name): \(value), \(row.ratio.formatted(decimals: 2)) × \(row.base), \(row.samples) samples")
    }
}
