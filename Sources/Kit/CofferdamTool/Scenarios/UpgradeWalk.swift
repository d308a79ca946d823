import Cofferdam
import CofferdamUpgrade

/// Walks an upgrade from the first stage to the last one, or back, under traffic, as its engine leads it.
struct UpgradeWalk<Services: Sendable> {
    private let upgrade: RehearsedUpgrade<Services>
    private let scenario: Scenario
    private let options: ScenarioOptions
    private let progress: ToolProgress
    private let plan: UpgradePlan
    private let control = StageControl()
    private let instances: RehearsedInstances<Services>
    private let traffic: Traffic<Services>
    private let watch: WalkWatch
    private let now: @Sendable () -> Duration
    private var engine: RehearsedEngine
    private var report: ScenarioReport

    /// - Throws: ``GateError``, ``BucketingError`` for what no upgrade can be.
    init(
        _ upgrade: RehearsedUpgrade<Services>,
        _ scenario: Scenario,
        _ options: ScenarioOptions,
        clock: some Clock<Duration>,
        progress: ToolProgress
    ) throws {
        var gate = upgrade.gate
        gate.limit = options.limit
        gate.fewestForBaseline = options.baseline
        gate.expectedRates = Dictionary(
            upgrade.expecting.map { ($0.difference.id, $0.rate) },
            uniquingKeysWith: { first, _ in first }
        )
        plan = try UpgradePlan(options.stages, settings: gate)
        try plan.check(written: Metric.written.union(gate.expectedRates.keys.map(Metric.expected)))
        let expectations = Expectations(upgrade.expecting)
        let breakers = try Breakers(clock: clock)
        watch = WalkWatch(
            recorder: EvidenceRecorder(
                fewestForBaseline: options.baseline,
                expectations: expectations,
                breakers: breakers,
                key: { [limit = gate.limit] in EpochKey(stage: $0, margin: limit) }
            )
        )
        let process = RehearsedProcess(in: upgrade.directory)
        let settings = RouteSettings(
            capability: upgrade.capability,
            failures: upgrade.failures,
            // All of a batch finds a place: what is dropped says nothing.
            lane: ShadowLane(capacity: options.batch * 64, width: options.inFlight),
            expectations: expectations,
            breakers: breakers,
            calls: process,
            observer: watch,
            clock: clock
        )
        let instances = RehearsedInstances(upgrade) { [control] instance in
            FaultInjector(
                scenario.faulty.contains(instance) ? scenario.fault : nil,
                since: scenario.since,
                control: control,
                roundTrip: options.roundTrip,
                clock: clock,
                process: process,
                seed: options.seed,
                failure: upgrade.failure
            )
        }
        let router = Router(
            legacy: { try await instances.services(of: .legacy) },
            candidate: { try await instances.services(of: .candidate) },
            rehearsing: { try await instances.services(of: .rehearsing) }
        )
        let bucketing = try Bucketing(salt: upgrade.capability)
        var streaming = settings
        streaming.clock = QuickClock(clock, times: options.streamPace)
        traffic = Traffic(
            upgrade: upgrade,
            options: options,
            router: router,
            control: control,
            settings: settings,
            bucketing: bucketing,
            ledger: LossLedger(failures: upgrade.failures),
            process: process,
            followers: upgrade.feed.map { [control] feed in
                Followers(feed, upgrade, router, control, streaming, bucketing, most: options.followers)
            }
        )
        self.instances = instances
        let start = clock.now
        let now = { @Sendable in start.duration(to: clock.now) }
        self.now = now
        engine = RehearsedEngine(upgrade.capability, plan, control, watch.recorder, process, clock: clock, now: now)
        self.upgrade = upgrade
        self.scenario = scenario
        self.options = options
        self.progress = progress
        report = ScenarioReport(scenario, options, plan: plan)
    }

