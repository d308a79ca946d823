import ArgumentParser

struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "The store's costs against how much there is, in microseconds and bytes, beside their limits."
    )

    @OptionGroup var results: ResultsOptions
    @Option(help: "The largest number of listeners and models; ten times as many in a collection.")
    var largest = 100_000

    func run() async throws {
        var rows: [Measurement] = []
        let sizes = [100, 1000, 10_000, 100_000, 1_000_000]
        // Measured first, so that no freed memory is reused.
        rows += storeMemoryRows()
        for size in sizes where size <= min(largest, 100_000) {
            rows += await StoreListeners(size: size).rows()
            rows.append(StoreCollections.difference(size))
        }
        rows.append(StoreCollections.shared())
        for size in sizes where size <= largest * 10 { rows += StoreCollections.oneElement(of: size) }
        rows += try await StoreCacheBench(size: largest).run()
        limit(&rows)
        for row in rows { print(row.line) }
        try results.write(rows, suite: "store")
    }

    /// Some limits are other rows' values.
    private func limit(_ rows: inout [Measurement]) {
        let values = Dictionary(rows.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        for index in rows.indices {
            let parts = rows[index].name.split(separator: ".")
            switch parts[0] {
            case "distinct": rows[index].limit = 3
            case "paused", "waiting": rows[index].limit = values["distinct.\(parts[1])"].map { 1.5 * $0 }
            default: rows[index].limit = Self.limits[rows[index].name]
            }
            if rows[index].name == "collection.1000000" { rows[index].limit = values["collection.100"].map { 4 * $0 } }
        }
    }

    private static let limits: [String: Double] = [
        "fanout.10000": 500, "fanout.100000": 5000, "sequence.10000": 15_000, "register.10000": 15_000,
        "unregister.10000": 10_000, "collection.100000": 15, "collection.100000.p99": 50, "shared.1000": 10,
        "difference.100000": 100_000, "memory.perListener": 200, "memory.perNode": 350, "memory.perEdge": 24,
    ]
}

extension Measurement {
    /// Returns a row with the median of the times, in microseconds.
    static func median(_ name: String, _ times: [Duration]) -> Measurement {
        row(name, median(times.map(\.microseconds)), "us", samples: times.count)
    }

    /// Returns a row that is compared with a limit, if any.
    static func row(_ name: String, _ value: Double, _ unit: String, samples: Int) -> Measurement {
        Measurement(name: name, value: value, unit: unit, base: "", ratio: 1, samples: samples)
    }

    fileprivate var line: String {
        var line = "\(name): \(value.formatted(decimals: 2)) \(unit)"
        if let limit { line += " (limit \(limit.formatted(decimals: 2)))\(value > limit ? ", MISSED" : "")" }
        if !base.isEmpty { line += ", \(ratio.formatted(decimals: 2)) × \(base)" }
        return line + ", \(samples) samples"
    }
}

extension Duration {
    var microseconds: Double { seconds * 1e6 }
}
