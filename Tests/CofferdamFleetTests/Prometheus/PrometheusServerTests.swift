#if Fleet
import Cofferdam
import CofferdamFleet
import CofferdamUpgrade
import Testing

@Suite(
    .enabled(if: Programs.prometheus != nil, "Prometheus is not installed: ./dev setup fleet"),
    .timeLimit(.minutes(5))
)
struct PrometheusServerTests {
    @Test func `a restarted instance and one that is gone are counted exactly`() async throws {
        let (one, two) = (try ScrapedInstance(), try ScrapedInstance())
        try await PrometheusServer.with([one, two]) { server in
            func publish(_ instance: ScrapedInstance, _ counts: FailureCounts, matches: Int) {
                instance.count(
                    Snapshots.snapshot([.comparison: counts, .slow: FailureCounts(0, of: 0)], matches: matches)
                )
            }
            publish(one, FailureCounts(1, of: 1_234_567_890_123), matches: 7)
            publish(two, FailureCounts(2, of: 500), matches: 4)
            try await expect(FailureCounts(3, of: 1_234_567_890_623), matches: 11, from: [one, two], at: server)
            publish(two, FailureCounts(3, of: 501), matches: 5)
            try await expect(FailureCounts(4, of: 1_234_567_890_624), matches: 12, from: [one, two], at: server)
            one.restart(boot: "2")
            // It is up, but has not counted yet: Prometheus only has the counts of its first life.
            try await eventually("the restart is seen") {
                let now = try await self.evidence(of: [one, two], at: server)
                return now.gaps == ["\(one.name) does not say when it wrote its counters"]
                    && now.snapshot.reading.isIncomplete == true
            }
            publish(one, FailureCounts(0, of: 10), matches: 10)
            try await expect(FailureCounts(4, of: 1_234_567_890_634), matches: 22, from: [one, two], at: server)
            two.end()
            try await eventually("an instance is gone") {
                let now = try await self.evidence(of: [one, two], at: server)
                return now.gaps == ["\(two.name) is not up"] && now.snapshot.reading.isIncomplete == true
            }
            // It is no longer expected, but its counts stay.
            try await expect(FailureCounts(4, of: 1_234_567_890_634), matches: 22, from: [one], at: server)
            try await eventually("nothing is carried over") {
                let another = try await self.evidence(of: [one], at: server, epoch: 4)
                return another.gaps == ["no instance has counted anything in epoch 4"]
                    && another.snapshot.reading.metrics.isEmpty
            }
        }
    }

    @Test func `two builds in one epoch are not summed, and once only one is left, only its counts count`()
        async throws
    {
        let (one, two) = (try ScrapedInstance(), try ScrapedInstance())
        try await PrometheusServer.with([one, two]) { server in
            func count(_ total: Int, by instances: [ScrapedInstance], _ build: String) {
                let metrics: [Metric: FailureCounts] = [
                    .comparison: FailureCounts(0, of: total), .slow: FailureCounts(0, of: 0),
                ]
                for instance in instances {
                    instance.count(Snapshots.snapshot(metrics, matches: total), under: Snapshots.key(build))
                }
            }
            count(400, by: [one, two], "old")
            try await expect(FailureCounts(0, of: 800), matches: 800, from: [one, two], at: server)
            // The same process, as when an expectation expires.
            count(3, by: [two], "new")
            let keys = [("old", one), ("new", two)].map { "\(Snapshots.key($0.0).digest) at \($0.1.name)" }.sorted()
            try await eventually("both are named") {
                let now = try await self.evidence(of: [one, two], at: server)
                return now.gaps == ["it is counted under 2 keys, of which only one may remain: \(keys[0]); \(keys[1])"]
                    && now.key == nil && now.snapshot.reading.metrics.isEmpty
            }
            // An unexpected instance counts at the same time.
            let half = try await evidence(of: [one], at: server)
            #expect(half.key == nil && half.snapshot.reading.metrics.isEmpty && half.gaps.count == 1)
            one.restart(boot: "2")
            count(5, by: [one], "new")
            try await expect(FailureCounts(0, of: 8), matches: 8, from: [one, two], at: server)
            try await eventually("how it grew is of the new one alone") {
                let shown = try await server.evidence(from: [one, two]).growth(
                    of: Snapshots.capability,
                    at: .canary(share: 500),
                    epoch: 3,
                    key: Snapshots.key("new").digest,
                    seconds: 60
                )
                let totals = shown.compactMap { $0.reading.metrics[.comparison]?.total }
                return totals.allSatisfy { $0 <= 8 } && totals.last == 8
            }
        }
    }

