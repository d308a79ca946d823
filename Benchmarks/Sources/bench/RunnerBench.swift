import ArgumentParser
import CofferdamContracts

struct RunnerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "runner",
        abstract: "What the contract's runner adds to each rule on each adapter, against the rule's body by hand."
    )

    @OptionGroup var results: ResultsOptions

    func run() async throws {
        let measurement = try await runnerBenchmark()
        print(
            "\(measurement.name): \(measurement.value.formatted(decimals: 4)) \(measurement.unit), "
                + "\(measurement.ratio.formatted(decimals: 1)) × \(measurement.base), \(measurement.samples) samples"
        )
        try results.write([measurement], suite: "runner")
    }
}

/// Runs empty rules on empty adapters, so that only the runner's own cost remains.
private func runnerBenchmark(rules count: Int = 80, adapters: Int = 3, rounds: Int = 21) async throws -> Measurement {
    let body: @Sendable (Int) async throws -> [Violation] = { _ in [] }
    let rules = (0..<count).map { number in
        Rule<Int>(RuleID(rawValue: "bench/EMPTY-\(number + 10)"), "nothing") { subject, _ in try await body(subject) }
    }
    let adapters = (0..<adapters).map { number in AdapterUnderTest(name: "\(number)") { number } }
    let cases = Double(rules.count * adapters.count)
    let (clock, runner) = (ContinuousClock(), ContractRunner(rules: rules, adapters: adapters))
    var samples: [(ours: Double, theirs: Double)] = []
    for round in 0...rounds {
        let ours = try await clock.measure {
            let report = await runner.run()
            guard report.isGreen else { throw NotGreen(problems: report.problems) }
        }
        let theirs = try await clock.measure {
            for adapter in adapters {
                for _ in rules { _ = try await body(adapter.open()) }
            }
        }
        // The first round warms up.
        if round > 0 { samples.append((ours.seconds * 1000 / cases, theirs.seconds * 1000 / cases)) }
    }
    return Measurement(
        name: "runner.case",
        value: Measurement.median(samples.map(\.ours)),
        unit: "ms",
        base: "the body by hand",
        ratio: Measurement.median(samples.map { $0.ours / $0.theirs }),
        samples: rounds
    )
}

private struct NotGreen: Error {
    var problems: [String]
}
