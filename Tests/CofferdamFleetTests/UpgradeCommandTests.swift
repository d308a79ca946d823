#if Fleet
import Cofferdam
import CofferdamFleet
import CofferdamUpgrade
import Foundation
import Testing

/// `vendorctl upgrade` on a real etcd and a real Prometheus.
@Suite(
    .needsEtcd,
    .enabled(if: Programs.prometheus != nil, "Prometheus is not installed: ./dev setup fleet"),
    .enabled(if: Vendorctl.path != nil, "vendorctl is not built beside the tests: build the whole package"),
    .timeLimit(.minutes(5))
)
struct UpgradeCommandTests {
    private static let shadow = Stage.shadow(sample: .all)

    @Test func `the fleet's evidence decides a promotion, and the record can be recomputed`() async throws {
        let (one, two) = (try ScrapedInstance(), try ScrapedInstance())
        try await onFleet([one, two]) { tool in
            let began = try await tool.upgrade("advance", "--despite-gate", "--reason", "agreed upon")
            #expect(began.code == 0, "\(began.error)")
            try await eventually("both are up, and have counted nothing") {
                try await status(tool).gate.gaps == ["no instance has counted anything in epoch 1"]
            }
            let empty = try await tool.upgrade("promote", "--reason", "too early")
            #expect(empty.code == 1 && empty.output == "")
            #expect(empty.error.contains("(otherVerdict)") && empty.error.contains("the metric is missing"))
            #expect(empty.error.contains("Missing evidence:\n  no instance has counted anything in epoch 1\n"))

            let expected = try await decision(tool).gate.ceilings.map(\.metric).filter {
                $0.rawValue.hasPrefix("expected.")
            }
            #expect(!expected.isEmpty)
            publish(500, expected, by: [one, two])
            try await eventually("1000 units are scraped") { try await status(tool).gate.units == 1_000 }
            let early = try await tool.upgrade("promote", "--reason", "too early")
            #expect(early.code == 1 && early.error.contains("comparison: 0 of 1000"), "\(early.error)")
            #expect(!early.error.contains("Missing evidence"))

            publish(4_000, expected, by: [one, two])
            let watched = try await tool.upgrade("watch", "--until", "promote", "--every", "0.2")
            #expect(
                watched.code == 0 && watched.output.contains("None of 8,000 got another answer"),
                "\(watched.error)"
            )
            // The points of the series are whole seconds.
            try await eventually("how it grew is shown") {
                let series = try await status(tool).gate.series.map(\.units)
                return series.count > 1 && series == series.sorted() && series.last == 8_000
            }
            let decision = try await decision(tool)
            #expect(decision.verdict == .promote)
            #expect(decision.reading.metrics[.comparison] == FailureCounts(0, of: 8_000))
            #expect(decision.contradictions() == [] && decision.recomputed() == decision)

            let promoted = try await tool.upgrade("promote", "--reason", "8000 clean units", "--json")
            #expect(promoted.code == 0, "\(promoted.error)")
            let entry = try #require(try promoted.json(Changes.self).changes.first)
            #expect(entry.after.stage == .canary(share: 500))
            let record = try await tool.upgrade("explain", entry.id, "--json")
            #expect(record.code == 0, "\(record.error)")
            #expect(try record.json(Explained.self).decision?.reading.metrics == decision.reading.metrics)

            let again = try await tool.upgrade("promote", "--reason", "again")
            #expect(again.code == 1 && again.error.contains("no instance has counted anything in epoch 2"))
        }
    }

    @Test func `without an instance that is gone, nothing is decided, and it is named`() async throws {
        let (one, two) = (try ScrapedInstance(), try ScrapedInstance())
        try await onFleet([one, two]) { tool in
            #expect(try await tool.upgrade("advance", "--despite-gate", "--reason", "agreed upon").code == 0)
            publish(4_000, [], by: [one, two])
            try await eventually("both are scraped") { try await status(tool).gate.units == 8_000 }
            two.end()
            try await eventually("one of them is gone") {
                try await status(tool).gate.gaps == ["\(two.name) is not up"]
            }
            let refused = try await tool.upgrade("promote", "--reason", "hope")
            #expect(refused.code == 1 && refused.error.contains("Missing evidence:\n  \(two.name) is not up"))
            // It is no longer expected, but its counts stay.
            var fewer = tool
            fewer.options = fewer.options.map { $0 == "\(one.name),\(two.name)" ? one.name : $0 }
            let left = try await status(fewer).gate
            #expect(left.units == 8_000 && left.gaps == [])
        }
    }

    @Test func `nothing is decided while a build is rolled out, and afterwards only by the new build's counts`()
        async throws
    {
        let (one, two) = (try ScrapedInstance(), try ScrapedInstance())
        try await onFleet([one, two]) { tool in
            #expect(try await tool.upgrade("advance", "--despite-gate", "--reason", "agreed upon").code == 0)
            publish(4_000, [], by: [one, two])
            try await eventually("both are scraped") { try await status(tool).gate.units == 8_000 }
            one.restart(boot: "2")
            publish(100, [], by: [one], build: "two")
            try await eventually("two builds count") {
                try await status(tool).gate.gaps.contains { $0.contains("under 2 keys, of which only one may remain") }
            }
            let refused = try await tool.upgrade("promote", "--reason", "hope")
            #expect(refused.code == 1, "\(refused.output)")
            let keys = [("one", two), ("two", one)].map {
                "\(EpochKey(stage: Self.shadow, binary: $0.0).digest) at \($0.1.name)"
            }
            #expect(keys.allSatisfy { refused.error.contains($0) }, "\(refused.error)")
            two.restart(boot: "2")
            publish(100, [], by: [two], build: "two")
            try await eventually("the new one counts alone") {
                let gate = try await status(tool).gate
                return gate.units == 200 && gate.gaps == [] && gate.series.count > 1
                    && gate.series.allSatisfy { $0.units <= 200 }
            }
        }
    }

    @Test func `if an instance answers but stops writing, nothing is decided`() async throws {
        let (one, two) = (try ScrapedInstance(), try ScrapedInstance())
        try await onFleet([one, two]) { tool in
            #expect(try await tool.upgrade("advance", "--despite-gate", "--reason", "agreed upon").code == 0)
            publish(4_000, [], by: [one, two])
            try await eventually("both are scraped") { try await status(tool).gate.units == 8_000 }
            two.standStill()
            try await eventually("one of them stands still") {
                let gaps = try await status(tool).gate.gaps
                return gaps.count == 1 && gaps[0].hasPrefix("\(two.name) wrote its counters ")
            }
            let refused = try await tool.upgrade("promote", "--reason", "hope")
            #expect(refused.code == 1 && refused.error.contains("s ago, and 2 s are allowed"), "\(refused.error)")
        }
    }

    @Test func `a Prometheus that is unreachable or refuses access ends with 70, and stops no kill switch`()
        async throws
    {
        // The bcrypt of "sesame".
        let users = ["amara": "$2b$04$abcdefghijklmnopqrstuuinwY/tkBVrn3xrxQI/TgnMHhkvl85RW"]
        let instance = try ScrapedInstance()
        try await onFleet([instance], users: users) { tool in
            var known = tool
            known.environment = ["PROMETHEUS_USER": "amara", "PROMETHEUS_PASSWORD": "sesame"]
            #expect(try await known.upgrade("advance", "--despite-gate", "--reason", "agreed upon").code == 0)
            let seen = try await known.upgrade("status")
            #expect(seen.code == 0, "\(seen.error)")

            var stranger = tool
            stranger.environment = ["PROMETHEUS_USER": "amara", "PROMETHEUS_PASSWORD": "swordfish"]
            var lost = known
            lost.options[3] = "http://127.0.0.1:1"
            for (tool, says) in [(stranger, "Prometheus answers 401"), (lost, "127.0.0.1 port 1")] {
                let asked = [
                    try await tool.upgrade("status"), try await tool.upgrade("explain"),
                    try await tool.upgrade("watch"),
                    try await tool.upgrade("promote", "--reason", "hope"),
                ]
                for asked in asked {
                    #expect(asked.code == 70 && asked.output == "")
                    #expect(asked.error.contains(says), "\(asked.error)")
                    #expect(!asked.error.contains("sesame") && !asked.error.contains("swordfish"))
                }
            }
            var without = known
            without.options.removeLast(without.options.count - 2)
            let unknown = try await without.upgrade("promote", "--reason", "hope")
            #expect(unknown.code == 1 && unknown.error.contains("--prometheus"), "\(unknown.error)")
            #expect(unknown.error.contains("(noEvidence)"))
            let killed = try await lost.upgrade("kill", "legacy", "--reason", "orders fail")
            #expect(killed.code == 0, "\(killed.error)")
            #expect(try await lost.upgrade("history").output.contains("all users to V1"))
        }
    }

    // MARK: -

    private func onFleet(
        _ instances: [ScrapedInstance],
        users: [String: String] = [:],
        _ body: (Vendorctl) async throws -> Void
    ) async throws {
        try await EtcdServer.with { etcd in
            try await PrometheusServer.with(instances, users: users) { prometheus in
                let names = instances.map(\.name).joined(separator: ",")
                let tool = Vendorctl(
                    options: [
                        "--etcd", etcd.endpoint, "--prometheus", prometheus.endpoint, "--job", PrometheusServer.job,
                        "--instances", names, "--freshness", "2",
                    ]
                )
                try await body(tool)
            }
        }
    }

    /// Publishes that many units of each instance in the shadow, without failures.
    private func publish(
        _ units: Int,
        _ expected: [Metric],
        by instances: [ScrapedInstance],
        build: String = "one"
    ) {
        var metrics: [Metric: FailureCounts] = [
            .comparison: FailureCounts(0, of: units), .uncounted: FailureCounts(0, of: units),
            .noise: FailureCounts(0, of: units), .pairedFailures: FailureCounts(0, of: 0),
            .pairedSlow: FailureCounts(0, of: 0), Metric.comparison.includingOpenWindows: FailureCounts(0, of: units),
            Metric.mismatches.includingOpenWindows: FailureCounts(0, of: units),
        ]
        for metric in expected { metrics[metric] = FailureCounts(0, of: units) }
        for instance in instances {
            instance.count(
                EvidenceSnapshot(
                    capability: "sanctuary",
                    at: 1,
                    reading: GateReading(stage: Self.shadow, epoch: 1, metrics: metrics, breaker: BreakerHistory()),
                    outcomes: OutcomeCounts([.match: units])
                ),
                under: EpochKey(stage: Self.shadow, binary: build),
                series: "kept"
            )
        }
    }

    private func status(_ tool: Vendorctl) async throws -> Status {
        let finished = try await tool.upgrade("status", "--json")
        try #require(finished.code == 0, "\(finished.error)")
        return try #require(try finished.json([Status].self).first)
    }

    private func decision(_ tool: Vendorctl) async throws -> Decision {
        let finished = try await tool.upgrade("explain", "--json")
        try #require(finished.code == 0, "\(finished.error)")
        return try #require(try finished.json(Explained.self).decision)
    }

    private struct Status: Decodable {
        struct Gate: Decodable {
            struct Point: Decodable { var units: Int }

            var units: Int?
            var series: [Point]
            var gaps: [String]
        }

        var gate: Gate
    }

    private struct Explained: Decodable { var decision: Decision? }

    private struct Changes: Decodable {
        struct Change: Decodable {
            var id: String
            var after: AuditEntry.Position
        }

        var changes: [Change]
    }
}
#endif
