#if Fleet
import Cofferdam
@testable import CofferdamFleet
import CofferdamUpgrade
import Foundation
import Testing
import UpgradeTestSupport

#if Server
@testable import CofferdamServer
#endif

@Suite struct PrometheusEvidenceTests {
    /// Prometheus's content: a value for each verdict, by instance and boot.
    private struct Series {
        var name = "cofferdam_upgrade_units_total"
        var instance = "a"
        var boot = "1"
        var verdict: String
        var value: String
        var isLiving = true
        var replica = "x"
        var key = "k"

        var json: String {
            let labels = #""instance":"\#(instance)","boot":"\#(boot)","verdict":"\#(verdict)","replica":"\#(replica)""#
            return #"{"metric":{\#(labels)},"value":[1700000000.123,"\#(value)"]}"#
        }

        /// Whether the query selects this series.
        func isMeant(by query: String) -> Bool {
            query.contains(name + "{") && query.contains(#"key="\#(key)""#)
                && (query.hasPrefix("max_over_time(") || isLiving)
        }
    }

    /// When a process last wrote, in seconds before now.
    private struct Write {
        var instance: String
        var boot = "1"
        var stage = "shadow(10000)"
        var epoch = "3"
        var key = "k"
        var age = "0.5"

        var json: String {
            let labels =
                #""instance":"\#(instance)","boot":"\#(boot)","stage":"\#(stage)","epoch":"\#(epoch)","key":"\#(key)""#
            return #"{"metric":{\#(labels)},"value":[1700000000.123,"\#(age)"]}"#
        }
    }

