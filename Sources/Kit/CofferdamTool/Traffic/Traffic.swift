import Cofferdam
import CofferdamUpgrade

/// Makes units come by, some at a time, and keeps the ledger of what they got.
struct Traffic<Services: Sendable>: Sendable {
    let upgrade: RehearsedUpgrade<Services>
    let options: ScenarioOptions
    let router: Router<Services>
    let control: StageControl
    let settings: RouteSettings
    let bucketing: Bucketing
    let ledger: LossLedger
    let process: RehearsedProcess
    /// Nil where there is nothing to follow.
    let followers: Followers<Services>?
    /// The time since the rehearsal began.
    let now: @Sendable () -> Duration

    /// Those who would come after the process has ended do not come.
    ///
    /// - Throws: `CancellationError`, and what keeps the rehearsal itself from going on: an operation that the mix lacks.
    func run(_ numbers: Range<Int>) async throws {
        try await followers?.rest()
        try await process.live { try await visits(numbers) }
        if process.hasEnded { followers?.appEnded() }
        await settings.lane.drained()
    }

    private func visits(_ numbers: Range<Int>) async throws {
        let pace = options.rate.map { Duration.seconds(1) / $0 }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (position, number) in numbers.enumerated() {
                try Task.checkCancellation()
                if position >= options.inFlight { try await group.next() }
                if let pace { try await settings.clock.sleep(for: pace) }
                let visit = Visit(seed: options.seed, epoch: control.state.epoch, number: number)
                if let followers, options.mix.follows(visit) { try await followers.join(visit) }
                guard let operation = options.mix.operation(of: visit, among: upgrade.operations) else {
                    throw TrafficProblem("no operation is of a kind that the mix \(options.mix) has")
                }
                group.addTask { try await make(visit, operation) }
            }
            try await group.waitForAll()
        }
    }

    /// Publishes until all who follow have heard of something that came when all else was done.
    ///
    /// - Parameter isAtRest: whether all streams are where the stage wants them; if not, there is one item more.
    func finish(isAtRest: () -> Bool) async throws {
        guard let followers else { return }
        try await followers.rest()
        for number in 0..<Self.mostLastItems {
            let visit = Visit(seed: options.seed, epoch: control.state.epoch, last: number)
            try await make(visit, followers.feed.publish)
            do {
                try await abandoning(after: options.lastItem, on: settings.clock, executor: nil) {
                    await followers.ledger.everybodyHears(visit.key)
                }
                if isAtRest() { return }
            } catch is Abandoned {
                continue
            }
            try await settings.clock.sleep(for: options.lastItem / Self.mostLastItems)
        }
    }

    private static var mostLastItems: Int { 10 }

    private func make(_ visit: Visit, _ operation: TrafficOperation<Services>) async throws {
        let (stage, start) = (control.state.stage(), now())
        // Watched for the latency of all its calls; the gate counts it once.
        let session = UnitSession(unit: visit.unit, control: control, bucketing: bucketing, watching: .max)
        let services = upgrade.routed(router, session, settings)
        var problem: (any Error)?
        do {
            try await abandoning(after: options.patience, on: settings.clock, executor: nil) {
                try await operation.perform(services, visit)
            }
        } catch {
            if !process.hasEnded { try Task.checkCancellation() }
            problem = error
        }
        // Nobody hears of what comes then.
        if process.hasEnded { problem = AppEnded() }
        ledger.visited(visit, operation.name, operation.kind, at: stage, during: start...max(start, now()), problem)
    }
}

/// What keeps a rehearsal from being held.
struct TrafficProblem: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
