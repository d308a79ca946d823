import Cofferdam
import CofferdamUpgrade

/// Generates the visits of units, many at a time, and records what they received.
struct Traffic<Services: Sendable>: Sendable {
    let upgrade: RehearsedUpgrade<Services>
    let options: ScenarioOptions
    let router: RehearsedRouter<Services>
    let control: StageControl
    let settings: RouteSettings
    let bucketing: Bucketing
    let ledger: LossLedger
    let watch: WalkWatch
    let process: RehearsedProcess
    /// The followers; nil without a feed.
    let followers: Followers<Services>?
    /// The time since the rehearsal began.
    let now: @Sendable () -> Duration

    private enum Event {
        case left, appEnded
    }

    /// Runs visits. No more start once the process has crashed. Returns when all visits that started have ended.
    ///
    /// - Parameters:
    ///   - numbers: the numbers of the visits in this epoch.
    ///   - shouldContinue: called after each batch, while other visits run; returns whether more visits start.
    /// - Returns: the number after that of the last visit that started.
    /// - Throws: `CancellationError`, and errors that keep the rehearsal itself from going on, such as a mix without an
    ///   operation.
    func run(
        _ numbers: Range<Int>,
        while shouldContinue: (_ next: Int) async throws -> Bool = { _ in true }
    ) async throws -> Int {
        try await followers?.moveToTheirSides()
        let next = try await withThrowingTaskGroup(of: Event.self) { group in
            group.addTask { [process] in
                await process.ended()
                return .appEnded
            }
            let next = try await visits(numbers, &group, shouldContinue)
            group.cancelAll()
            return next
        }
        try Task.checkCancellation()
        if process.hasEnded { followers?.appEnded() }
        return next
    }

    private func visits(
        _ numbers: Range<Int>,
        _ group: inout ThrowingTaskGroup<Event, any Error>,
        _ shouldContinue: (_ next: Int) async throws -> Bool
    ) async throws -> Int {
        let pace = options.rate.map { Duration.seconds(1) / $0 }
        let epoch = control.state.epoch
        var (next, running, left) = (numbers.lowerBound, 0, 0)
        var acceptsVisits = true
        while (acceptsVisits && next < numbers.upperBound) || running > 0 {
            try Task.checkCancellation()
            if acceptsVisits, next < numbers.upperBound, running < options.inFlight {
                if let pace { try await settings.clock.sleep(for: pace) }
                let visit = Visit(seed: options.seed, epoch: epoch, number: next, options.habits)
                if let followers, options.mix.follows(visit) { try await followers.join(visit) }
                group.addTask { try await make(visit) }
                (next, running) = (next + 1, running + 1)
                continue
            }
            switch try await group.next() {
            case .left:
                (running, left) = (running - 1, left + 1)
                guard acceptsVisits, !process.hasEnded,
                    left.isMultiple(of: options.batch) || next == numbers.upperBound && running == 0
                else { continue }
                acceptsVisits = try await shouldContinue(next)
                if acceptsVisits { try await followers?.moveToTheirSides() }
            case .appEnded:
                acceptsVisits = false
                group.cancelAll()
            case nil: return next
            }
        }
        return next
    }

    /// Publishes items until all followers have received one that was published after everything else was done.
    ///
    /// - Parameter isAtRest: whether all streams are on the side where the stage wants them; if not, one more item is
    ///   published.
    func finish(isAtRest: () -> Bool) async throws {
        guard let followers else { return }
        try await followers.moveToTheirSides()
        for number in 0..<Self.maxLastItems {
            let visit = Visit(seed: options.seed, epoch: control.state.epoch, last: number)
            _ = try await make(visit) { _ in followers.feed.publish }
            do {
                try await abandoning(after: options.lastItem, on: settings.clock, executor: nil) {
                    for step in visit.steps { await followers.ledger.waitUntilAllFollowersReceive(step.key) }
                }
                if isAtRest() { return }
            } catch is TimedOut {
                continue
            }
            try await settings.clock.sleep(for: options.lastItem / Self.maxLastItems)
        }
    }

