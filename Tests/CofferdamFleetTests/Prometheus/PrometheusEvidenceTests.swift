import Cofferdam
@testable import CofferdamFleet
import CofferdamUpgrade
import Foundation
import Testing

@Suite struct PrometheusEvidenceTests {
    /// What Prometheus has: of each instance and boot a value for each verdict.
    private struct Series {
        var name = "cofferdam_upgrade_units_total"
        var instance = "a"
        var boot = "1"
        var verdict: String
        var value: String
        var isLiving = true
        var replica = "x"

        var json: String {
            let labels = #""instance":"\#(instance)","boot":"\#(boot)","verdict":"\#(verdict)","replica":"\#(replica)""#
            return #"{"metric":{\#(labels)},"value":[1700000000.123,"\#(value)"]}"#
        }
    }

    private func evidence(
        _ series: [Series],
        up: [String: String] = ["a": "1", "b": "1"],
        ages: [String: String] = [:]
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
            } else {
                let isOfAll = query.hasPrefix("max_over_time(")
                found = series.filter { query.contains($0.name + "{") && (isOfAll || $0.isLiving) }.map(\.json)
            }
            let result = found.joined(separator: ",")
            return (200, Array(#"{"status":"success","data":{"resultType":"vector","result":[\#(result)]}}"#.utf8))
        }
        return PrometheusEvidence(client, job: "shop", instances: ["a", "b"])
    }

    private func ask(_ evidence: PrometheusEvidence) async throws -> FleetEvidence {
        try await evidence.evidence(of: "catalogue", at: .shadow(sample: .all), epoch: 3, seconds: 60, now: 1)
    }

    private func comparison(_ instance: String, _ failures: String, _ total: String, boot: String = "1") -> [Series] {
        [
            Series(instance: instance, boot: boot, verdict: "comparison:failures", value: failures),
            Series(instance: instance, boot: boot, verdict: "comparison:total", value: total),
        ]
    }

