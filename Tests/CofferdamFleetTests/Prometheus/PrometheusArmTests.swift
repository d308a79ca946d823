#if Fleet
import Cofferdam
import CofferdamTesting
import CofferdamUpgrade
import Testing

@testable import CofferdamFleet

/// Builds with one side each, whose instances Prometheus scrapes.
@Suite struct PrometheusArmTests {
    private let clock = TestClock()

    /// An instance of a build, and what it exports.
    private struct Instance {
        let build: CountingBuild
        let metrics = TextMetrics()
        let exporter: EvidenceExporter

        init(_ build: CountingBuild, boot: String) {
            self.build = build
            exporter = EvidenceExporter(factory: metrics, boot: boot)
        }
    }

    private func instance(_ side: Side, _ build: String, _ state: UpgradeState, boot: String = "1") -> Instance {
        Instance(CountingBuild(side, build, at: state, clock: clock), boot: boot)
    }

    /// Saves and exports what all instances have counted, and returns the Prometheus that has scraped it.
    private func scrape(
        _ instances: [String: Instance],
        _ state: UpgradeState,
        _ shared: MemoryLedger = MemoryLedger()
    ) async throws -> ScrapedText {
        for (_, instance) in instances.sorted(by: { $0.key < $1.key }) {
            try await instance.build.save(shared)
            instance.exporter.publish(instance.build.recorder, at: state, now: 1_000_000)
        }
        return ScrapedText(instances.mapValues(\.metrics))
    }

    private func ask(_ evidence: PrometheusEvidence, _ state: UpgradeState) async throws -> FleetEvidence {
        try await evidence.evidence(of: state, seconds: 60, now: 1_000_000)
    }

    @Test(arguments: [Stage.aa, .arms, .candidateOnly])
    func `a fleet of builds is read as if they shared one store`(stage: Stage) async throws {
        let state = CountingBuild.state("a", at: stage)
        let instances = [
            "a": instance(.legacy, "1.4", state), "b": instance(.legacy, "1.4", state, boot: "2"),
            "c": instance(.legacy, "1.5", state), "d": instance(.candidate, "2.0", state),
            "e": instance(.candidate, "2.0", state, boot: "2"),
        ]
        for (number, name) in instances.keys.sorted().enumerated() {
            let units = number * 1_000..<number * 1_000 + 200 + 50 * number
            instances[name]?.build.count(units, failing: number, answering: name == "d" ? 4 : 0)
        }
        clock.advance(by: .seconds(601))
        // A window that is still open counts too.
        instances["c"]?.build.count(9_000..<9_003, failing: 1)
        instances["e"]?.build.count(9_100..<9_105)
        let shared = MemoryLedger()
        let scraped = try await scrape(instances, state, shared)
        let found = try await ask(scraped.evidence(), state)
        let stored = GateReading(
            ofBuilds: await shared.builds(of: state.capability, epoch: state.epoch),
            at: state.stage,
            epoch: state.epoch,
            against: state.baseline,
            afterSeconds: 60
        )
        #expect(found.gaps == [])
        #expect(!stored.metrics.isEmpty)
        for metric in Set(stored.metrics.keys).union(found.snapshot.reading.metrics.keys) {
            #expect(found.snapshot.reading.metrics[metric] == stored.metrics[metric], "\(metric)")
        }
        let known = stored.arms?.map { arm in
            var arm = arm
            arm.crossed = nil
            return arm
        }
        #expect(found.snapshot.reading.arms == known)
        #expect(known?.map(\.build) == (stage == .aa ? ["1.4", "1.5"] : ["1.4", "1.5", "2.0"]))
        #expect(found.snapshot.reading.isKept == true)
    }

