/// Measures the slowest hundredth of the calls in the shadow, timing each call separately. A full queue must not be
/// noticeable there either.
struct CallerPercentile {
    let scenario: RouteScenario
    private static let calls = 20_000
    private static let rounds = 40

    func measure() async throws -> Measurement {
        let (ours, theirs) = (try await scenario.port(), try await RouteScenario.direct.port())
        // The minimum of all rounds, measured with the least interference.
        var best = (ours: Double.infinity, theirs: Double.infinity)
        for round in 0...Self.rounds {
            let (first, second) = (try await Self.percentile(of: ours), try await Self.percentile(of: theirs))
            if round > 0 { best = (min(best.ours, first), min(best.theirs, second)) }
        }
        return Measurement(
            name: "\(scenario.rawValue).p99",
            value: best.ours - best.theirs,
            unit: "ns a call",
            base: "direct call's p99",
            ratio: best.ours / best.theirs,
            samples: Self.rounds
        )
    }

    /// Returns the percentile of one round, in nanoseconds.
    private static func percentile(of port: any ValuePort) async throws -> Double {
        let clock = ContinuousClock()
        var times: [Double] = []
        times.reserveCapacity(calls)
        for index in 0..<calls {
            let start = clock.now
            _ = try await port.value(index)
            times.append(start.duration(to: clock.now).seconds * 1e9)
        }
        return times.sorted()[calls * 99 / 100]
    }
}