    private static var maxLastItems: Int { 10 }

    private func make(_ visit: Visit) async throws -> Event {
        try await make(visit) { step in
            guard let operation = options.mix.operation(of: step, among: upgrade.operations) else {
                throw TrafficProblem("no operation is of a kind in the mix \(options.mix)")
            }
            return operation
        }
    }

    /// Runs one visit, until the unit has left and all its answers have been compared.
    private func make(
        _ visit: Visit,
        doing operation: (VisitStep) throws -> TrafficOperation<Services>
    ) async throws -> Event {
        // All its calls are watched for their latency; the gate counts the unit once.
        let session = UnitSession(unit: visit.unit, control: control, bucketing: bucketing, watching: .max)
        var settings = settings
        // A unit leaves only when its comparisons are done, so no more units are compared at a time than there are
        // visits.
        settings.shadowQueue = ShadowQueue(capacity: Self.maxCompared)
        settings.calls = process.calls
        let user = VisitingUser(
            visit: visit,
            services: upgrade.routed(router.current, session, settings),
            traffic: self,
            since: now()
        )
        var counts = VisitCounts(visits: 1, returning: visit.isReturning ? 1 : 0)
        do {
            for var step in visit.steps {
                let operation = try operation(step)
                step.operation = operation.name
                guard user.isWaiting else { break }
                counts.operations += 1
                guard try await user.perform(operation, step) else {
                    if !process.hasEnded { counts.givenUp += 1 }
                    try await user.waitForCalls(of: session)
                    break
                }
                // Visits that run one after another are reproducible as long as nothing else runs concurrently.
                if options.inFlight == 1 { await settings.shadowQueue.drained() }
            }
        } catch {
            await settings.shadowQueue.drained()
            throw error
        }
        await settings.shadowQueue.drained()
        watch.ended(visit, counts)
        return .left
    }

    /// More than a visit produces: a dropped comparison would show nothing.
    private static var maxCompared: Int { 10_000 }
}

/// A user during a visit.
private struct VisitingUser<Services: Sendable>: Sendable {
    let visit: Visit
    let services: Services
    let traffic: Traffic<Services>
    let since: Duration

    /// The time until the user gives up; nil for a user who completes the visit.
    private var left: Duration? { visit.givesUpAfter.map { since + $0 - traffic.now() } }

    var isWaiting: Bool { left.map { $0 > .zero } ?? true }

    /// - Returns: whether the user stays.
    func perform(_ operation: TrafficOperation<Services>, _ step: VisitStep) async throws -> Bool {
        let (stage, start) = (traffic.control.state.stage(), traffic.now())
        let (left, patience) = (left, traffic.options.patience)
        var problem: (any Error)?
        do {
            try await abandoning(after: min(left ?? patience, patience), on: traffic.settings.clock, executor: nil) {
                try await VisitStep.$current.withValue(step) { try await operation.perform(services, step) }
            }
        } catch is TimedOut {
            problem = left.map { $0 < patience } ?? false ? GivenUp() : TimedOut()
        } catch {
            if !traffic.process.hasEnded { try Task.checkCancellation() }
            problem = error
        }
        // An answer that arrives after the crash is lost.
        if traffic.process.hasEnded { problem = AppEnded() }
        traffic.ledger.record(step, operation.kind, at: stage, during: start...max(start, traffic.now()), problem)
        return !(problem is GivenUp || problem is TimedOut || problem is AppEnded)
    }

    /// Waits until cancelled calls have ended: they must count before the visit ends.
    func waitForCalls(of session: UnitSession) async throws {
        for _ in 0..<Self.maxPauses where session.inFlight > 0 {
            if traffic.process.hasEnded { return }
            try await traffic.settings.clock.sleep(for: Self.pauseTime)
        }
    }

    private static var maxPauses: Int { 200 }
    private static var pauseTime: Duration { .milliseconds(5) }
}

/// The user did not wait for the call to end.
struct GivenUp: Error, CustomStringConvertible {
    var description: String { "its user gave up" }
}
