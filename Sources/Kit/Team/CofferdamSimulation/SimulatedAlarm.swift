import Cofferdam
package import CofferdamSupport
package import CofferdamGate

/// Traffic in which a side begins to fail after its users were counted, or only seems to.
package enum AlarmScenario: String, Sendable, Hashable, Codable, CaseIterable, CodingKeyRepresentable {
    /// After three hours every call of the candidate fails.
    case breaksForAll
    /// On the second day one operation fails for all its callers.
    case breaksOneOperation
    /// After three hours the candidate fails for 2 % of the units.
    case breaksForTwoPercent
    /// At a canary, 30 % of the units of both sides fail for two hours, twice a day.
    case sharedOutage
    /// A good candidate, with a tenth of the traffic for eight hours of each day.
    case night
    /// Every hour the same few units fail, more than the limit allows in one hour.
    case alwaysFailingUsers
    /// A good candidate.
    case good

    /// Whether the alarm must ring.
    package var breaks: Bool {
        switch self {
        case .breaksForAll, .breaksOneOperation, .breaksForTwoPercent: true
        case .sharedOutage, .night, .alwaysFailingUsers, .good: false
        }
    }
}

/// Simulates the alarm: how soon it rings, and how often falsely.
package struct SimulatedAlarm: Sendable {
    /// What the alarm did in the runs of one scenario.
    package struct Result: Sendable, Hashable, Codable {
        package var runs = 0
        /// The runs in which it rang after the break; without one, the runs in which it rang.
        package var alarms = 0
        /// The median number of the candidate's failing units between the break and the alarm; nil without one.
        package var medianUnits: Int?
        package var falseAlarmsPerYear = 0.0
        package var falseAlarms = 0
        /// The simulated hours in which nothing was broken.
        package var quietHours = 0

        package init() {}
    }

    /// 80,000 units a day.
    package static let unitsOfHour = 80_000 / 24
    private static let quietHours = 3 * 24
    private static let hoursOfYear = 8_766.0
    private static let giveUpAfter = 48

    private let scenario: AlarmScenario
    private let settings: GateSettings
    private let gate: Gate
    private let world = SimulatedWorld()
    private let baseline: LegacyBaseline

    /// - Throws: ``GateError`` for settings without a valid plan.
    package init(_ scenario: AlarmScenario, settings: GateSettings) throws {
        (self.scenario, self.settings) = (scenario, settings)
        var random = SplitMix64(seed: 0)
        baseline = world.baseline([:], &random)
        let stage = scenario == .sharedOutage ? Stage.canary(share: 2000) : .candidateOnly
        let stages: [Stage] = [.legacyOnly, .canary(share: 2000), .candidateOnly]
        gate = try UpgradePlan(stages, settings: settings).attempt(1, against: baseline).gate(at: stage)
    }

    /// Runs the scenario; each run is three days, or ends soon after the break.
    package func result(runs: Int, _ random: inout SplitMix64) throws -> Result {
        var result = Result()
        var units: [Int] = []
        for _ in 0..<runs {
            try Task.checkCancellation()
            let run = scenario == .alwaysFailingUsers ? failingUsers(&random) : run(&random)
            result.runs += 1
            result.quietHours += run.quietHours
            result.falseAlarms += run.isFalse ? 1 : 0
            if run.unitsToAlarm != nil || run.isFalse && !scenario.breaks { result.alarms += 1 }
            if let found = run.unitsToAlarm { units.append(found) }
        }
        if !units.isEmpty { result.medianUnits = units.sorted()[(units.count - 1) / 2] }
        result.falseAlarmsPerYear = Double(result.falseAlarms) / Double(max(1, result.quietHours)) * Self.hoursOfYear
        return result
    }

    private struct Run {
        var quietHours = 0
        var isFalse = false
        /// The candidate's failing units since the break.
        var unitsToAlarm: Int?
    }

    // MARK: Rates

    private func run(_ random: inout SplitMix64) -> Run {
        var run = Run()
        var hours: [VisitCounts] = []
        let breaksAt: Int? =
            switch scenario {
            case .breaksForAll, .breaksForTwoPercent: 3
            case .breaksOneOperation: 24
            case .sharedOutage, .night, .alwaysFailingUsers, .good: nil
            }
        for hour in 0..<(breaksAt ?? Self.quietHours) {
            hours.append(visits(hour, units(at: hour), isBroken: false, &random))
            run.quietHours += 1
            guard !rings(hours) else {
                run.isFalse = true
                return run
            }
        }
        guard let breaksAt else { return run }
        var failing = 0
        for hour in breaksAt..<(breaksAt + Self.giveUpAfter) {
            var current = VisitCounts(hour: Int64(hour), [:])
            hours.append(current)
            // So many units at a time that one of them fails, in the mean.
            let step = scenario == .breaksForTwoPercent ? 50 : 1
            for _ in 0..<(units(at: hour) / step) {
                let more = visits(hour, step, isBroken: true, &random)
                current.metrics.merge(more.metrics) { $0 + $1 }
                failing += more.metrics[.newly(.failed, on: .candidate)]?.failures ?? 0
                hours[hours.count - 1] = current
                guard !rings(hours) else {
                    run.unitsToAlarm = failing
                    return run
                }
            }
        }
        return run
    }

    private func rings(_ hours: [VisitCounts]) -> Bool {
        var reading = GateReading(stage: gate.stage, metrics: [:])
        baseline.add(to: &reading.metrics)
        reading.hours = Array(hours.suffix(48))
        return gate.rings(on: reading)
    }

    private func units(at hour: Int) -> Int {
        scenario == .night && hour % 24 < 8 ? Self.unitsOfHour / 10 : Self.unitsOfHour
    }

    private func visits(_ hour: Int, _ units: Int, isBroken: Bool, _ random: inout SplitMix64) -> VisitCounts {
        var metrics: [Metric: FailureCounts] = [:]
        let good = settings.limit * settings.targetPart
        let isOut = scenario == .sharedOutage && hour % 12 < 2
        for side in sides {
            let units = random.binomial(units, side.share)
            let callers = world.callers(of: units, &random)
            var failed = 0
            for (place, operation) in world.operations.enumerated() {
                let rate =
                    switch scenario {
                    case _ where isOut: 0.3
                    case .breaksForAll where isBroken: 1.0
                    case .breaksForTwoPercent where isBroken: 0.02
                    case .breaksOneOperation where isBroken && operation.name == "order": 1.0
                    default: good
                    }
                let own = random.binomial(callers[place], rate)
                failed = max(failed, own)
                metrics[.newly(.failed, on: side.side).of(operation.name)] = FailureCounts(own, of: callers[place])
            }
            // In a break the failing callers are the failing units.
            let count = isBroken ? failed : random.binomial(units, isOut ? 0.3 : good)
            metrics[.newly(.failed, on: side.side)] = FailureCounts(min(units, count), of: units)
        }
        return VisitCounts(hour: Int64(hour), metrics)
    }

    private var sides: [(side: Side, share: Double)] {
        gate.stage == .candidateOnly ? [(.candidate, 1)] : [(.legacy, 0.8), (.candidate, 0.2)]
    }

    // MARK: Units

    /// Half a percent of the units fail every hour, as counted by real counters: each is one failure.
    private func failingUsers(_ random: inout SplitMix64) -> Run {
        var run = Run()
        var evidence = EpochEvidence(EpochKey(stage: gate.stage), baseline: baseline)
        let (users, days) = (400, 2)
        let broken = Set((0..<2).map { _ in Int.random(in: 0..<users, using: &random) })
        for hour in 1...(days * 24) {
            for user in 0..<users where broken.contains(user) || random.uniform() < 0.5 {
                let isFailed = broken.contains(user)
                evidence.record(
                    isFailed ? .failed : .answered,
                    by: .candidate,
                    of: "search",
                    unit: "unit \(user)",
                    in: Int64(hour),
                    at: .seconds(hour * 3_600)
                )
            }
            run.quietHours += 1
            guard !rings(evidence.reading(afterSeconds: 0).hours ?? []) else {
                run.isFalse = true
                return run
            }
        }
        return run
    }
}