    @Test func `a build that has left still counts, and a missing one is named`() async throws {
        let state = CountingBuild.state("a", at: .arms)
        let instances = ["a": instance(.legacy, "1.4", state), "d": instance(.candidate, "2.0", state)]
        instances["a"]?.build.count(0..<300)
        instances["d"]?.build.count(1_000..<1_200, failing: 2)
        clock.advance(by: .seconds(601))
        var scraped = try await scrape(instances, state)
        scraped.up = ["d"]
        let left = try await ask(scraped.evidence(), state)
        #expect(left.gaps == [])
        #expect(left.snapshot.reading.metrics[.activeUnits] == FailureCounts(200, of: 500))
        let missing = try await ask(scraped.evidence(of: ["a", "d"]), state)
        #expect(missing.gaps.contains { $0.hasPrefix("a is not up") }, "\(missing.gaps)")
        #expect(missing.snapshot.reading.isIncomplete == true)
        #expect(missing.snapshot.reading.metrics[.activeUnits] == FailureCounts(200, of: 500))
    }

    @Test func `a process with both sides is not a build to compare`() async throws {
        let state = CountingBuild.state("a", at: .arms)
        let (build, both) = (instance(.legacy, "1.4", state), TextMetrics())
        build.build.count(0..<300)
        var scraped = try await scrape(["a": build], state)
        let recorder = EvidenceRecorder(StageState(stage: .arms, epoch: 3), clock: clock)
        EvidenceExporter(factory: both, boot: "9").publish(recorder, at: state, now: 1_000_000)
        scraped = ScrapedText(["a": build.metrics, "z": both])
        let found = try await ask(scraped.evidence(), state)
        #expect(found.gaps.contains { $0.hasPrefix("it is counted under 2 keys") }, "\(found.gaps)")
        #expect(found.snapshot.reading.metrics.isEmpty)
    }

    @Test func `a label of a build is on every series of its counts, and on no other`() async throws {
        let state = CountingBuild.state("a", at: .arms)
        let instance = instance(.candidate, "2.0", state)
        instance.build.count(0..<10)
        _ = try await scrape(["a": instance], state)
        let lines = instance.metrics.text.split(separator: "\n")
        #expect(lines.count > 10)
        #expect(lines.allSatisfy { $0.contains(#"build="2.0",side="candidate""#) })
        let both = TextMetrics()
        EvidenceExporter(factory: both, boot: "1").publish(Snapshots.snapshot([:]), under: Snapshots.key("2.0"))
        #expect(!both.text.contains("side="))
    }

    @Test(
        .enabled(if: Programs.prometheus != nil, "Prometheus is not installed: ./dev setup fleet"),
        .timeLimit(.minutes(5))
    )
    func `from a real Prometheus, a worse build is rolled back and a good one is promoted`() async throws {
        let state = CountingBuild.state("a", at: .arms)
        let scraped = [try ScrapedInstance(), try ScrapedInstance()]
        let builds = [(Side.legacy, "1.4"), (.candidate, "2.0")].map {
            CountingBuild($0.0, $0.1, at: state, clock: clock)
        }
        try await PrometheusServer.with(scraped) { server in
            var settings = NamedPlan.arms.settings
            settings.shortestSeconds = 0
            let gate = try UpgradePlan(NamedPlan.arms.stages, settings: settings).following(state).gate(at: .arms)
            func expect(_ verdict: GateVerdict, _ units: [FailureCounts]) async throws {
                clock.advance(by: .seconds(601))
                for (build, instance) in zip(builds, scraped) {
                    try await build.save()
                    instance.watch(build.recorder, at: state)
                }
                try await eventually("the gate says \(verdict)") {
                    let evidence = server.evidence(from: scraped)
                    let found = try await evidence.evidence(of: state, seconds: 60, now: 1_000_000)
                    return found.snapshot.reading.arms?.map(\.units) == units
                        && gate.decide(found.snapshot.reading).verdict == verdict
                }
            }
            builds[0].count(0..<10_000)
            builds[1].count(10_000..<20_000)
            try await expect(.promote, [FailureCounts(0, of: 10_000), FailureCounts(0, of: 10_000)])
            builds[1].count(20_000..<20_100, failing: 60)
            try await expect(.rollBack, [FailureCounts(0, of: 10_000), FailureCounts(60, of: 10_100)])
        }
    }
}
#endif
