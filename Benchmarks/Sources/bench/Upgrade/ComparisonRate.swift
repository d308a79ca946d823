import CofferdamUpgrade

/// Measures how many calls two cores compare: each is made by a caller, sent to both sides, judged and counted.
struct ComparisonRate {
    private let control = StageControl(StageState(stage: .shadow(sample: .all), epoch: 1))
    private let shadowQueue = ShadowQueue(capacity: batch, width: 2)
    private static let batch = 1_000
    private static let units = 500

    func measure() async throws -> [Measurement] {
        let recorder = EvidenceRecorder(control.state)
        let ports = try (0..<Self.units).map {
            try RouteScenario.shadow.port("unit \($0)", control, shadowQueue, recorder)
        }
        var best = Double.infinity
        let clock = ContinuousClock()
        let rounds = 20
        for round in 0...rounds {
            let time = try await clock.measure {
                for call in 0..<Self.batch { _ = try await ports[call % Self.units].value(call) }
                await shadowQueue.drained()
            }
            if round > 0 { best = min(best, time.seconds / Double(Self.batch)) }
        }
        let compared = Double(recorder.reading(afterSeconds: 0).metrics[.comparison.includingOpenWindows]?.total ?? 0)
        guard shadowQueue.dropped == 0, compared == Double(Self.units) else { throw RouteFailure() }
        return [
            Measurement(
                name: "comparisons.perMinute",
                value: 60 / best,
                unit: "comparisons a minute",
                base: "goal",
                ratio: 60 / best / 1_000_000,
                samples: rounds
            )
        ]
    }
}
