import Cofferdam

@testable import CofferdamUpgrade

/// Units at work, sides that go wrong, and somebody who moves the stage, all at once and from one seed.
final class ChaosRun: Sendable {
    static let capability = "chaos"
    private static let units = 8
    private static let listeners = 3
    /// How many calls may be under way: of units and in the shadow, for listeners, and of those that were abandoned a few.
    static let mostAtOnce = units + listeners + 6

    let world: ChaosWorld
    let ledgers: ChaosLedgers
    private let store: any UpgradeStore
    private let control = StageControl()
    private let recorder: EvidenceRecorder
    private let engine: UpgradeEngine
    private let calls: InFlightFile
    private let watch: BreakerWatch
    private let settings: RouteSettings
    /// For those who listen: by the feed's time.
    private let listening: RouteSettings
    private let router: Router<any ChaosPort>
    private let bucketing: Bucketing
    private let plan: UpgradePlan
    private let whenProgressing: @Sendable () -> Void

    /// - Parameters:
    ///   - calls: where the candidate's calls are noted, as the process before has left it.
    ///   - whenProgressing: called after each call of a unit.
    init(
        world: ChaosWorld,
        store: any UpgradeStore,
        evidence: (any EvidenceStore)? = nil,
        backing: Backing,
        calls: InFlightFile,
        whenProgressing: @escaping @Sendable () -> Void = {}
    ) async throws {
        (self.world, ledgers, self.store, self.calls) = (world, world.ledgers, store, calls)
        self.whenProgressing = whenProgressing
        plan = try Readings.plan()
        bucketing = try Bucketing(salt: Self.capability)
        watch = try BreakerWatch(callers: Self.units) { world.report($0) }
        recorder = EvidenceRecorder(breakers: watch.breakers)
        engine = UpgradeEngine(Self.capability, plan: plan, store: store, control: control, recorder: recorder) {
            [clock = watch.clock] in
            ($0.evidenceStore, $0.calls, $0.clock) = (evidence, calls, clock)
        }
        settings = RouteSettings(
            capability: Self.capability,
            backing: backing,
            failures: ZooError.reading,
            breakers: watch.breakers,
            calls: calls,
            observer: ChaosObserver(
                recorder: recorder,
                watch: backing == .shared ? watch : nil,
                ledger: ledgers.seen
            ),
            clock: world.clock
        )
        var listening = settings
        (listening.clock, listening.executor) = (world.feed.clock, world.feed.executor)
        self.listening = listening
        router = Router(
            legacy: { try await world.open(.legacy) },
            candidate: { try await world.open(.candidate) },
            rehearsing: { try await world.open(.candidate, isRehearsing: true) }
        )
        await engine.start()
        judgeStart()
    }

    func session(of unit: String, listening isListening: Bool = false) -> (UnitSession, any ChaosPort) {
        let session = UnitSession(unit: unit, control: control, bucketing: bucketing)
        let route = router.route(for: session, settings: isListening ? listening : settings) { $0 }
        return (session, RoutedChaos(route: route, moving: world.feed.moving))
    }

    func progress() { whenProgressing() }

    /// What the process before has left is counted, and where it was once too often nobody opens the candidate.
    private func judgeStart() {
        guard let end = calls.uncleanEnd else { return }
        let state = control.state
        if calls.hasEndedTooOften, state.kill?.target != .freeze, state.stage != .legacyOnly {
            world.report("three unclean ends, and it starts at \(state.stage)")
        }
        guard end.epoch == state.epoch else { return }
        let inShadow = recorder.outcomes[.candidateFailed]
        let failed = recorder.reading(afterSeconds: 1).metrics[.candidateFailures]?.failures ?? 0
        if max(inShadow, failed) < end.calls { world.report("\(end.calls) calls never ended, counted are \(failed)") }
    }

    // MARK: Running

    /// Returns when every unit has made its calls, nothing is under way in the shadow, and everybody who listens was told the last
    /// of it.
    func run(calls: Int, seed: UInt64) async throws {
        // Nobody sleeps but by this clock, which goes on for as long as somebody works.
        let time = Task { [clock = world.clock] in
            while !Task.isCancelled {
                clock.advance(by: .seconds(1))
                await Task.yield()
            }
        }
        let tide = Task { [feed = world.feed] in
            while !Task.isCancelled {
                for _ in 0..<8 { feed.tick() }
                await Task.yield()
            }
        }
        defer {
            time.cancel()
            tide.cancel()
        }
        let heard = Log<String>()
        let listeners = (0..<Self.listeners).map { number in
            let listener = ChaosListener(name: "\(seed).\(number)", run: self, feed: world.feed, notes: ledgers.heard)
            return world.feed.executor.task {
                await listener.listen(seed: seed &+ UInt64(number) &* 104_729)
                heard.add(listener.name)
            }
        }
        try await withThrowingTaskGroup { group in
            for unit in 0..<Self.units {
                group.addTask {
                    await ChaosUnit(name: "unit \(unit)", run: self, prefix: "\(seed).\(unit)")
                        .work(calls: calls, seed: seed &+ UInt64(unit) &* 7_919)
                }
            }
            // By the feed's time: while a stage is being changed, no time goes by for a stream.
            let director = Task(executorPreference: world.feed.executor) { try await self.direct(seed: seed) }
            try await group.waitForAll()
            director.cancel()
            try await director.value
        }
        tide.cancel()
        await tide.value
        await engine.refresh()
        await settings.lane.drained()
        await endFeed(listeners, heard)
        await judgeEnd()
    }

