/// Measures the loadables' rows of the suite `providers`, and passes each to `report` as soon as it is ready.
func loadablesBenchmark(_ report: (Measurement) -> Void) async throws -> [Measurement] {
    var rows: [Measurement] = []
    func add(_ measurements: Measurement...) {
        for measurement in measurements { report(measurement) }
        rows += measurements
    }
    // Measured first: later, memory that others have freed would be reused.
    for row in memoryRows() { add(row) }
    for count in [1, 100, 10_000] { add(observe(count)) }
    add(try await fetchIfNeededFresh())
    add(await fetchByManyCallers())
    for count in [100, 10_000] { add(await observeByStream(count)) }
    return rows
}

extension Measurement {
    /// As ``interleaved(_:against:rounds:ours:theirs:)``, for work that suspends and reports its own duration.
    static func interleaved(
        _ name: String,
        against base: String,
        rounds: Int,
        unit: (name: String, seconds: Double),
        ours: () async throws -> Duration,
        theirs: () async throws -> Duration
    ) async rethrows -> Measurement {
        var samples: [(ours: Double, theirs: Double)] = []
        for round in 0...rounds {
            let isFirst = round.isMultiple(of: 2)
            let first = try await (isFirst ? ours() : theirs()).seconds
            let second = try await (isFirst ? theirs() : ours()).seconds
            if round == 0 { continue }  // warms up
            samples.append(isFirst ? (first, second) : (second, first))
        }
        return Measurement(
            name: name,
            value: median(samples.map(\.ours)) / unit.seconds,
            unit: unit.name,
            base: base,
            ratio: median(samples.map { $0.ours / $0.theirs }),
            samples: rounds
        )
    }
}
