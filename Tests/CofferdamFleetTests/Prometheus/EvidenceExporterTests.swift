import Cofferdam
import CofferdamFleet
@testable import CofferdamUpgrade
import Testing

@Suite struct EvidenceExporterTests {
    private func line(_ metrics: TextMetrics, _ verdict: String) -> String? {
        metrics.text.split(separator: "\n").first { $0.contains(#"verdict="\#(verdict)""#) }.map(String.init)
    }

    @Test func `counters have all labels, stand at zero from the start, and only grow`() {
        let metrics = TextMetrics()
        let exporter = EvidenceExporter(factory: metrics, boot: "b7")
        exporter.publish(Snapshots.snapshot([.comparison: FailureCounts(0, of: 3)]))
        let labels = #"capability="cat\"a\\logue",operation="all",stage="canary(500)",epoch="3",boot="b7""#
        let series = #"cofferdam_upgrade_units_total{\#(labels),verdict="comparison:"#
        #expect(line(metrics, "comparison:failures") == series + #"failures"} 0"#)
        #expect(line(metrics, "comparison:total") == series + #"total"} 3"#)
        #expect(line(metrics, "mismatch")?.hasSuffix(" 0") == true)
        exporter.publish(Snapshots.snapshot([.comparison: FailureCounts(2, of: 8)]))
        exporter.publish(Snapshots.snapshot([.comparison: FailureCounts(1, of: 7)]))
        exporter.publish(Snapshots.snapshot([.comparison: FailureCounts(2, of: 9)]))
        #expect(line(metrics, "comparison:failures")?.hasSuffix(" 2") == true)
        #expect(line(metrics, "comparison:total")?.hasSuffix(" 9") == true)
        exporter.publish(Snapshots.snapshot([.comparison: FailureCounts(0, of: 1)], epoch: 4))
        #expect(metrics.text.contains(#"epoch="4",boot="b7",verdict="comparison:total"} 1"#))
    }

    @Test func `a breaker that opens and closes is told by what only grows`() {
        let metrics = TextMetrics()
        let exporter = EvidenceExporter(factory: metrics, boot: "1")
        for (breaker, closings) in [
            (BreakerHistory(), 0), (BreakerHistory(openings: 1, longestSeconds: 3, isOpen: true), 0),
            (BreakerHistory(openings: 1, longestSeconds: 9), 1),
        ] {
            exporter.publish(Snapshots.snapshot([:], breaker: breaker))
            #expect(line(metrics, "openings")?.hasSuffix(" \(breaker.openings)") == true)
            #expect(line(metrics, "closings")?.hasSuffix(" \(closings)") == true)
            #expect(line(metrics, "longestSeconds")?.hasSuffix(" \(breaker.longestSeconds)") == true)
        }
    }

    private func call(_ unit: String?, _ outcome: RoutedCall.Outcome = .answered) -> RoutedCall {
        RoutedCall(
            capability: "c",
            operation: "o",
            stage: .canary(share: .all),
            epoch: 1,
            unit: unit,
            side: .candidate,
            role: .first,
            outcome: outcome,
            duration: .seconds(1)
        )
    }

    private func comparison(_ unit: String?) -> ShadowComparison {
        ShadowComparison(
            capability: "c",
            operation: "o",
            stage: .canary(share: .all),
            epoch: 1,
            unit: unit,
            outcome: .mismatch,
            differences: [],
            durations: [:]
        )
    }

    @Test func `what a recorder counts is published each second, once there is an upgrade`() async throws {
        let (metrics, clock) = (TextMetrics(), HandClock())
        let recorder = EvidenceRecorder()
        let followed = Mutex(UpgradeState?.none)
        let exporter = EvidenceExporter(factory: metrics, boot: "1")
        let run = Task {
            try await exporter.run(recorder, clock: clock) { followed.withLock { $0 } }
        }
        await until { clock.sleeperCount == 1 }
        #expect(metrics.text == "")
        var state = UpgradeState(capability: "c", since: 0)
        (state.stage, state.epoch) = (.canary(share: .all), 1)
        followed.withLock { $0 = state }
        recorder.follow(state)
        for unit in 1...3 {
            recorder.compared(comparison("unit \(unit)"))
            clock.advance(by: .seconds(1))
            await until {
                line(metrics, "comparison:failures")?.hasSuffix(" \(unit)") == true && clock.sleeperCount == 1
            }
        }
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
    }

    @Test func `single calls are counted by their operations, without what an error says`() {
        let metrics = TextMetrics()
        let counters = CallCounters(factory: metrics, boot: "1")
        for _ in 0..<2 { counters.called(call("u", .notOpened(kind: "secret"))) }
        counters.compared(comparison("u"))
        let labels = #"capability="c",operation="o",stage="canary(10000)",epoch="1",boot="1""#
        #expect(
            line(metrics, "candidate.first.notOpened")
                == "cofferdam_upgrade_calls_total{\(labels),verdict=\"candidate.first.notOpened\"} 2"
        )
        #expect(line(metrics, "mismatch")?.hasSuffix(" 1") == true)
        #expect(!metrics.text.contains("secret"))
    }

    @Test(arguments: [1, 2, 3, 7])
    func `a unit that every instance serves counts at one of them`(count: Int) throws {
        let state = StageState(stage: .canary(share: .all), epoch: 1)
        let recorders = (0..<count).map { _ in EvidenceRecorder(state) }
        let owners = try recorders.enumerated().map { try OwnedUnits($1, instance: $0, of: count) }
        for unit in 0..<1_000 {
            for owner in owners {
                owner.called(call("unit \(unit)"))
                owner.compared(comparison("unit \(unit)"))
                owner.called(call(nil))
                owner.compared(comparison(nil))
            }
        }
        let readings = recorders.map { $0.reading(afterSeconds: 1) }
        for metric in [Metric.comparison, .candidateFailures] {
            let totals = readings.map { $0.metrics[metric]?.total ?? 0 }
            #expect(totals.reduce(0, +) == 1_000)
            #expect(totals.allSatisfy { $0 > 500 / count })
        }
    }

    @Test(arguments: [(-1, 2), (2, 2), (0, 0), (0, -1), (10_000, 20_000)])
    func `an instance that is none is an error`(index: Int, count: Int) {
        let error = #expect(throws: OwnershipError.self) {
            try OwnedUnits(EvidenceRecorder(), instance: index, of: count)
        }
        #expect(error?.description.hasPrefix("instance \(index) of \(count)") == true)
    }
}