    @Test func `units that a restarted process continues with are counted once, and others may be counted twice`()
        async throws
    {
        let instance = try ScrapedInstance()
        try await PrometheusServer.with([instance]) { server in
            func count(_ total: Int, series: String?) {
                let metrics: [Metric: FailureCounts] = [
                    .comparison: FailureCounts(0, of: total),
                    Metric.comparison.of("search"): FailureCounts(0, of: total / 2),
                ]
                instance.count(Snapshots.snapshot(metrics), series: series)
            }
            func expect(_ total: Int, isKept: Bool) async throws {
                try await eventually("\(total) units, kept: \(isKept)") {
                    let reading = try await self.evidence(of: [instance], at: server).snapshot.reading
                    return reading.metrics == [
                        .comparison: FailureCounts(0, of: total),
                        Metric.comparison.of("search"): FailureCounts(0, of: total / 2),
                    ] && reading.isKept == isKept
                }
            }
            count(100, series: "s")
            try await expect(100, isKept: true)
            instance.restart(boot: "2")
            count(104, series: "s")
            try await expect(104, isKept: true)
            instance.restart(boot: "3")
            count(100, series: nil)
            try await expect(204, isKept: false)
        }
    }

    @Test func `what visits meet is summed over all instances, for the alarm`() async throws {
        let (one, two) = (try ScrapedInstance(), try ScrapedInstance())
        try await PrometheusServer.with([one, two]) { server in
            func visit(_ instance: ScrapedInstance, _ hours: [Int64: FailureCounts], series: String? = nil) {
                let counted = FailureCounts(0, of: 1)
                var snapshot = Snapshots.snapshot([.comparison: counted, .slow: FailureCounts(0, of: 0)])
                snapshot.reading.hours = hours.sorted { $0.key < $1.key }.map { hour, counts in
                    VisitCounts(
                        hour: hour,
                        [
                            .newly(.failed, on: .candidate): counts,
                            Metric.newly(.failed, on: .candidate).of("search"): counts,
                        ]
                    )
                }
                instance.count(snapshot, series: series)
            }
            func expect(_ counts: FailureCounts) async throws {
                try await eventually("\(counts)") {
                    let hours = try await self.evidence(of: [one, two], at: server).snapshot.reading.hours ?? []
                    let metrics = [Metric.newly(.failed, on: .candidate), .newly(.failed, on: .candidate).of("search")]
                    // The test may run across the end of an hour.
                    let sums = metrics.map { metric in hours.reduce(.none) { $0 + ($1.metrics[metric] ?? .none) } }
                    return sums == [counts, counts]
                }
            }
            visit(one, [10: FailureCounts(1, of: 10)])
            visit(two, [10: FailureCounts(0, of: 20)])
            try await expect(FailureCounts(1, of: 30))
            // An instance forgets its oldest hour, which Prometheus knows.
            visit(one, [11: FailureCounts(2, of: 5)])
            try await expect(FailureCounts(3, of: 35))
            one.restart(boot: "2")
            visit(one, [11: FailureCounts(1, of: 1)])
            try await expect(FailureCounts(4, of: 36))
            // The next process of it continues its counts.
            one.restart(boot: "3")
            visit(one, [11: FailureCounts(1, of: 1)], series: "s")
            one.write()
            try await expect(FailureCounts(4, of: 36))
            visit(one, [11: FailureCounts(1, of: 4)], series: "s")
            try await expect(FailureCounts(4, of: 39))
        }
    }

