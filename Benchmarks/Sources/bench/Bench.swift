import ArgumentParser

/// `./dev bench NAME`: prints a table, and writes Benchmarks/results/NAME.json.
@main
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measures the kit against named bases.",
        subcommands: [ProvidersCommand.self, StoreCommand.self, TransportCommand.self]
    )
}

struct ProvidersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "providers",
        abstract: "A translator against the loop by hand."
    )

    @OptionGroup var results: ResultsOptions

    func run() throws {
        let measurements = try providersBenchmark()
        for row in measurements {
            let value = "\(row.value.formatted(decimals: 1)) \(row.unit)"
            print("\(row.name): \(value), \(row.ratio.formatted(decimals: 2)) × \(row.base), \(row.samples) samples")
        }
        try results.write(measurements, suite: "providers")
    }
}
