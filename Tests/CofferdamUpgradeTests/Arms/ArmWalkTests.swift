import Cofferdam
import CofferdamTesting
import TestSupport
import Testing
import UpgradeTestSupport

@testable import CofferdamUpgrade

/// Runs whole upgrades by builds with one side each. Each build has its own router, recorder and engine, and all share
/// the stores.
@Suite struct ArmWalkTests {
    private static let capability = "zoo"

    /// The stores, the clock and the plan that all builds share.
    private struct Shared {
        let upgrade: any UpgradeStore
        let evidence: any EvidenceLedger
        let clock = TestClock()
        let plan: UpgradePlan

        /// Milliseconds since 1970, by the same clock.
        var now: @Sendable () -> Int64 {
            let elapsed = Stopwatch(clock).elapsed
            return { 1_000_000_000 + elapsed().components.seconds * 1_000 }
        }

        func stored() async throws -> StoredUpgrade? { try await upgrade.read(capability) }

        /// Takes a person's step with the baseline of the legacy side, as `upgrade advance` does.
        func advance() async throws {
            let watched = try await evidence.counts(of: capability, under: .baseline)
            let request = UpgradeRequest(
                .advance(),
                by: "amara",
                reason: "a test",
                at: now(),
                id: UpgradeEngine.randomID(),
                baseline: watched?.baseline(minimum: plan.settings.minimumBaselineCalls)
            )
            _ = try await upgrade.carryOut(request, for: capability, plan: plan)
        }
    }

    /// One process of a build.
    private struct Build {
        let arm: Arm
        let shared: Shared
        let sides = Log<String>()
        let zoo: ScriptedZoo
        let control: StageControl
        let recorder: EvidenceRecorder
        let engine: UpgradeEngine
        private let router: Router<any Zoo>
        private let settings: RouteSettings

        init(_ side: Side, _ label: String, _ shared: Shared, promotes: Bool = false) {
            let arm = Arm(side, build: label)
            (self.arm, self.shared) = (arm, shared)
            control = StageControl(arm: arm)
            recorder = EvidenceRecorder(key: arm.key, clock: shared.clock, now: shared.now)
            let zoo = ScriptedZoo(side.rawValue, log: sides)
            zoo.respond { [clock = shared.clock] id in
                clock.advance(by: .milliseconds(20))
                return Animal(id: id, name: "animal \(id)")
            }
            self.zoo = zoo
            router = Router(arm: arm, observer: recorder, clock: shared.clock) { zoo }
            settings = RouteSettings(
                capability: capability,
                failures: ZooError.reading,
                observer: recorder,
                clock: shared.clock
            )
            engine = UpgradeEngine(
                capability,
                plan: shared.plan,
                store: shared.upgrade,
                control: control,
                recorder: recorder
            ) {
                $0.clock = shared.clock
                $0.now = shared.now
                $0.ledger = shared.evidence
                $0.settings.promotesAutomatically = promotes
            }
        }

        /// Serves one session for each of these units, with one read and one write.
        func serve(_ units: Range<Int>) async throws {
            for unit in units {
                let session = UnitSession(unit: "u\(unit)", control: control, bucketing: try Bucketing(salt: "zoo"))
                let port: any Zoo = Intercepted(source: router.route(for: session, settings: settings) { $0 })
                _ = try? await port.animal(unit)
                _ = try? await port.rename(unit)
            }
        }

        /// Makes one call in `count` fail from now on.
        func failOneCall(in count: Int) {
            zoo.respond { [clock = shared.clock] id in
                clock.advance(by: .milliseconds(20))
                if id.isMultiple(of: count) { throw ZooError(meaning: .failed) }
                return Animal(id: id, name: "animal \(id)")
            }
        }

        /// Whether every call went to the build's own side.
        var calledOnlyItsSide: Bool { sides.entries.allSatisfy { $0.hasPrefix(arm.side.rawValue + " ") } }
    }