    mutating func run() async throws -> ScenarioReport {
        do {
            try await engine.start()
            try await walk()
            try await traffic.finish { [control, instances] in
                Self.streamsAreAtRest(instances, at: control.state.stage())
            }
            await traffic.followers?.close()
            report.streams = streams
            let lost = try await traffic.followers?.losses() ?? []
            report.lost = traffic.ledger.settled(by: try await upgrade.written(), lost)
        } catch {
            await traffic.followers?.close()
            await instances.close()
            throw error
        }
        await instances.close()
        report.calls = traffic.ledger.calls
        report.seconds = now().inSeconds
        report.log = try await engine.log(last: .max).reversed()
        return report
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

    /// Whether no stream is on a side that the stage does not open any more.
    private static func streamsAreAtRest(_ instances: RehearsedInstances<Services>, at stage: Stage) -> Bool {
        let left: RehearsedInstance? =
            switch stage.side {
            case .legacy: .candidate
            case .candidate: .legacy
            case nil: nil
            }
        return left.flatMap(instances.streams)?.open ?? 0 == 0
    }

    // MARK: Stage by stage

    private mutating func walk() async throws {
        while report.outcome == nil {
            let stage = control.state.stage
            var run = ScenarioReport.StageRun(stage, epoch: control.state.epoch, startedAt: now().inSeconds)
            let budget = try StageBudget(at: stage, of: plan, compared: compared)
            run.needs = budget.need
            watch.startEpoch()
            progress.show("\(scenario.name): \(stage), opening what it needs")
            try await instances.open(for: stage)
            let ending = try await stay(&run, budget.most)
            run.end(at: now().inSeconds, watch.latencies)
            report.stages.append(run)
            switch ending {
            case .nextStage: break
            case .end(let outcome): report.outcome = outcome
            case .sentBack:
                try await goOn(after: run, "rolled back")
                report.outcome = .rolledBack
            case .killed:
                let before = traffic.ledger.loss
                try await goOn(after: run, "rescued")
                report.outcome = traffic.ledger.loss == before ? .rescued : .stuck
            }
        }
    }

    /// How the stay at a stage ends.
    private enum Ending {
        case nextStage, sentBack, killed
        case end(ScenarioOutcome)
    }

    /// Counts at one stage until something is decided.
    private mutating func stay(_ run: inout ScenarioReport.StageRun, _ most: Int) async throws -> Ending {
        while run.visits < most {
            let next = min(run.visits + options.batch, most)
            try await traffic.run(run.visits..<next)
            run.visits = next
            show(run, of: most)
            if let ending = try await crashed(&run) { return ending }
            if let ending = try await killed(&run) { return ending }
            if let ending = try await decided(&run) { return ending }
        }
        switch run.stage {
        case options.stages.first:
            run.verdict = "a person advances"
            run.why = "what the old side does is known"
            try await engine.advance(run.why)
            return .nextStage
        case options.stages.last:
            run.verdict = "arrived"
            return .end(.arrived)
        default:
            run.verdict = "no decision"
            return .end(.stuck)
        }
    }

    /// Has the gate asked, and what it says done; nil while it holds.
    private mutating func decided(_ run: inout ScenarioReport.StageRun) async throws -> Ending? {
        guard let decision = try await engine.decide() else { return nil }
        run.saw(decision, at: now().inSeconds)
        if decision.verdict == .hold { return nil }
        run.decided(decision)
        report.decisions.append(decision)
        return switch decision.verdict {
        case .hold: nil
        case .promote: .nextStage
        case .undecided: .end(.stuck)
        case .rollBack: .sentBack
        }
    }

    /// Where the app has ended, its next process begins; nil unless the upgrade was aborted by that.
    private mutating func crashed(_ run: inout ScenarioReport.StageRun) async throws -> Ending? {
        guard traffic.process.hasEnded else { return nil }
        let calls = try await engine.start()
        report.uncleanEnds.append(.init(stage: run.stage, seconds: now().inSeconds, calls: calls))
        guard control.state.stage != run.stage, let entry = try await engine.log(last: 1).first else { return nil }
        run.verdict = entry.request.action.name
        run.why = entry.request.reason
        return .sentBack
    }

    /// Where most of what the old side is asked fails, a person does not wait for a gate that judges the new side.
    private func killed(_ run: inout ScenarioReport.StageRun) async throws -> Ending? {
        guard let share = watch.takeBatch(of: .legacy).rate, share >= 0.5 else { return nil }
        run.verdict = "kill switch to candidate"
        run.why = "\(Int((share * 100).rounded())) % of the old side's calls fail"
        try await engine.kill(.candidate, run.why)
        return .killed
    }

    /// After the end: users go on, on the side that was left.
    private mutating func goOn(after last: ScenarioReport.StageRun, _ verdict: String) async throws {
        var run = ScenarioReport.StageRun(
            control.state.stage(),
            epoch: control.state.epoch,
            startedAt: now().inSeconds
        )
        watch.startEpoch()
        // A kill switch begins no epoch: the same visits again would write the same twice.
        try await traffic.run(last.visits..<last.visits + options.batch * 2)
        run.visits = options.batch * 2
        run.verdict = verdict
        run.end(at: now().inSeconds, watch.latencies)
        report.rest = run
    }

    /// What is read is compared, of a walk its first page.
    private var compared: Double { options.mix.share(of: [.read, .walk], among: upgrade.operations) }

    private func show(_ run: ScenarioReport.StageRun, of most: Int) {
        let share = run.points.last.map { ", evidence \(Int(max(0, $0.promotion) * 100)) %" } ?? ""
        progress.show("\(scenario.name): \(run.stage), visit \(run.visits) of at most \(most)\(share)")
    }
}

extension Decision {
    /// In one line.
    var why: String { reasons.first?.description ?? verdict.rawValue }
}

extension Duration {
    var inSeconds: Double { self / .seconds(1) }
}