    @Test func `whole numbers of all boots are summed, however they are written`() async throws {
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

    @Test func `an epoch of any length is asked for`() async throws {
        let evidence = evidence(comparison("a", "1", "10") + comparison("b", "0", "5"))
        for seconds in [Int.min, .max] {
            let found = try await evidence.evidence(
                of: "c",
                at: .shadow(sample: .all),
                epoch: 3,
                seconds: seconds,
                now: 1
            )
            #expect(found.snapshot.reading.metrics == [.comparison: FailureCounts(1, of: 15)])
        }
    }

    @Test func `a counter that two replicas have scraped counts once, with the larger value`() async throws {
        let late = comparison("a", "1", "90").map { series in
            var series = series
            series.replica = "y"
            return series
        }
        let found = try await ask(evidence(comparison("a", "1", "100") + late + comparison("b", "0", "1")))
        #expect(found.snapshot.reading.metrics == [.comparison: FailureCounts(1, of: 101)])
    }

    @Test(arguments: ["NaN", "+Inf", "-1", "1.5", "", "9007199254740994"])
    func `a value that is no count makes its metric missing, not zero`(value: String) async throws {
        let found = try await ask(evidence(comparison("a", "1", "10") + comparison("b", "0", value)))
        #expect(found.snapshot.reading.metrics == [:])
        #expect(found.gaps == ["comparison: comparison:total of b is no whole number"])
    }

    @Test func `a metric that an expected instance does not have now is missing`() async throws {
        var series = comparison("a", "1", "10") + comparison("b", "0", "5")
        for index in series.indices where series[index].instance == "b" { series[index].isLiving = false }
        let found = try await ask(evidence(series))
        #expect(found.snapshot.reading.metrics == [:])
        #expect(found.gaps == ["comparison: comparison:failures is missing at b"])
    }

    @Test func `without any series everything is missing`() async throws {
        let found = try await ask(evidence([]))
        #expect(found.snapshot.reading.metrics == [:])
        #expect(found.snapshot.reading.breaker == nil)
        #expect(found.gaps == ["nobody has counted anything in epoch 3"])
    }

    @Test(arguments: [["a": "1"], ["a": "1", "b": "0"], ["a": "1", "b": "NaN"], ["a": "1", "c": "1"]])
    func `an expected instance that is not up leaves nothing to decide on`(up: [String: String]) async throws {
        let found = try await ask(evidence(comparison("a", "1", "10") + comparison("b", "0", "5"), up: up))
        #expect(found.snapshot.reading.metrics == [:])
        #expect(found.gaps == ["b is not up"])
    }

    @Test(
        arguments: [
            (["a": "2.5", "b": "12.25"], ["a": "1", "b": "1"], 987_750, []),
            (
                ["a": "2.5", "b": "75.9"], ["a": "1"], 924_100,
                ["b is not up: it was scraped 75 s ago, and 60 s are allowed"]
            ),
            (["a": "2.5", "b": "9"], ["a": "1", "b": "0"], 991_000, ["b is not up"]),
            (["a": "NaN", "c": "50"], ["a": "1", "b": "1"], 1_000_000, []),
        ] as [([String: String], [String: String], Int64, [String])]
    )
    func `evidence is as old as the scrape that is the longest ago`(
        ages: [String: String],
        up: [String: String],
        at: Int64,
        gaps: [String]
    ) async throws {
        let evidence = evidence(comparison("a", "1", "10") + comparison("b", "0", "5"), up: up, ages: ages)
        let found = try await evidence.evidence(
            of: "catalogue",
            at: .shadow(sample: .all),
            epoch: 3,
            seconds: 60,
            now: 1_000_000
        )
        #expect(found.snapshot.at == at)
        #expect(found.gaps == gaps)
    }

    @Test func `a breaker is as bad as the worst, and open where a living one is`() async throws {
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

    @Test func `growth is the sum of each boot's largest value until then, and what is no count is not shown`()
        async throws
    {
        func past(_ instance: String, _ verdict: String, _ values: [(Int, String)]) -> String {
            let values = values.map { #"[\#(1_000 + $0.0),"\#($0.1)"]"# }.joined(separator: ",")
            return #"{"metric":{"instance":"\#(instance)","boot":"1","verdict":"\#(verdict)"},"values":[\#(values)]}"#
        }
        let series = [
            past("a", "comparison:failures", [(0, "0"), (60, "1"), (120, "1")]),
            past("a", "comparison:total", [(0, "10"), (60, "20"), (120, "30")]),
            // Gone after a minute, and a scrape that a restarted Prometheus has answered from an older one.
            past("b", "comparison:failures", [(60, "2"), (120, "0")]), past("b", "comparison:total", [(60, "5")]),
            past("a", "slow:failures", [(0, "0")]), past("a", "slow:total", [(0, "0.5")]),
        ].joined(separator: ",")
        let asked = Log<String>()
        let client = PrometheusClient { query in
            asked.add(query)
            return (
                200, Array(#"{"status":"success","data":{"resultType":"matrix","result":[\#(series)]}}"#.utf8)
            )
        }
        let evidence = PrometheusEvidence(client, job: "shop", instances: ["a"])
        let stage = Stage.shadow(sample: .all)
        let growth = try await evidence.growth(of: "catalogue", at: stage, epoch: 3, seconds: 130, points: 2)
        #expect(growth.map(\.at) == [1_000_000, 1_060_000, 1_120_000])
        #expect(growth.map(\.reading.seconds) == [0, 60, 120])
        #expect(
            growth.map(\.reading.metrics) == [
                [.comparison: FailureCounts(0, of: 10)], [.comparison: FailureCounts(3, of: 25)],
                [.comparison: FailureCounts(3, of: 35)],
            ]
        )
        #expect(asked.entries.count == 1)
        #expect(asked.entries.first?.hasSuffix(#"operation="all"}[130s:65s]"#) == true)
        #expect(try await evidence.growth(of: "catalogue", at: stage, epoch: 3, seconds: 0) == [])
        #expect(try await evidence.growth(of: "catalogue", at: stage, epoch: 3, seconds: .max, points: .max).count == 3)
    }

    @Test(
        arguments: [
            (200, "", "unavailable", "answers 200"), (200, "{}", "unavailable", "answers 200"),
            (503, "busy", "unavailable", "answers 503"),
            (
                400, #"{"status":"error","errorType":"bad_data","error":"parse error"}"#, "unavailable",
                "400: parse error"
            ),
            (200, #"{"status":"success","data":{"resultType":"matrix","result":[]}}"#, "unavailable", "a matrix"),
            (
                200, #"{"status":"success","warnings":["a store is gone"],"data":{"resultType":"vector","result":[]}}"#,
                "incomplete", "a store is gone"
            ),
        ]
    )
    func `anything but a whole answer is an error`(status: Int, body: String, code: String, message: String)
        async throws
    {
        let client = PrometheusClient { _ in (status, Array(body.utf8)) }
        let evidence = PrometheusEvidence(client, job: "shop", instances: ["a"])
        let error = await #expect(throws: PrometheusError.self) { try await ask(evidence) }
        #expect(error?.code.rawValue == code)
        #expect(error?.message.contains(message) == true)
    }

    @Test func `texts are quoted as PromQL has them`() {
        #expect(PrometheusClient.quoted("a\"b\\c\nd é") == #""a\"b\\c\nd é""#)
    }
}
