import Cofferdam
import CofferdamUpgrade

/// Walks an upgrade under traffic from the first stage to the last one, or back, led by its engine.
struct UpgradeWalk<Services: Sendable> {
    let upgrade: RehearsedUpgrade<Services>
    let scenario: Scenario
    let options: ScenarioOptions
    /// Whether people may change the upgrade meanwhile.
    let isWatched: Bool
    let progress: @Sendable (String) -> Void
    let plan: UpgradePlan
    let control = StageControl()
    let instances: RehearsedInstances<Services>
    let traffic: Traffic<Services>
    let watch: WalkWatch
    let now: @Sendable () -> Duration
    let hours: PassedHours
    var engine: RehearsedEngine
    var report: ScenarioReport

    /// - Throws: ``GateError`` or ``BucketingError`` if the upgrade is invalid.
    init(
        _ upgrade: RehearsedUpgrade<Services>,
        _ scenario: Scenario,
        _ options: ScenarioOptions,
        isWatched: Bool = false,
        clock: some Clock<Duration>,
        progress: @escaping @Sendable (String) -> Void
    ) throws {
        let options = scenario.options(options)
        try upgrade.checkFailures()
        var gate = upgrade.gate
        gate.limit = options.limit
        // A rehearsal has no days.
        gate.shortestSeconds = 0
        gate.minimumBaselineCalls = options.baseline
        gate.expectedRates = [:]
        gate.tolerate(upgrade.expecting)
        plan = try UpgradePlan(options.stages, settings: gate)
        try plan.check(written: Metric.written.union(gate.expectedRates.keys.map(Metric.expected)))
        let expectations = Expectations(upgrade.expecting)
        let breakers = try Breakers(clock: clock)
        let process = RehearsedProcess(in: upgrade.directory)
        watch = WalkWatch(
            of: process,
            recorder: EvidenceRecorder(
                minimumBaselineCalls: options.baseline,
                expectations: expectations,
                breakers: breakers,
                key: { [limit = gate.limit] in EpochKey(stage: $0, margin: limit) },
                clock: clock
            )
        )
        let settings = RouteSettings(
            capability: upgrade.capability,
            failures: upgrade.failures,
            expectations: expectations,
            breakers: breakers,
            observer: watch,
            clock: clock
        )
        let hours = PassedHours()
        let bucketing = try Bucketing(salt: upgrade.capability)
        let instances = RehearsedInstances(upgrade) { [control] instance in
            FaultInjector(
                scenario.faulty.contains(instance) ? scenario.fault : nil,
                since: scenario.since,
                control: control,
                roundTrip: options.roundTrip,
                clock: clock,
                process: process,
                hours: hours,
                seed: options.seed,
                operation: upgrade.mostFrequentWrite,
                bucketing: bucketing,
                failure: upgrade.failure
            )
        }
        let router = RehearsedRouter(instances, watch, clock)
        let start = clock.now
        let now = { @Sendable in start.duration(to: clock.now) }
        var streaming = settings
        streaming.clock = ScaledClock(clock, times: options.streamPace)
        traffic = Traffic(
            upgrade: upgrade,
            options: options,
            router: router,
            control: control,
            settings: settings,
            bucketing: bucketing,
            ledger: LossLedger(failures: upgrade.failures),
            watch: watch,
            process: process,
            followers: upgrade.feed.map { [control] feed in
                Followers(
                    feed,
                    upgrade,
                    router,
                    control,
                    streaming,
                    bucketing,
                    process,
                    capacity: options.followers,
                    now: now
                )
            },
            now: now
        )
        self.instances = instances
        (self.now, self.hours) = (now, hours)
        engine = RehearsedEngine(
            upgrade.capability,
            plan,
            control,
            watch.recorder,
            process,
            beginning: isWatched ? WallTime.now() : Self.firstDay,
            hours: hours,
            now: now
        )
        self.isWatched = isWatched
        self.upgrade = upgrade
        self.scenario = scenario
        self.options = options
        self.progress = progress
        report = ScenarioReport(scenario, options, plan: plan)
    }

    /// In milliseconds since 1970: visits are counted by hours after that.
    private static var firstDay: Int64 { 86_400_000 }

    mutating func run() async throws -> ScenarioReport {
        do {
            try await engine.start()
            try await walk()
            try await traffic.finish { streamsAreAtRest }
            traffic.followers?.close()
            report.streams = streams
            let published = traffic.ledger.published
            let lost =
                try await traffic.followers?.losses(published: published, delay: options.followingDelay) ?? []
            report.lost = traffic.ledger.settled(by: try await upgrade.written(), lost)
            try checkFault()
        } catch {
            traffic.followers?.close()
            await instances.close()
            throw error
        }
        await instances.close()
        report.calls = report.counts.operations
        report.seconds = now().inSeconds
        report.log = try await engine.log(last: .max).reversed()
        return report
    }

    /// - Throws: `TrafficProblem` if the scenario could not make a side wrong, and therefore has shown nothing.
    private func checkFault() throws {
        guard case .wrong = scenario.fault, report.outcome != .rolledBack, !instances.haveSpoiled else { return }
        throw TrafficProblem(
            "scenario \(scenario.name) changed no value: say in the port's table what a wrong one looks like, with spoiled(by:)"
        )
    }

    private var streams: ScenarioReport.Streams? {
        guard let counts = traffic.followers?.ledger.counts else { return nil }
        func subscribed(_ instance: RehearsedInstance) -> Int { instances.streams(of: instance)?.opened ?? 0 }
        return ScenarioReport.Streams(
            followed: counts.streams,
            items: counts.items,
            subscriptions: ["legacy": subscribed(.legacy), "candidate": subscribed(.candidate)]
        )
    }

    /// Whether no stream is left on a side that the stage no longer uses for streams.
    private var streamsAreAtRest: Bool {
        let left: RehearsedInstance? =
            switch control.state.stage().side {
            case .legacy: .candidate
            case .candidate: .legacy
            case nil: nil
            }
        return left.flatMap(instances.streams)?.open ?? 0 == 0
    }
}

extension RehearsedUpgrade {
    /// - Throws: `TrafficProblem` if an error that was made for a meaning is classified as another one.
    fileprivate func checkFailures() throws {
        for meaning in [FailureMeaning.answer, .unsent, .outcomeUnknown] {
            let read = failures.meaning(failure(meaning))
            guard read == meaning else {
                throw TrafficProblem("an error that should mean \(meaning.rawValue) is classified as \(read.rawValue)")
            }
        }
    }

    fileprivate var mostFrequentWrite: String? {
        operations.filter { $0.kind == .write }.max { $0.weight < $1.weight }?.name
    }
}
