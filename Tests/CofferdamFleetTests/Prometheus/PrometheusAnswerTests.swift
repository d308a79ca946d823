#if Fleet
import Cofferdam
import TestSupport
@testable import CofferdamFleet
import CofferdamUpgrade
import Foundation
import Testing

/// Checks what is read from Prometheus's answers, over time and if they are malformed.
@Suite struct PrometheusAnswerTests {
    @Test func `growth is the sum of each boot's largest value so far, and a value that is not a count is not shown`()
        async throws
    {
        func past(_ instance: String, _ verdict: String, _ values: [(Int, String)]) -> String {
            let values = values.map { #"[\#(1_000 + $0.0),"\#($0.1)"]"# }.joined(separator: ",")
            return #"{"metric":{"instance":"\#(instance)","boot":"1","verdict":"\#(verdict)"},"values":[\#(values)]}"#
        }
        let series = [
            past("a", "comparison:failures", [(0, "0"), (60, "1"), (120, "1")]),
            past("a", "comparison:total", [(0, "10"), (60, "20"), (120, "30")]),
            // Gone after a minute, and a scrape that a restarted Prometheus answered from an older one.
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
        let growth = try await evidence.growth(of: "catalogue", at: stage, epoch: 3, key: "k", seconds: 130, points: 2)
        #expect(growth.map(\.at) == [1_000_000, 1_060_000, 1_120_000])
        #expect(growth.map(\.reading.seconds) == [0, 60, 120])
        #expect(
            growth.map(\.reading.metrics) == [
                [.comparison: FailureCounts(0, of: 10)], [.comparison: FailureCounts(3, of: 25)],
                [.comparison: FailureCounts(3, of: 35)],
            ]
        )
        #expect(asked.entries.count == 1)
        #expect(asked.entries.first?.hasSuffix(#"key="k"}[130s:65s]"#) == true)
        for (seconds, points, count) in [(0, 60, 0), (Int.max, .max, 3)] {
            let growth = try await evidence.growth(
                of: "catalogue",
                at: stage,
                epoch: 3,
                key: "k",
                seconds: seconds,
                points: points
            )
            #expect(growth.count == count)
        }
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
    func `anything but a complete answer is an error`(status: Int, body: String, code: String, message: String)
        async throws
    {
        let client = PrometheusClient { _ in (status, Array(body.utf8)) }
        let evidence = PrometheusEvidence(client, job: "shop", instances: ["a"])
        let error = await #expect(throws: PrometheusError.self) {
            try await evidence.evidence(
                of: Snapshots.state("catalogue", at: .shadow(sample: .all), epoch: 3),
                seconds: 60,
                now: 1
            )
        }
        #expect(error?.code.rawValue == code)
        #expect(error?.message.contains(message) == true)
    }

    @Test func `texts are quoted as in PromQL`() {
        #expect(PrometheusClient.quoted("a\"b\\c\nd é") == #""a\"b\\c\nd é""#)
    }
}
#endif
