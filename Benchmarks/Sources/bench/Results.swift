import ArgumentParser
import Foundation

/// The destination of a suite's rows.
struct ResultsOptions: ParsableArguments {
    @Option(help: "The folder for the results.")
    var results = "Benchmarks/results"

    func write(_ measurements: [Measurement], suite: String) throws {
        let folder = URL(filePath: results)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Self.encode(measurements).write(to: folder.appending(path: "\(suite).json"))
    }

    static func encode(_ measurements: [Measurement]) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return try encoder.encode(measurements)
    }
}

extension Double {
    func formatted(decimals: Int) -> String { String(format: "%.\(decimals)f", self) }
}
