#if Fleet
import Cofferdam
import CofferdamFleet
import CofferdamUpgrade
import Testing
import UpgradeTestSupport

/// The step that ends `legacyOnly` in a fleet stores the baseline of all instances in the state.
@Suite(
    .serialized,
    .needsEtcd,
    .enabled(if: Programs.prometheus != nil, "Prometheus is not installed: ./dev setup fleet"),
    .enabled(if: Vendorctl.path != nil, "vendorctl is not built beside the tests: build the whole package"),
    .timeLimit(.minutes(5))
)
struct BaselineCommandTests {
    private static let capability = "sanctuary"

    @Test func `the first step freezes what V1 did on all instances, and no process begins another epoch for it`()
        async throws
    {
        // Neither instance alone has seen enough.
        let (one, two) = (recorder(of: 0..<6_000), recorder(of: 6_000..<12_000, answer: "notFound"))
        try await onFleet(one, two) { etcd, tool in
            let began = try await tool.upgrade("advance", "--reason", "agreed upon")
            #expect(began.code == 0 && began.error == "", "\(began.error)")
            let stored = try #require(try await store(of: etcd).read(Self.capability)).state
            #expect(stored.stage == .shadow(sample: .all) && stored.epoch == 1)
            let baseline = try #require(stored.baseline)
            #expect(baseline.units == FailureCounts(12, of: 12_000))
            #expect(baseline.gaveUp == 0)
            #expect(baseline.answers == ["notFound": 5_994])
            let list = try #require(baseline.operations["list"])
            #expect(list.units == FailureCounts(12, of: 12_000))
            #expect(list.isRead)
            // 1.5 × 20 ms, up to the rounding of counted durations: less than a sixteenth more.
            #expect((30_000_000...31_875_000).contains(list.slowNanoseconds), "\(list.slowNanoseconds)")

            // An instance that has seen enough on its own adds nothing.
            let engine = UpgradeEngine(
                Self.capability,
                plan: try Readings.plan(),
                store: store(of: etcd),
                control: StageControl(),
                recorder: recorder(of: 0..<10_000)
            )
            await engine.start()
            // It has another plan than the tool with which the upgrade began.
            #expect(engine.status.notes.allSatisfy { $0.contains("the plan that it began with") })
            #expect(engine.status.stored == stored)
        }
    }

    enum Lack: CaseIterable {
        case unreachable, unnamed, tooFew
    }

    @Test(arguments: Lack.allCases)
    func `if the baseline cannot be read, the step is refused, and the command says why`(_ lack: Lack) async throws {
        let (one, two) = (recorder(of: 0..<6_000), recorder(of: 6_000..<9_999))
        try await onFleet(one, two) { etcd, known in
            var tool = known
            let reason: String
            switch lack {
            case .unreachable:
                tool.options[3] = "http://127.0.0.1:1"
                reason = "127.0.0.1 port 1"
            case .unnamed:
                tool.options.removeLast(tool.options.count - 2)
                reason = "--prometheus"
            case .tooFew: reason = "only 9999 of the legacy side's calls were timed, but 10000 are needed"
            }
            let began = try await tool.upgrade("advance", "--reason", "agreed upon")
            #expect(began.code == 1, "\(began.error)")
            #expect(began.error.hasPrefix("vendorctl: sanctuary: nothing is known of the legacy side to compare with"))
            #expect(began.error.contains(reason), "\(began.error)")
            #expect(began.error.hasSuffix(" (noBaseline)\n"), "\(began.error)")
            #expect(try await store(of: etcd).read(Self.capability) == nil)
        }
    }

    // MARK: -

    /// The call of every thousandth unit fails: a baseline above the plan's limit is refused.
    private func recorder(of units: Range<Int>, answer: String? = nil) -> EvidenceRecorder {
        let recorder = EvidenceRecorder()
        for number in units {
            let isFailed = number % 1_000 == 0
            recorder.called(
                RoutedCall(
                    capability: Self.capability,
                    operation: "list",
                    effect: .read,
                    stage: .legacyOnly,
                    epoch: 0,
                    unit: "unit \(number)",
                    side: .legacy,
                    role: .first,
                    outcome: isFailed ? .failed(.failed, kind: "broken") : .answered,
                    answer: isFailed ? nil : answer,
                    duration: .milliseconds(20)
                )
            )
        }
        return recorder
    }

    /// The store in which the tool keeps the upgrade.
    private func store(of etcd: EtcdServer) -> EtcdUpgradeStore { etcd.store { $0.prefix = "/apps/sanctuary" } }

    /// Runs two instances before the first step, each with its counts; all counts are scraped when `body` begins.
    private func onFleet(
        _ recorders: EvidenceRecorder...,
        body: (EtcdServer, Vendorctl) async throws -> Void
    ) async throws {
        let before = UpgradeState(capability: Self.capability, since: 0)
        let instances = try recorders.map { recorder in
            let instance = try ScrapedInstance()
            instance.watch(recorder, at: before)
            return instance
        }
        try await EtcdServer.with { etcd in
            try await PrometheusServer.with(instances) { prometheus in
                let names = instances.map(\.name).joined(separator: ",")
                let tool = Vendorctl(
                    options: [
                        "--etcd", etcd.endpoint, "--prometheus", prometheus.endpoint, "--job", PrometheusServer.job,
                        "--instances", names, "--freshness", "2",
                    ]
                )
                let units = recorders.reduce(0) { $0 + ($1.baselineUnits) }
                try await eventually("\(units) units are scraped") {
                    let found = try await prometheus.evidence(from: instances)
                        .evidence(of: before, seconds: 60, now: WallTime.now())
                    return found.snapshot.reading.metrics[.activeUnits]?.total == units
                }
                try await body(etcd, tool)
            }
        }
    }
}

extension EvidenceRecorder {
    /// The number of units on the legacy side.
    fileprivate var baselineUnits: Int { reading(afterSeconds: 1).metrics[.activeUnits]?.total ?? 0 }
}
#endif