    private func evidence(
        _ series: [Series],
        up: [String: String] = ["a": "1", "b": "1"],
        ages: [String: String] = [:],
        writes: [Write] = [Write(instance: "a"), Write(instance: "b")]
    ) -> PrometheusEvidence {
        @Sendable func perInstance(_ values: [String: String]) -> [String] {
            values.map { #"{"metric":{"instance":"\#($0.key)"},"value":[1,"\#($0.value)"]}"# }
        }
        let client = PrometheusClient { query in
            let found: [String]
            if query.hasPrefix("min_over_time(up{") {
                found = perInstance(up)
            } else if query.hasPrefix("time() - timestamp(up{") {
                found = perInstance(ages)
            } else if query.hasPrefix("time() - cofferdam_upgrade_last_write_timestamp_seconds{") {
                found = writes.map(\.json)
            } else {
                found = series.filter { $0.isMeant(by: query) }.map(\.json)
            }
            return PrometheusAnswer.success(query, found)
        }
        return PrometheusEvidence(client, job: "shop", instances: ["a", "b"])
    }

    private func ask(_ evidence: PrometheusEvidence) async throws -> FleetEvidence {
        try await evidence.evidence(
            of: Snapshots.state("catalogue", at: .shadow(sample: .all), epoch: 3),
            seconds: 60,
            now: 1
        )
    }

    private func comparison(
        _ instance: String,
        _ failures: String,
        _ total: String,
        boot: String = "1",
        key: String = "k"
    ) -> [Series] {
        [("failures", failures), ("total", total)].map {
            Series(instance: instance, boot: boot, verdict: "comparison:\($0.0)", value: $0.1, key: key)
        }
    }

    @Test func `whole numbers of all boots are summed, in whatever notation`() async throws {
        let series = comparison("a", "1", "1e+06") + comparison("a", "0", "20", boot: "2") + comparison("b", "2", "300")
        let found = try await ask(evidence(series))
        #expect(found.snapshot.reading.metrics == [.comparison: FailureCounts(3, of: 1_000_320)])
        #expect(found.snapshot.reading.seconds == 60)
        #expect(found.gaps == [])
        var state = UpgradeState(capability: "catalogue", since: 0)
        (state.stage, state.epoch) = (.shadow(sample: .all), 3)
        let reading = try await evidence(series).reading(of: state, afterSeconds: 60)
        #expect(reading == found.snapshot.reading, "as an engine asks")
    }

    @Test func `named units that only one instance has met leave no gap`() async throws {
        let named = [
            ("namedFailures:failures", "3"), ("namedFailures:total", "12"), ("namedAnswers.gone:failures", "2"),
            ("namedAnswers.gone:total", "12"),
        ].map { Series(verdict: $0.0, value: $0.1) }
        let found = try await ask(evidence(named + comparison("a", "1", "10") + comparison("b", "0", "5")))
        #expect(found.gaps == [])
        #expect(found.snapshot.reading.metrics[.namedFailures] == FailureCounts(3, of: 12))
        #expect(found.snapshot.reading.metrics[.namedAnswers("gone")] == FailureCounts(2, of: 12))
        #expect(found.snapshot.reading.metrics[.comparison] == FailureCounts(1, of: 15))
    }

    @Test func `a kind of answer that only one instance has met is counted among the units of all`() async throws {
        let series = [
            ("a", "candidateAnswers.gone:failures", "3"), ("a", "candidateAnswers.gone:total", "10"),
            ("a", "activeUnits:failures", "10"), ("a", "activeUnits:total", "40"), ("b", "activeUnits:failures", "90"),
            ("b", "activeUnits:total", "200"),
        ].map { Series(instance: $0.0, verdict: $0.1, value: $0.2) }
        let found = try await ask(evidence(series))
        #expect(found.gaps == [])
        #expect(found.snapshot.reading.metrics[.candidateAnswers("gone")] == FailureCounts(3, of: 100))
    }

    #if Server
    @Test func `units of operations that the servers do not know keep each gate from a promotion`() async throws {
        let folder = try TemporaryFolder()
        let devices = DeviceReports(
            try SQLiteUpgradeLog(path: folder.path + "/upgrades.sqlite"),
            ControlPlaneConfiguration(database: "", tokens: try AccessTokens([]), capabilities: [])
        )
        let state = Snapshots.state("catalogue", at: .shadow(sample: .all), epoch: 3)
        let known = comparison("a", "1", "10") + comparison("b", "0", "5")
        let metric = Metric.comparison.of(KnownOperations.others)
        let others = [(SeriesNames.failures(of: metric), "0"), (SeriesNames.total(of: metric), "3")]
            .map { Series(instance: "b", verdict: $0.0, value: $0.1) }
        for series in [known, known + others] {
            let hosted = HostedEvidence(evidence(series), devices, now: { 1_000 })
            let (reading, gaps) = try await hosted.counted(of: state, afterSeconds: 60)
            let isKnown = series.count == known.count
            #expect(reading.metrics[.comparison] == FailureCounts(1, of: 15))
            #expect(reading.isIncomplete == (isKnown ? nil : true))
            #expect(gaps.map { $0.hasPrefix("3 units called operations") } == (isKnown ? [] : [true]), "\(gaps)")
            #expect(try await hosted.reading(of: state, afterSeconds: 60) == reading, "as an engine asks")
        }
    }
    #endif

    @Test func `an epoch of any length can be queried, with any bound`() async throws {
        var evidence = evidence(comparison("a", "1", "10") + comparison("b", "0", "5"))
        for (seconds, freshness) in [(Int.min, Int.min), (.max, .max), (0, 60)] {
            evidence.freshness = freshness
            let found = try await evidence.evidence(
                of: Snapshots.state("c", at: .shadow(sample: .all), epoch: 3),
                seconds: seconds,
                now: 1
            )
            #expect(found.snapshot.reading.metrics == [.comparison: FailureCounts(1, of: 15)])
        }
    }

    @Test func `a counter scraped by two replicas counts once, with the larger value`() async throws {
        let late = comparison("a", "1", "90").map { series in
            var series = series
            series.replica = "y"
            return series
        }
        let found = try await ask(evidence(comparison("a", "1", "100") + late + comparison("b", "0", "1")))
        #expect(found.snapshot.reading.metrics == [.comparison: FailureCounts(1, of: 101)])
    }

    @Test(arguments: ["NaN", "+Inf", "-1", "1.5", "", "9007199254740994"])
    func `a value that is not a count makes its metric missing, not zero`(value: String) async throws {
        let found = try await ask(evidence(comparison("a", "1", "10") + comparison("b", "0", value)))
        #expect(found.snapshot.reading.metrics == [:])
        #expect(found.gaps == ["comparison: comparison:total of b is not a whole number"])
    }

    @Test func `a metric is missing if an expected instance does not have it now`() async throws {
        var series = comparison("a", "1", "10") + comparison("b", "0", "5")
        for index in series.indices where series[index].instance == "b" { series[index].isLiving = false }
        let found = try await ask(evidence(series))
        #expect(found.snapshot.reading.metrics == [:])
        #expect(found.gaps == ["comparison: comparison:failures is missing at b"])
    }

    @Test func `a metric whose sum overflows is missing`() async throws {
        let series = (0..<1_025).flatMap { comparison("a", "0", "9007199254740992", boot: "\($0)") }
        let found = try await ask(evidence(series + comparison("b", "0", "5")))
        #expect(found.snapshot.reading.metrics == [:])
        #expect(found.gaps == ["comparison: comparison:total is too large"])
    }

    @Test(
        arguments: [
            ("all under one key", [Write(instance: "a"), Write(instance: "b")], "k", []),
            (
                "one has gone on to another key",
                [
                    Write(instance: "a"), Write(instance: "b", age: "9"), Write(instance: "b", key: "l", age: "1"),
                ], nil, ["it is counted under 2 keys, of which only one may remain: k at a; l at b"]
            ),
            (
                "one was restarted with another build",
                [Write(instance: "a"), Write(instance: "b", age: "70"), Write(instance: "b", boot: "2", key: "l")],
                nil, ["it is counted under 2 keys, of which only one may remain: k at a; l at b"]
            ),
            (
                "an unexpected instance has another build",
                [Write(instance: "a"), Write(instance: "b"), Write(instance: "c", key: "l")], nil,
                ["it is counted under 2 keys, of which only one may remain: k at a, b; l at c"]
            ),
            (
                "an unexpected one stands still",
                [Write(instance: "a"), Write(instance: "b"), Write(instance: "c", key: "l", age: "61")], "k", []
            ),
            (
                "all have gone on to another key",
                [("a", "k", "3"), ("a", "l", "1"), ("b", "l", "2"), ("b", "k", "3")].map {
                    Write(instance: $0.0, key: $0.1, age: $0.2)
                }, "l", []
            ),
            (
                "one is at another epoch", [Write(instance: "a"), Write(instance: "b", epoch: "2")], "k",
                ["b counts at shadow(10000), epoch 2"]
            ),
            (
                "one has gone on to another epoch",
                [
                    Write(instance: "a"), Write(instance: "b"),
                    Write(instance: "b", stage: "canary(500)", epoch: "4", age: "0.1"),
                ],
                "k", ["b counts at canary(500), epoch 4"]
            ),
            (
                "no instance is there yet", [Write(instance: "a", epoch: "2"), Write(instance: "b", epoch: "2")], nil,
                ["no instance has counted anything in epoch 3"]
            ),
            (
                "one stands still", [Write(instance: "a"), Write(instance: "b", age: "75.9")], "k",
                ["b wrote its counters 75 s ago, and 60 s are allowed"]
            ),
            (
                "one stands still under another key",
                [Write(instance: "a"), Write(instance: "b", key: "l", age: "61")],
                "k", ["b wrote its counters 61 s ago, and 60 s are allowed"]
            ),
            (
                "as old and as far ahead as is allowed",
                [Write(instance: "a", age: "60"), Write(instance: "b", age: "-60")],
                "k", []
            ),
            (
                "one's clock is ahead", [Write(instance: "a"), Write(instance: "b", age: "-61.5")], "k",
                ["b's clock is 61 s ahead, and 60 s are allowed"]
            ),
            (
                "one does not say", [Write(instance: "a")], "k",
                ["b does not say when it wrote its counters"]
            ),
            (
                "one says nonsense", [Write(instance: "a"), Write(instance: "b", age: "NaN")], "k",
                ["b does not say when it wrote its counters"]
            ),
            (
                "one says what no clock says", [Write(instance: "a"), Write(instance: "b", age: "-1e300")], "k",
                ["b does not say when it wrote its counters"]
            ),
            ("none says", [], nil, ["no instance has counted anything in epoch 3"]),
        ] as [(String, [Write], String?, [String])]
    )
    private func `what instances wrote recently, under one key, is summed, and incomplete if some did not`(
        what: String,
        writes: [Write],
        key: String?,
        gaps: [String]
    ) async throws {
        let series = ["a", "b"].flatMap {
            comparison($0, "1", "100") + comparison($0, "0", "7", key: "l")
        }
        // What an instance counted before it fell silent is still there.
        let found = try await ask(evidence(series, writes: writes))
        #expect(found.gaps == gaps, "\(what)")
        #expect(found.key == key, "\(what)")
        let counted = key == "k" ? FailureCounts(2, of: 200) : FailureCounts(0, of: 14)
        #expect(found.snapshot.reading.metrics == (key == nil ? [:] : [.comparison: counted]), "\(what)")
        #expect(found.snapshot.reading.isIncomplete == (gaps.isEmpty ? nil : true), "\(what)")
    }

    @Test func `an instance that is down is named once`() async throws {
        let found = try await ask(evidence([], up: ["a": "1"], writes: [Write(instance: "a")]))
        #expect(found.gaps == ["b is not up"])
    }

    @Test func `evidence is as old as the oldest write`() async throws {
        for (age, at) in [("42.5", Int64(957_500)), ("-30", 988_000), ("1e9", -85_400_000)] {
            let evidence = evidence(
                [],
                ages: ["a": "2", "b": "12"],
                writes: [Write(instance: "a"), Write(instance: "b", age: age), Write(instance: "c", age: "99")]
            )
            let found = try await evidence.evidence(
                of: Snapshots.state("c", at: .shadow(sample: .all), epoch: 3),
                seconds: 60,
                now: 1_000_000
            )
            #expect(found.snapshot.at == at)
        }
    }

    @Test func `without any series, everything is missing`() async throws {
        let found = try await ask(evidence([]))
        #expect(found.snapshot.reading.metrics == [:])
        #expect(found.snapshot.reading.breaker == nil)
        #expect(found.gaps == ["no instance has counted anything in epoch 3"])
    }

    @Test(arguments: [["a": "1"], ["a": "1", "b": "0"], ["a": "1", "b": "NaN"], ["a": "1", "c": "1"]])
    func `without an expected instance, what is there can only go back`(up: [String: String]) async throws {
        let bad = comparison("a", "600", "1000").map { series in
            var series = series
            series.verdict = series.verdict.replacing(
                "comparison",
                with: Metric.mismatches.includingOpenWindows.rawValue
            )
            return series
        }
        let found = try await ask(evidence(comparison("a", "600", "1000") + bad, up: up))
        #expect(found.snapshot.reading.metrics[.comparison] == FailureCounts(600, of: 1_000))
        #expect(found.gaps == ["b is not up"])
        let gate = try Readings.plan().gate(at: .shadow(sample: .all))
        #expect(gate.decide(found.snapshot.reading).verdict == .rollBack)
        var good = Readings.good(at: .shadow(sample: .all))
        #expect(gate.decide(good).verdict == .promote)
        good.isIncomplete = true
        #expect(gate.decide(good).verdict == .hold)
        #expect(gate.decide(good).contradictions() == [])
    }

    @Test(
        arguments: [
            (["a": "2.5", "b": "12.25"], ["a": "1", "b": "1"], 987_750, []),
            (
                ["a": "2.5", "b": "75.9"], ["a": "1"], 924_100,
                ["b is not up: it was scraped 75 s ago, and 60 s are allowed"]
            ),
            (["a": "2.5", "b": "9"], ["a": "1", "b": "0"], 991_000, ["b is not up"]),
            (["a": "NaN", "c": "50"], ["a": "1", "b": "1"], 999_500, []),
        ] as [([String: String], [String: String], Int64, [String])]
    )
    func `evidence is as old as the oldest scrape`(
        ages: [String: String],
        up: [String: String],
        at: Int64,
        gaps: [String]
    ) async throws {
        let evidence = evidence(comparison("a", "1", "10") + comparison("b", "0", "5"), up: up, ages: ages)
        let found = try await evidence.evidence(
            of: Snapshots.state("catalogue", at: .shadow(sample: .all), epoch: 3),
            seconds: 60,
            now: 1_000_000
        )
        #expect(found.snapshot.at == at)
        #expect(found.gaps == gaps)
    }

    @Test func `the fleet's breaker is as bad as the worst, and open if any living one is`() async throws {
        func breaker(_ instance: String, _ counts: (Int, Int, Int), isLiving: Bool = true) -> [Series] {
            [("openings", counts.0), ("closings", counts.1), ("longestSeconds", counts.2)].map {
                Series(
                    name: "cofferdam_upgrade_breaker_total",
                    instance: instance,
                    boot: isLiving ? "1" : "0",
                    verdict: $0.0,
                    value: String($0.1),
                    isLiving: isLiving
                )
            }
        }
        let gone = breaker("a", (2, 1, 30), isLiving: false) + breaker("b", (1, 1, 40))
        let closed = try await ask(evidence(gone + breaker("a", (0, 0, 0))))
        #expect(closed.snapshot.reading.breaker == BreakerHistory(openings: 2, longestSeconds: 40, isOpen: false))
        let open = try await ask(evidence(gone + breaker("a", (1, 0, 5))))
        #expect(open.snapshot.reading.breaker == BreakerHistory(openings: 2, longestSeconds: 40, isOpen: true))
        let unknown = try await ask(evidence(breaker("a", (0, 0, 0))))
        #expect(unknown.snapshot.reading.breaker == nil)
        #expect(unknown.gaps.contains("breaker: openings is missing at b"))
    }
}
#endif
