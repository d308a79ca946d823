#if Fleet
import Cofferdam
import CofferdamTesting
import CofferdamUpgrade
import TestSupport
import Testing
import UpgradeTestSupport

@testable import CofferdamFleet

@Suite struct EvidenceExporterTests {
    private func line(_ metrics: TextMetrics, _ verdict: String) -> String? {
        metrics.text.split(separator: "\n").first { $0.contains(#"verdict="\#(verdict)""#) }.map(String.init)
    }

    /// The counter with these labels and that verdict.
    private func value(_ metrics: TextMetrics, _ labels: String, _ verdict: String) -> String? {
        let line = metrics.text.split(separator: "\n").first {
            $0.contains(labels) && $0.contains(#"verdict="\#(verdict)""#)
        }
        return line?.split(separator: " ").last.map(String.init)
    }

    @Test func `counters have all labels, start at zero, and only grow`() {
        let metrics = TextMetrics()
        let exporter = EvidenceExporter(factory: metrics, boot: "b7")
        func publish(_ counts: FailureCounts, _ build: String = "", epoch: Int = 3) {
            exporter.publish(Snapshots.snapshot([.comparison: counts], epoch: epoch), under: Snapshots.key(build))
        }
        publish(FailureCounts(0, of: 3))
        let key = Snapshots.key().digest
        let labels =
            #"capability="cat\"a\\logue",stage="canary(500)",epoch="3",key="\#(key)",boot="b7",operation="*""#
        let series = #"cofferdam_upgrade_units_total{\#(labels),verdict="comparison:"#
        #expect(line(metrics, "comparison:failures") == series + #"failures"} 0"#)
        #expect(line(metrics, "comparison:total") == series + #"total"} 3"#)
        #expect(line(metrics, "mismatch")?.hasSuffix(" 0") == true)
        for counts in [FailureCounts(2, of: 8), FailureCounts(1, of: 7), FailureCounts(2, of: 9)] { publish(counts) }
        #expect(line(metrics, "comparison:failures")?.hasSuffix(" 2") == true)
        #expect(line(metrics, "comparison:total")?.hasSuffix(" 9") == true)
        publish(FailureCounts(0, of: 1), epoch: 4)
        #expect(value(metrics, "epoch=\"4\",key=\"\(key)\"", "comparison:total") == "1")
        publish(FailureCounts(0, of: 2), "another build")
        let other = Snapshots.key("another build").digest
        #expect(value(metrics, "epoch=\"3\",key=\"\(other)\"", "comparison:total") == "2", "from 0")
        #expect(value(metrics, "epoch=\"3\",key=\"\(key)\"", "comparison:total") == "9", "as it was")
    }

    @Test func `each upgrade's visits are counted once, however often they are exported`() {
        let metrics = TextMetrics()
        let exporter = EvidenceExporter(factory: metrics, boot: "b7")
        for _ in 0..<3 {
            for capability in ["orders", "rates"] {
                var snapshot = Snapshots.snapshot([:])
                snapshot.capability = capability
                let counts = FailureCounts(1, of: 4)
                snapshot.reading.hours = [VisitCounts(hour: 7, [.newly(.failed, on: .candidate): counts])]
                exporter.publish(snapshot, under: Snapshots.key())
            }
        }
        for capability in ["orders", "rates"] {
            let labels = "capability=\"\(capability)\""
            #expect(value(metrics, labels, "candidate.failed.newly:total") == "4")
            #expect(value(metrics, labels, "candidate.failed.newly:failures") == "1")
        }
    }

    @Test func `each write records its time, for the epoch that is being counted`() {
        let metrics = TextMetrics()
        let exporter = EvidenceExporter(factory: metrics, boot: "b7")
        func write(at time: Int64, epoch: Int) {
            var snapshot = Snapshots.snapshot([:], epoch: epoch)
            snapshot.at = time
            exporter.publish(snapshot, under: Snapshots.key())
        }
        func series(_ epoch: Int) -> String {
            let labels =
                #"capability="cat\"a\\logue",stage="canary(500)",epoch="\#(epoch)",key="\#(Snapshots.key().digest)",boot="b7""#
            return "cofferdam_upgrade_last_write_timestamp_seconds{\(labels)}"
        }
        func timestamps() -> [String] {
            metrics.text.split(separator: "\n").map(String.init).filter { $0.contains("_timestamp_seconds") }
        }
        write(at: 1_763_820_000_250, epoch: 3)
        write(at: 1_763_820_001_250, epoch: 3)
        #expect(timestamps() == [series(3) + " 1763820001.25"])
        write(at: 1_763_820_002_000, epoch: 4)
        #expect(timestamps() == [series(3) + " 1763820001.25", series(4) + " 1763820002.0"])
        // A clock that was set back is exported as it is.
        write(at: 1_763_819_000_000, epoch: 4)
        #expect(timestamps().last == series(4) + " 1763819000.0")
    }

    @Test func `a breaker that opens and closes is exported as counters that only grow`() {
        let metrics = TextMetrics()
        let exporter = EvidenceExporter(factory: metrics, boot: "1")
        for (breaker, closings) in [
            (BreakerHistory(), 0), (BreakerHistory(openings: 1, longestSeconds: 3, isOpen: true), 0),
            (BreakerHistory(openings: 1, longestSeconds: 9), 1),
        ] {
            exporter.publish(Snapshots.snapshot([:], breaker: breaker), under: Snapshots.key())
            #expect(line(metrics, "openings")?.hasSuffix(" \(breaker.openings)") == true)
            #expect(line(metrics, "closings")?.hasSuffix(" \(closings)") == true)
            #expect(line(metrics, "longestSeconds")?.hasSuffix(" \(breaker.longestSeconds)") == true)
        }
    }

    @Test func `the outcomes of named units are exported separately`() {
        let metrics = TextMetrics()
        let exporter = EvidenceExporter(factory: metrics, boot: "b7")
        let counts: [Metric: FailureCounts] = [
            .candidateFailures: FailureCounts(0, of: 40), .namedFailures: FailureCounts(3, of: 12),
            .namedFailures.of("order"): FailureCounts(2, of: 5), .namedAnswers("gone"): FailureCounts(1, of: 12),
        ]
        exporter.publish(Snapshots.snapshot(counts), under: Snapshots.key())
        #expect(value(metrics, #"operation="*""#, "candidateFailures:total") == "40")
        #expect(value(metrics, #"operation="*""#, "namedFailures:failures") == "3")
        #expect(value(metrics, #"operation="order""#, "namedFailures:total") == "5")
        #expect(value(metrics, #"operation="*""#, "namedAnswers.gone:failures") == "1")
    }

    @Test func `if some units were lost, they are not marked as kept, and counting continues under the same name`() {
        let metrics = TextMetrics()
        let exporter = EvidenceExporter(factory: metrics, boot: "b7")
        var snapshot = Snapshots.snapshot([.comparison: FailureCounts(0, of: 3)])
        for (isKept, text) in [(true, "1.0"), (false, "0.0")] {
            snapshot.reading.isKept = isKept
            exporter.publish(snapshot, under: Snapshots.key(), series: "s1")
            let gauges = metrics.text.split(separator: "\n").filter { $0.contains("cofferdam_upgrade_units_kept{") }
            #expect(gauges.count == 1)
            #expect(gauges.first?.hasSuffix(" " + text) == true, "\(gauges)")
            #expect(gauges.first?.contains(#"boot="s1""#) == true)
        }
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
        let (metrics, clock) = (TextMetrics(), TestClock())
        let recorder = EvidenceRecorder { EpochKey(stage: $0, binary: "two") }
        let followed = Mutex(UpgradeState?.none)
        let exporter = EvidenceExporter(factory: metrics, boot: "1")
        let now = Mutex(Int64(1_763_820_000_000))
        let run = Task {
            try await exporter.run(recorder, clock: clock, now: { now.withLock { $0 } }) { followed.withLock { $0 } }
        }
        await until { clock.sleeperCount == 1 }
        #expect(metrics.text == "")
        var state = UpgradeState(capability: "c", since: 0)
        (state.stage, state.epoch) = (.canary(share: .all), 1)
        followed.withLock { $0 = state }
        _ = await recorder.reading(of: state, afterSeconds: 0)
        for unit in 1...3 {
            recorder.compared(comparison("unit \(unit)"))
            now.withLock { $0 += 1_000 }
            clock.advance(by: .seconds(1))
            await until {
                line(metrics, "comparison:failures")?.hasSuffix(" \(unit)") == true && clock.sleeperCount == 1
            }
            #expect(metrics.text.contains(#"boot="1"} 176382000\#(unit).0"#))
        }
        let key = EpochKey(stage: state.stage, binary: "two").digest
        #expect(value(metrics, "key=\"\(key)\"", "comparison:total") == "3", "the recorder's own key")
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
    }

    @Test func `before the first step, the legacy side's outcomes and the durations of its calls are exported`()
        async throws
    {
        let (metrics, recorder) = (TextMetrics(), EvidenceRecorder())
        let engine = UpgradeEngine(
            "c",
            plan: try Readings.plan(),
            store: MemoryUpgradeStore(),
            control: StageControl(),
            recorder: recorder
        )
        #expect(engine.followedState == nil, "nothing is known of the store")
        await engine.start()
        let state = try #require(engine.followedState)
        #expect(state.stage == .legacyOnly && state.epoch == 0)
        let exporter = EvidenceExporter(factory: metrics, boot: "1")
        func watch(_ calls: Int, taking duration: Duration) {
            for number in 0..<calls {
                recorder.called(
                    RoutedCall(
                        capability: "c",
                        operation: "o",
                        stage: .legacyOnly,
                        epoch: 0,
                        unit: "\(number)",
                        side: .legacy,
                        role: .first,
                        outcome: .answered,
                        duration: duration
                    )
                )
            }
            exporter.publish(recorder, at: state, now: 1)
        }
        watch(3, taking: .milliseconds(20))
        let labels = #"stage="legacyOnly",epoch="0",key="\#(EpochKey.baseline.digest)",boot="1",operation="o","#
        #expect(value(metrics, labels, "legacyFailures:total") == "3")
        #expect(metrics.text.contains(labels + #"nanoseconds="20971519"} 3.0"#), "\(metrics.text)")
        watch(2_048, taking: .milliseconds(1))
        #expect(metrics.text.contains(labels + #"nanoseconds="20971519"} 3.0"#), "\(metrics.text)")
        #expect(metrics.text.contains(labels + #"nanoseconds="1015807"} 2048.0"#), "\(metrics.text)")
        #expect(metrics.text.contains("timed\"} 2051\n"))
    }
}
#endif
