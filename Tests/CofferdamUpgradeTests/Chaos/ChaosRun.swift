import Cofferdam
import CofferdamUpgrade
import Testing

/// Units at work, sides that go wrong, and somebody who moves the stage, all at once and from one seed.
final class ChaosRun: Sendable {
    let world: ChaosWorld
    let ledgers: ChaosLedgers
    let store: any UpgradeStore
    let capability = "chaos"
    private let control: StageControl
    private let recorder: EvidenceRecorder
    private let settings: RouteSettings
    private let router: Router<any ChaosPort>
    private let bucketing: Bucketing
    private let plan: UpgradePlan
    private let seen: SeenStages
    private let whenProgressing: @Sendable () -> Void

    /// - Parameter whenProgressing: called after each call of a unit.
    init(
        world: ChaosWorld,
        ledgers: ChaosLedgers,
        store: any UpgradeStore,
        backing: Backing,
        whenProgressing: @escaping @Sendable () -> Void = {}
    ) async throws {
        (self.world, self.ledgers, self.store) = (world, ledgers, store)
        self.whenProgressing = whenProgressing
        plan = try Readings.plan()
        bucketing = try Bucketing(salt: capability)
        let stored = try await store.read(capability)
        control = StageControl(stored?.routing ?? StageState())
        recorder = EvidenceRecorder(control.state)
        seen = SeenStages(recorder: recorder, ledger: ledgers.seen)
        settings = RouteSettings(
            capability: capability,
            backing: backing,
            failures: ZooError.reading,
            observer: seen,
            clock: world.clock
        )
        router = Router(
            legacy: { ChaosVendor(side: .legacy, world: world) },
            candidate: { ChaosVendor(side: .candidate, world: world) },
            rehearsing: { ChaosVendor(side: .candidate, isRehearsing: true, world: world) }
        )
    }

    func session(of unit: String) -> (UnitSession, any ChaosPort) {
        let session = UnitSession(unit: unit, control: control, bucketing: bucketing)
        return (session, RoutedChaos(route: router.route(for: session, settings: settings) { $0 }))
    }

    func progress() { whenProgressing() }

    /// Returns when every unit has made its calls, and nothing is under way in the shadow.
    func run(units: Int, calls: Int, seed: UInt64) async throws {
        // Nobody sleeps but by this clock, which goes on for as long as somebody works.
        let time = Task { [clock = world.clock] in
            while !Task.isCancelled {
                clock.advance(by: .seconds(1))
                await Task.yield()
            }
        }
        defer { time.cancel() }
        try await withThrowingTaskGroup { group in
            for unit in 0..<units {
                group.addTask {
                    await ChaosUnit(name: "unit \(unit)", run: self, prefix: "\(seed).\(unit)")
                        .work(calls: calls, seed: seed &+ UInt64(unit) &* 7_919)
                }
            }
            let director = Task { try await self.direct(seed: seed) }
            try await group.waitForAll()
            director.cancel()
            try await director.value
        }
        await settings.lane.drained()
    }

    /// Changes the stage and the faults until it is cancelled, and keeps to the log.
    private func direct(seed: UInt64) async throws {
        var dice = Dice(seed: ~seed)
        var number = 0
        while !Task.isCancelled {
            number += 1
            for side in Side.allCases where dice.roll(3) == 0 { world.behave(side, .random(&dice)) }
            let request = UpgradeRequest(
                action(&dice),
                by: "chaos",
                reason: "by chance",
                at: Int64(number) * 1_000,
                id: "\(seed).\(number)"
            )
            do {
                control.follow(try await store.carryOut(request, for: capability, plan: plan).routing)
            } catch is UpgradeRefusal {
                // Chance asks for much that may not be.
            } catch is CancellationError {
                return
            }
            for _ in 0..<dice.roll(40) { await Task.yield() }
        }
    }

    private func action(_ dice: inout Dice) -> UpgradeAction {
        switch dice.roll(16) {
        case 0: .abort
        case 1: .rollBack(to: plan.stages[dice.roll(plan.stages.count)])
        case 2: .kill(KillSwitch.Target.allCases[dice.roll(3)])
        case 3...5: .unkill
        case 6: .override(operation: "value", stage: plan.stages[dice.roll(plan.stages.count)])
        case 7: .override(operation: ["value", "add", "put"][dice.roll(3)], stage: nil)
        default: .advance(despiteGate: true)
        }
    }

    // MARK: The oracle

    /// What must not be and was, of everything that stands in the ledgers, whichever process wrote it.
    func violations() async throws -> [String] {
        var found = world.reported + (try writes()) + (try await log())
        let state = try await store.read(capability)?.routing ?? StageState()
        if state != control.state { found.append("the routes follow \(control.state), stored is \(state)") }
        return found
    }

    private func writes() throws -> [String] {
        var told: [String: String] = [:]
        for line in try ledgers.notes.lines() where line.count == 3 { told[line[0] + " " + line[1]] = line[2] }
        var done: [String: [String]] = [:]
        for line in try ledgers.backend.lines() where line.count == 3 {
            done[line[0] + " " + line[1], default: []].append(line[2])
        }
        var found: [String] = []
        for (write, sides) in done {
            let mayRepeat = write.hasPrefix("put")
            if told[write] == nil { found.append("\(write) was done, and nobody asked for it") }
            if sides.count > 1, !mayRepeat { found.append("\(write) was done \(sides.count) times: \(sides)") }
            if told[write] == "not" {
                found.append("\(write) was done by \(sides), and its caller told that it was not")
            }
        }
        for (write, word) in told where word == "done" && done[write] == nil {
            found.append("\(write) is lost: its caller was told that it is done")
        }
        return found
    }

    /// Each line goes on where the one before it ended, and whatever a call was made at stands there.
    private func log() async throws -> [String] {
        let entries = try await store.history(of: capability, last: .max).reversed().map(\.self)
        var found: [String] = []
        var stages: [Int: Stage] = [0: .legacyOnly]
        for (entry, next) in zip(entries, entries.dropFirst()) where entry.after != next.before {
            found.append("the log has a hole between \(entry.id) and \(next.id)")
        }
        for entry in entries { stages[entry.after.epoch] = entry.after.stage }
        for line in try ledgers.seen.lines() where line.count == 2 {
            // A kill switch sends to the ends, in whichever epoch.
            let logged = Int(line[0]).flatMap { stages[$0]?.rawValue }
            let isLogged = logged.map { [$0, "legacyOnly", "candidateOnly"].contains(line[1]) } ?? false
            if !isLogged {
                found.append("a call of epoch \(line[0]) at \(line[1]), and the log has \(logged ?? "none")")
            }
        }
        return found
    }

    /// Units that were counted more than once.
    func overcounted(units: Int) -> [String] {
        let sampled = recorder.outcomes.sampled
        return sampled > units ? ["\(sampled) of \(units) units were compared"] : []
    }
}

/// Notes the stages that calls were made at, by epochs; of an operation that nobody gives a stage of its own.
private final class SeenStages: RouteObserver {
    private let recorder: EvidenceRecorder
    private let ledger: Ledger
    private let noted = Mutex<Set<String>>([])

    init(recorder: EvidenceRecorder, ledger: Ledger) { (self.recorder, self.ledger) = (recorder, ledger) }

    func called(_ call: RoutedCall) {
        recorder.called(call)
        guard call.operation == "page" else { return }
        let isNew = noted.withLock { $0.insert("\(call.epoch) \(call.stage)").inserted }
        if isNew { ledger.add("\(call.epoch)", "\(call.stage)") }
    }

    func compared(_ comparison: ShadowComparison) { recorder.compared(comparison) }
}