    /// Ends the windows, saves the counts and reads the store, as running engines do.
    private func settle(_ builds: [Build]) async {
        builds.first?.shared.clock.advance(by: .seconds(601))
        for build in builds {
            await build.engine.save()
            await build.engine.refresh()
        }
    }

    private func withShared(
        _ place: LedgerPlace,
        _ body: (Shared) async throws -> Void
    ) async throws {
        let plan = try UpgradePlan(
            NamedPlan.arms.stages,
            settings: .defaults {
                $0.limit = 0.01
                $0.minimumBaselineCalls = 1_000
                $0.shortestSeconds = 0
                $0.relativeFactor = NamedPlan.arms.settings.relativeFactor
            }
        )
        switch place {
        case .memory:
            try await body(Shared(upgrade: MemoryUpgradeStore(), evidence: MemoryLedger(), plan: plan))
        #if SQLite
        case .file:
            try await UpgradeFolder.with { folder in
                let store = try folder.store()
                try await body(Shared(upgrade: store, evidence: store.log, plan: plan))
            }
        #endif
        }
    }

    /// Moves to `arms`, through the comparison of two builds of the legacy side.
    private func reachArms(_ shared: Shared, _ old: Build, _ other: Build, _ new: Build) async throws {
        for build in [old, other, new] { await build.engine.start() }
        // Each build of the legacy side measures its part.
        try await old.serve(0..<800)
        try await other.serve(800..<1_600)
        try await new.serve(1_600..<1_650)
        await settle([old, other, new])
        try await shared.advance()
        for build in [old, other, new] { #expect(await build.engine.refresh().stage == .aa) }
        let baseline = try #require(try await shared.stored()?.state.baseline)
        #expect(baseline.units == FailureCounts(0, of: 1_600), "what the candidate's build does is none of it")
        #expect(baseline.slowLimit(of: "animal") == .nanoseconds(LatencyHistogram.rounded(20_000_000) * 3 / 2))

        try await old.serve(10_000..<11_500)
        try await other.serve(20_000..<21_500)
        // Users who already have the candidate's build meet a side that always fails.
        new.zoo.fail(.failed)
        try await new.serve(30_000..<30_100)
        await settle([old, other, new])
        let decision = try #require(await old.engine.decide())
        #expect(decision.verdict == .promote, "\(decision.explanation)")
        #expect(decision.reading.arms?.map(\.build) == ["1.4", "1.5"])
        for build in [old, other, new] { #expect(await build.engine.refresh().stage == .arms) }
        new.failOneCall(in: .max)
    }

    @Test(arguments: LedgerPlace.allCases)
    func `a candidate as good as the legacy side completes the upgrade, with each build's own router`(
        place: LedgerPlace
    ) async throws {
        try await withShared(place) { shared in
            let old = Build(.legacy, "1.4", shared, promotes: true)
            let other = Build(.legacy, "1.5", shared)
            let new = Build(.candidate, "2.0", shared)
            try await reachArms(shared, old, other, new)

            try await old.serve(40_000..<41_000)
            try await other.serve(41_000..<41_500)
            try await new.serve(50_000..<50_800)
            await settle([new])
            // Its process ends. The next one continues its count; some units return, and some come from the other side.
            let restarted = Build(.candidate, "2.0", shared, promotes: true)
            await settle([old, other])
            #expect(await restarted.engine.start().stage == .arms)
            try await restarted.serve(50_700..<51_500)
            try await restarted.serve(41_450..<41_500)
            await settle([restarted])
            let decision = try #require(await restarted.engine.decide())
            #expect(decision.verdict == .promote, "\(decision.explanation)")
            #expect(decision.contradictions().isEmpty)
            let arms = try #require(decision.reading.arms)
            #expect(arms.map(\.build) == ["1.4", "1.5", "2.0"])
            #expect(arms.map(\.units.total) == [1_000, 500, 1_500])
            #expect(arms.map(\.settled) == [1_000, 500, 1_500])
            #expect(arms.map(\.crossed) == [0, 0, 50])
            #expect(try await shared.stored()?.state.stage == .candidateOnly)

            // The remaining builds of the legacy side still answer, and the candidate is still watched.
            for build in [old, other, restarted] { #expect(await build.engine.refresh().stage == .candidateOnly) }
            try await old.serve(60_000..<60_010)
            try await restarted.serve(61_000..<62_000)
            await settle([old, restarted])
            let end = try #require(await restarted.engine.decide())
            #expect(end.verdict == .hold, "\(end.explanation)")
            #expect(end.reasons.map(\.code) == [.noPromotion], "\(end.explanation)")
            for build in [old, other, new, restarted] { #expect(build.calledOnlyItsSide) }
            let history = try await shared.upgrade.history(of: Self.capability, last: 9)
            #expect(history.map(\.request.action.name) == ["promote", "promote", "advance"])
        }
    }

    @Test func `a legacy build whose users wait longer holds the upgrade`() async throws {
        try await withShared(.memory) { shared in
            let old = Build(.legacy, "1.4", shared, promotes: true)
            let other = Build(.legacy, "1.5", shared)
            for build in [old, other] { await build.engine.start() }
            try await old.serve(0..<1_600)
            await settle([old])
            try await shared.advance()
            for build in [old, other] { #expect(await build.engine.refresh().stage == .aa) }

            other.zoo.respond { [clock = shared.clock] id in
                clock.advance(by: .milliseconds(id.isMultiple(of: 4) ? 40 : 20))
                return Animal(id: id, name: "animal \(id)")
            }
            try await old.serve(10_000..<11_500)
            try await other.serve(20_000..<21_500)
            await settle([old, other])
            let decision = try #require(await old.engine.decide())
            #expect(decision.verdict == .hold, "\(decision.explanation)")
            #expect(decision.reasons.map(\.metric) == [.canarySlow], "\(decision.explanation)")
            #expect(decision.reading.metrics[.canarySlow] == FailureCounts(375, of: 375))
        }
    }

    @Test(arguments: LedgerPlace.allCases)
    func `a worse build of the candidate is rolled back, and the next attempt begins with the legacy side alone`(
        place: LedgerPlace
    ) async throws {
        try await withShared(place) { shared in
            let old = Build(.legacy, "1.4", shared, promotes: true)
            let other = Build(.legacy, "1.5", shared)
            let new = Build(.candidate, "2.0", shared)
            try await reachArms(shared, old, other, new)

            new.failOneCall(in: 10)
            try await old.serve(40_000..<40_500)
            try await other.serve(40_500..<41_000)
            try await new.serve(50_000..<50_400)
            await settle([old, other, new])
            let decision = try #require(await new.engine.decide())
            #expect(decision.verdict == .rollBack, "\(decision.explanation)")
            #expect(decision.contradictions().isEmpty)
            #expect(decision.reading.arms?.last?.units == FailureCounts(40, of: 400))
            let stored = try #require(try await shared.stored())
            #expect(stored.state.stage == .legacyOnly)
            #expect(stored.state.waiting == .rolledBack)
            #expect(stored.state.attempt == 2)

            // No user has moved, and the build's calls count nowhere.
            for build in [old, other, new] { #expect(await build.engine.refresh().stage == .legacyOnly) }
            try await new.serve(50_400..<50_500)
            try await old.serve(41_000..<42_100)
            await settle([old, new])
            for build in [old, other, new] { #expect(build.calledOnlyItsSide) }
            let reading = try await ArmEvidence(shared.evidence).reading(of: stored.state, afterSeconds: 1)
            #expect(reading.arms == [], "no build of the candidate, and the legacy side as one")
            #expect(await old.engine.decide()?.verdict == .hold)
            try await shared.advance()
            let again = try #require(try await shared.stored())
            #expect(again.state.stage == .aa)
            #expect(again.state.baseline?.units == FailureCounts(0, of: 1_100))
        }
    }
}
