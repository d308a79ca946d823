import CofferdamUpgrade

/// Measures the caller's cost of a place in the shadow's queue at its usual length. The queue is filled while one job
/// blocks it, and emptied outside the measured time: a queue that only grew would measure memory allocation.
struct WaitingShadow {
    private let held = HeldPort()
    private let shadowQueue = ShadowQueue(capacity: length, width: 1)
    private static let length = 64
    private static let rounds = 4_000

    func measure() async throws -> Measurement {
        let control = StageControl(StageState(stage: .shadow(sample: .all)))
        let ours = try RouteScenario.shadow.port("unit", control, shadowQueue, candidate: held)
        let theirs = try await RouteScenario.direct.port()
        var samples: [(ours: Double, theirs: Double)] = []
        for round in 0...Self.rounds {
            let (first, second) = (try await filling(ours), try await filling(theirs))
            if round > 0 { samples.append((first, second)) }
        }
        guard shadowQueue.dropped == 0 else { throw RouteFailure() }
        return Measurement.added(by: RouteScenario.shadow.rawValue, samples, calls: Self.length)
    }

    /// In seconds.
    private func filling(_ port: any ValuePort) async throws -> Double {
        held.hold()
        // This call runs, and all later ones wait.
        _ = try await port.value(0)
        let time = try await ContinuousClock().measure {
            for index in 0..<Self.length { _ = try await port.value(index) }
        }
        held.release()
        await shadowQueue.drained()
        return time.seconds
    }
}
