import CofferdamUpgrade

/// What a caller pays for a place in the shadow's queue of the usual length. It is filled while one job holds it up, and emptied
/// again outside of the time that counts: a queue that only grew would measure how new memory is had.
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
        return Measurement.added(by: .shadow, samples, calls: Self.length)
    }

    /// In seconds.
    private func filling(_ port: any ValuePort) async throws -> Double {
        held.hold()
        // It runs, and all that follow wait.
        _ = try await port.value(0)
        let time = try await ContinuousClock().measure {
            for index in 0..<Self.length { _ = try await port.value(index) }
        }
        held.release()
        await shadowQueue.drained()
        return time.seconds
    }
}