    /// Tells everybody who listens of one thing more.
    private func endFeed(_ listeners: [Task<Void, Never>], _ heard: Log<String>) async {
        for side in Side.allCases { world.behave(side, ChaosFaults()) }
        world.feed.calm()
        for tick in 0..<20_000 {
            if heard.entries.count == listeners.count { return }
            // Again and again: who comes late, and is told nothing again, hears the next one.
            if tick % 40 == 39 { world.feed.publishLast() }
            world.feed.tick()
            for _ in 0..<10 { await Task.yield() }
        }
        world.report("of \(listeners.count) who listen only \(heard.entries) hear the end")
        for listener in listeners { listener.cancel() }
        world.feed.tick()
    }

    private func judgeEnd() async {
        for _ in 0..<1_000_000 where calls.inFlight > 0 { await Task.yield() }
        if calls.inFlight != 0 { world.report("\(calls.inFlight) calls are noted when all have ended") }
        let sampled = recorder.outcomes.sampled
        if sampled > Self.units { world.report("\(sampled) of \(Self.units) units were compared") }
        let stored = try? await store.read(Self.capability)?.routing
        if engine.status.orders.isEmpty, let stored, stored != control.state {
            world.report("the routes follow \(control.state), stored is \(stored)")
        }
    }

    // MARK: Directing

    /// Changes the stage and the faults until it is cancelled, and keeps to the log.
    private func direct(seed: UInt64) async throws {
        var dice = Dice(seed: ~seed)
        var number = 0
        while !Task.isCancelled {
            number += 1
            for side in Side.allCases where dice.roll(6) == 0 { world.behave(side, .random(&dice)) }
            watch.clock.advance(by: .seconds(dice.roll(3)))
            if dice.roll(2) == 0 { try await move(&dice, id: "\(seed).\(number)", at: Int64(number) * 1_000) }
            await engine.refresh()
            if dice.roll(8) == 0 { await engine.save() }
            if dice.roll(8) == 0 { await engine.decide() }
            if dice.roll(15) == 0 { await breakDown() }
            try? await world.feed.clock.sleep(for: .milliseconds(250 * (1 + dice.roll(40))))
        }
    }

    /// The candidate is down for so long that nobody asks it any more, where callers do.
    private func breakDown() async {
        guard [.canary, .candidateWithFallback].contains(control.state.stage().kind) else { return }
        world.behave(.candidate, .down)
        world.behave(.legacy, ChaosFaults())
        let before = watch.counts.calls
        for _ in 0..<400 where watch.counts.calls < before + 4 * watch.longest {
            try? await world.feed.clock.sleep(for: .milliseconds(250))
        }
    }

    private func move(_ dice: inout Dice, id: String, at time: Int64) async throws {
        let request = UpgradeRequest(action(&dice), by: "chaos", reason: "by chance", at: time, id: id)
        do {
            _ = try await store.carryOut(request, for: Self.capability, plan: plan)
        } catch is UpgradeRefusal {
            // Chance asks for much that may not be.
        } catch is CancellationError {
            // All have made their calls.
        }
    }

    private func action(_ dice: inout Dice) -> UpgradeAction {
        switch dice.roll(16) {
        case 0: .abort
        case 1: .rollBack(to: plan.stages[dice.roll(plan.stages.count)])
        case 2: .kill(KillSwitch.Target.allCases[dice.roll(3)])
        case 3...5: .unkill
        case 6:
            .override(operation: ["value", "events"][dice.roll(2)], stage: plan.stages[dice.roll(plan.stages.count)])
        case 7...8: .override(operation: ["value", "add", "put", "events"][dice.roll(4)], stage: nil)
        default: .advance(despiteGate: true)
        }
    }

    /// What was looked at, for people.
    var summary: String { "\(watch.counts.refusals) of \(watch.counts.calls) calls refused" }
}

/// Notes the stages that calls were made at, by epochs; of an operation that nobody gives a stage of its own.
private final class ChaosObserver: RouteObserver {
    private let recorder: EvidenceRecorder
    private let watch: BreakerWatch?
    private let ledger: Ledger
    private let noted = Mutex<Set<String>>([])

    init(recorder: EvidenceRecorder, watch: BreakerWatch?, ledger: Ledger) {
        (self.recorder, self.watch, self.ledger) = (recorder, watch, ledger)
    }

    func called(_ call: RoutedCall) {
        recorder.called(call)
        watch?.called(call)
        guard call.operation == "page" else { return }
        let isNew = noted.withLock { $0.insert("\(call.epoch) \(call.stage)").inserted }
        if isNew { ledger.add("\(call.epoch)", "\(call.stage)") }
    }

    func compared(_ comparison: ShadowComparison) { recorder.compared(comparison) }
}
