import ArgumentParser
import Foundation

/// `./dev bench NAME`: prints a table, and writes Benchmarks/results/NAME.json.
@main
struct Bench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measures the kit against named bases."
    )

    enum Suite: String, ExpressibleByArgument, CaseIterable { case providers }

    @Argument(help: "Which benchmark: \(Suite.allCases.map(\.rawValue).joined(separator: ", ")).")
    var suite: Suite

    @Option(help: "The folder for the results.")
    var results = "Benchmarks/results"

    func run() throws {
        let measurements =
            switch suite {
            case .providers: try providersBenchmark()
            }
        for row in measurements {
            let value = String(format: "%.1f %@", row.value, row.unit)
            print("\(row.name): \(value), \(String(format: "%.2f", row.ratio)) × \(row.base), \(row.samples) samples")
        }
        let folder = URL(filePath: results)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(measurements).write(to: folder.appending(path: "\(suite.rawValue).json"))
    }
}