    @Test func `an instance that answers but stops writing is missing until it writes again`() async throws {
        let (one, two) = (try ScrapedInstance(), try ScrapedInstance())
        let metrics: [Metric: FailureCounts] = [
            .comparison: FailureCounts(0, of: 4), .slow: FailureCounts(0, of: 0),
        ]
        try await PrometheusServer.with([one, two]) { server in
            for instance in [one, two] { instance.count(Snapshots.snapshot(metrics, matches: 4)) }
            try await expect(FailureCounts(0, of: 8), matches: 8, from: [one, two], at: server)
            two.standStill()
            try await eventually("it is noticed") {
                let now = try await self.evidence(of: [one, two], at: server)
                guard now.gaps.count == 1, now.snapshot.reading.isIncomplete == true else { return false }
                return now.gaps[0].hasPrefix("\(two.name) wrote its counters ")
                    && now.gaps[0].hasSuffix(" s ago, and 2 s are allowed")
            }
            two.restart(boot: "2")
            two.count(Snapshots.snapshot(metrics, matches: 4))
            try await expect(FailureCounts(0, of: 12), matches: 12, from: [one, two], at: server)
        }
    }

    @Test func `a Prometheus that requires credentials answers only those it knows`() async throws {
        let instance = try ScrapedInstance()
        instance.count(Snapshots.snapshot([.comparison: FailureCounts(1, of: 2)]))
        // The bcrypt of "sesame".
        let users = ["amara": "$2b$04$abcdefghijklmnopqrstuuinwY/tkBVrn3xrxQI/TgnMHhkvl85RW"]
        try await PrometheusServer.with([instance], users: users) { server in
            func evidence(_ authorization: PrometheusAuthorization?) async throws -> FleetEvidence {
                try await server.evidence(from: [instance], as: authorization).evidence(
                    of: Snapshots.state(Snapshots.capability, at: .canary(share: 500), epoch: 3),
                    seconds: 60,
                    now: 1
                )
            }
            try await eventually("the counts are scraped") {
                // It answers unknown users before it is ready for others.
                let found = try? await evidence(.basic(user: "amara", password: "sesame"))
                return found?.snapshot.reading.metrics == [.comparison: FailureCounts(1, of: 2)]
            }
            let strangers: [PrometheusAuthorization?] = [
                nil, .basic(user: "amara", password: "swordfish"), .bearer("sesame"),
            ]
            for stranger in strangers {
                let error = await #expect(throws: PrometheusError.self) { try await evidence(stranger) }
                #expect(error?.code == .unavailable)
                #expect(error?.message == "Prometheus answers 401")
            }
        }
    }

    private func evidence(
        of instances: [ScrapedInstance],
        at server: PrometheusServer,
        epoch: Int = 3
    ) async throws -> FleetEvidence {
        try await server.evidence(from: instances).evidence(
            of: Snapshots.state(Snapshots.capability, at: .canary(share: 500), epoch: epoch),
            seconds: 60,
            now: 1
        )
    }

    private func expect(
        _ counts: FailureCounts,
        matches: Int,
        from instances: [ScrapedInstance],
        at server: PrometheusServer
    ) async throws {
        try await eventually("\(counts), \(matches) matches") {
            let now = try await evidence(of: instances, at: server)
            let reading = now.snapshot.reading
            return now.gaps.isEmpty && reading.metrics == [.comparison: counts, .slow: FailureCounts(0, of: 0)]
                && now.snapshot.outcomes == OutcomeCounts([.match: matches]) && reading.breaker == BreakerHistory()
        }
    }
}
#endif
