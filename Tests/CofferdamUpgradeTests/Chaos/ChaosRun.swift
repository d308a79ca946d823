import Cofferdam
import CofferdamTesting
import TestSupport
import UpgradeTestSupport

@testable import CofferdamUpgrade

/// Units at work, failing sides and a moving stage, all at once and from one seed.
final class ChaosRun: Sendable {
    static let capability = "chaos"
    static let units = 8
    private static let listeners = 3
    /// How many calls may be in flight: those of units and in the shadow, those of listeners, and a few that timed out.
    static let mostAtOnce = units + listeners + 6

    let world: ChaosWorld
    let ledgers: ChaosLedgers
    let store: any UpgradeStore
    let control = StageControl()
    let recorder: EvidenceRecorder
    let engine: UpgradeEngine
    let calls: InFlightFile
    let watch: BreakerWatch
    let settings: RouteSettings
    /// The settings of listeners, on the feed's clock.
    private let listening: RouteSettings
    private let router: Router<any ChaosPort>
    private let bucketing: Bucketing
    let open: OpenCalls
    /// How long each kill took to take effect, by the engine's clock.
    let obeyed = Log<Duration>()
    private let plan: UpgradePlan
    private let whenProgressing: @Sendable () -> Void

    /// - Parameters:
    ///   - watching: reports changes, as the store of a fleet does.
    ///   - calls: where the candidate's calls are noted, as the previous process left it.
    ///   - whenProgressing: called after each call of a unit.
    init(
        world: ChaosWorld,
        store: any UpgradeStore,
        watching: (any UpgradeStoreWatching)? = nil,
        evidence: (any EvidenceLedger)? = nil,
        dataOwnership: DataOwnership,
        calls: InFlightFile,
        whenProgressing: @escaping @Sendable () -> Void = {}
    ) async throws {
        (self.world, ledgers, self.store, self.calls) = (world, world.ledgers, store, calls)
        self.whenProgressing = whenProgressing
        open = OpenCalls(clock: world.clock)
        plan = try Readings.plan()
        bucketing = try Bucketing(salt: Self.capability)
        watch = try BreakerWatch(callers: Self.units) { world.report($0) }
        recorder = EvidenceRecorder(breakers: watch.breakers)
        engine = UpgradeEngine(Self.capability, plan: plan, store: store, control: control, recorder: recorder) {
            [clock = watch.clock] in
            ($0.ledger, $0.calls, $0.clock) = (evidence, calls, clock)
            // The engine's own tasks run on the feed's executor too: no time passes while streams learn of another
            // stage, and no stage is set while a listener chooses its side.
            ($0.watching, $0.executor) = (watching, world.feed.executor)
        }
        settings = RouteSettings(
            capability: Self.capability,
            dataOwnership: dataOwnership,
            failures: ZooError.reading,
            breakers: watch.breakers,
            calls: calls,
            observer: ChaosObserver(
                recorder: recorder,
                watch: dataOwnership == .shared ? watch : nil,
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
            shadowCandidate: { try await world.open(.candidate, isRehearsing: true) }
        )
        await world.feed.standingStill { [engine] in await engine.start() }
        judgeStart()
    }

    func session(of unit: String, listening isListening: Bool = false) -> (UnitSession, any ChaosPort) {
        let session = UnitSession(unit: unit, control: control, bucketing: bucketing)
        let route = router.route(for: session, settings: isListening ? listening : settings) { $0 }
        return (session, RoutedChaos(port: Intercepted(source: route), handover: world.feed.handover))
    }

    /// The side on which the session's streams should be.
    func streamSide(of session: UnitSession) -> Side {
        session.streamSide(for: settings.dataOwnership == .shared ? "events" : nil).side
    }

    func progress() { whenProgressing() }

    // MARK: Running

    /// Returns when every unit has made its calls, the shadow is empty and every listener has the last event; or when
    /// it finds a call that never ends.
    func run(calls: Int, seed: UInt64) async throws {
        // Everything sleeps on this clock, which advances while there is work.
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
        let following = Task(executorPreference: world.feed.executor) { [engine] in try await engine.run() }
        defer { following.cancel() }
        let finished = Log<String>()
        let listeners = (0..<Self.listeners).map { number in
            let listener = ChaosListener(
                name: "\(seed).\(number)",
                run: self,
                feed: world.feed,
                notes: ledgers.received
            )
            return world.feed.executor.task {
                await listener.listen(seed: seed &+ UInt64(number) &* 104_729)
                finished.add(listener.name)
            }
        }
        let director = Task(executorPreference: world.feed.executor) { [self] in
            let director = ChaosDirector(
                world: world,
                store: store,
                plan: plan,
                engine: engine,
                control: control,
                watch: watch,
                obeyed: obeyed
            )
            try await director.direct(seed: seed)
        }
        let haveEnded = await work(calls: calls, seed: seed)
        director.cancel()
        try await director.value
        following.cancel()
        _ = await following.result
        tide.cancel()
        await tide.value
        guard haveEnded else { return listeners.forEach { $0.cancel() } }
        await world.feed.standingStill { [engine] in await engine.refresh() }
        await drain()
        await endFeed(listeners, finished)
        await judgeEnd()
    }

    /// - Returns: whether every call has ended.
    private func work(calls: Int, seed: UInt64) async -> Bool {
        let ended = Log<Int>()
        for unit in 0..<Self.units {
            Task {
                await ChaosUnit(name: "unit \(unit)", run: self, prefix: "\(seed).\(unit)")
                    .work(calls: calls, seed: seed &+ UInt64(unit) &* 7_919)
                ended.add(unit)
            }
        }
        while ended.entries.count < Self.units {
            for call in open.overdue {
                world.report(call)
                return false
            }
            await Task.yield()
        }
        return true
    }
}
