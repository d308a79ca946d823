public import CofferdamCurl  // asks through an HTTP client that it is given
public import CofferdamUpgrade  // gives its EvidenceSnapshot

/// Sums the counts of the instances of a fleet in an epoch, as Prometheus has scraped them.
///
/// For each boot of each instance the largest value counts: an instance that was restarted or removed is neither
/// forgotten nor counted twice. `increase()` would give fractions, and a plain `sum()` falls when an instance is
/// removed.
///
/// Only counts under one key are summed: the key of all instances that count now. While two keys are in use, as
/// during a rollout of a build, nothing is summed. Prometheus must keep its samples for as long as an epoch lasts.
///
/// Builds with one side each are summed build by build, and then compared: see `Arm`. Instances do not know each other's units, so that a
/// unit that two builds answer counts in both: deliver each unit's calls to one build.
public struct PrometheusEvidence: Sendable {
    /// Which instances' counters are needed, by Prometheus's label `instance`: "10.0.0.7:9090".
    public var instances: Set<String>
    /// Prometheus's label `job`.
    public var job: String
    /// How old the last scrape of an instance may be, and what it has written last, in seconds: at least twice the interval of
    /// scraping, a day at most.
    ///
    /// What was written is told by the instance's own clock, whose difference to Prometheus's this bounds too: one that is further ahead
    /// is missing, and one that stands still is noticed after twice this at the latest.
    public var freshness = 60
    let client: PrometheusClient

    /// - Parameters:
    ///   - endpoint: where Prometheus is: "http://127.0.0.1:9090".
    ///   - client: says how TLS is spoken.
    ///   - authorization: nil where Prometheus asks for none.
    public init(
        endpoint: String,
        client: CurlClient,
        authorization: PrometheusAuthorization? = nil,
        job: String,
        instances: Set<String>
    ) {
        let client = PrometheusClient(endpoint: endpoint, client: client, authorization: authorization)
        self.init(client, job: job, instances: instances)
    }

    init(_ client: PrometheusClient, job: String, instances: Set<String>) {
        self.client = client
        self.job = job
        self.instances = instances
    }

    /// What the fleet has counted. Nothing is summed while an expected instance is not there; a metric that not all of them
    /// have is missing. The gate holds then.
    ///
    /// - Parameters:
    ///   - state: of whose epoch. What the legacy side did is in it.
    ///   - seconds: for how long the epoch lasts.
    ///   - now: in milliseconds since 1970. The snapshot is of when the instance was scraped, or had written, that was not or had not
    ///     for the longest time.
    /// - Throws: ``PrometheusError``; `CancellationError`.
    package func evidence(
        of state: UpgradeState,
        seconds: Int,
        now: Int64
    ) async throws -> FleetEvidence {
        let (capability, stage, epoch) = (state.capability, state.stage, state.epoch)
        var snapshot = EvidenceSnapshot(
            capability: capability,
            at: now,
            reading: GateReading(stage: stage, epoch: epoch, seconds: seconds, metrics: [:]),
            outcomes: OutcomeCounts()
        )
        let scraped = try await ages()
        let writes = try await lastWrites(of: capability, at: stage, epoch: epoch)
        snapshot.at -= oldest(scraped, writes.ages)
        let down = try await down()
        var gaps = down.map { "\($0) is not up\(tooOld(scraped[$0]))" }
        gaps += writes.gaps(of: instances.subtracting(down))
        if instances.isEmpty { gaps.append("no instance is expected") }
        let keys = writes.keys
        var evidence = FleetEvidence(snapshot: snapshot, gaps: gaps, key: keys.count == 1 ? keys.keys.first : nil)
        let isOfArms = stage != .legacyOnly && writes.arms != nil
        guard gaps.isEmpty, isOfArms || evidence.key != nil else { return evidence }
        let counted = Epoch(
            capability: capability,
            stage: stage,
            number: epoch,
            key: isOfArms ? nil : evidence.key,
            seconds: seconds
        )
        if isOfArms {
            try await addArms(of: counted, keys, to: &evidence)
            evidence.snapshot.reading.isKept = try await areKept(counted)
            state.baseline?.add(to: &evidence.snapshot.reading.metrics)
            return evidence
        }
        try await addMetrics(of: counted, to: &evidence)
        try await addOutcomes(of: counted, to: &evidence)
        try await addBreaker(of: counted, to: &evidence)
        evidence.snapshot.reading.isKept = try await areKept(counted)
        state.baseline?.add(to: &evidence.snapshot.reading.metrics)
        return evidence
    }

    struct Epoch {
        var capability: String
        var stage: Stage
        var number: Int
        /// Nil for all.
        var key: String?
        var seconds: Int

        var labels: [(String, String)] {
            [("capability", capability), ("stage", stage.rawValue), ("epoch", String(number))]
                + (key.map { [("key", $0)] } ?? [])
        }
    }

    private func addMetrics(of epoch: Epoch, to evidence: inout FleetEvidence) async throws {
        let (counts, living) = try await counts(EvidenceSeries.metrics, epoch)
        evidence.snapshot.reading.metrics = metrics(counts, living, of: instances, &evidence.gaps)
        if counts.verdicts.isEmpty { evidence.gaps.append(Self.nothing(in: epoch)) }
        evidence.snapshot.reading.metrics.completeAnswers()
    }

    static func nothing(in epoch: Epoch) -> String { "no instance has counted anything in epoch \(epoch.number)" }

    /// The sums of all that was counted.
    ///
    /// - Parameter instances: which must have each metric now.
    func metrics(
        _ counts: InstanceCounts,
        _ living: InstanceCounts,
        of instances: Set<String>,
        _ gaps: inout [String]
    ) -> [Metric: FailureCounts] {
        var sums: [Metric: FailureCounts] = [:]
        let metrics = Set(counts.verdicts.compactMap { EvidenceSeries.metric($0)?.metric })
        for metric in metrics.sorted(by: { $0.rawValue < $1.rawValue }) {
            let (failures, total) = (EvidenceSeries.failures(of: metric), EvidenceSeries.total(of: metric))
            do {
                // An instance that has met no unit of one operation does not know of it.
                if !metric.isPartial { try require([failures, total], living, of: instances) }
                sums[metric] = FailureCounts(try counts.sum(failures), of: try counts.sum(total))
            } catch {
                gaps.append("\(metric): \(error.reason)")
            }
        }
        return sums
    }

    private func addOutcomes(of epoch: Epoch, to evidence: inout FleetEvidence) async throws {
        let (counts, _) = try await counts(EvidenceSeries.outcomes, epoch)
        for outcome in ComparisonOutcome.allCases {
            do {
                evidence.snapshot.outcomes[outcome] = try counts.sum(outcome.rawValue)
            } catch {
                evidence.gaps.append("outcomes: \(error.reason)")
            }
        }
    }

    /// The worst that any of them has seen; open where it is open now, in a process that still runs.
    private func addBreaker(of epoch: Epoch, to evidence: inout FleetEvidence) async throws {
        let (counts, living) = try await counts(EvidenceSeries.breaker, epoch)
        let (openings, closings, seconds) = (
            EvidenceSeries.openings, EvidenceSeries.closings, EvidenceSeries.longestSeconds
        )
        guard !counts.verdicts.isEmpty else { return }
        do {
            try require([openings, closings, seconds], living, of: instances)
            let closed = try living.lives(closings)
            evidence.snapshot.reading.breaker = BreakerHistory(
                openings: try counts.lives(openings).values.max() ?? 0,
                longestSeconds: try counts.lives(seconds).values.max() ?? 0,
                isOpen: try living.lives(openings).contains { $0.value > closed[$0.key, default: 0] }
            )
        } catch {
            evidence.gaps.append("breaker: \(error.reason)")
        }
    }

    // MARK: Queries

    /// All that was ever scraped in the epoch, and what is there now.
    func counts(_ name: String, _ epoch: Epoch) async throws -> (all: InstanceCounts, living: InstanceCounts) {
        let (all, living) = try await samples(name, epoch)
        return (InstanceCounts(all), InstanceCounts(living))
    }

    func samples(
        _ name: String,
        _ epoch: Epoch
    ) async throws -> (all: [PrometheusClient.Sample], living: [PrometheusClient.Sample]) {
        let selector = selector(name, epoch.labels)
        let window = window(of: epoch)
        return (
            try await client.samples("max_over_time(\(selector)[\(window)s])"), try await client.samples(selector)
        )
    }

    /// Longer than the epoch lasts: clocks differ, and nothing from before has its number.
    private func window(of epoch: Epoch) -> Int { Self.bounded(epoch.seconds) + bound + 60 }

    /// Whether every process that has counted in the epoch went on where the one before it stood.
    private func areKept(_ epoch: Epoch) async throws -> Bool {
        let selector = selector(EvidenceSeries.kept, epoch.labels)
        let samples = try await client.samples("min_over_time(\(selector)[\(window(of: epoch))s])")
        let telling = Set(samples.compactMap { $0.labels["instance"] })
        return telling.isSuperset(of: instances) && samples.allSatisfy { $0.value == "1" }
    }

    /// No epoch lasts for ten years, and nothing is added to more.
    static func bounded(_ seconds: Int) -> Int { min(max(0, seconds), 315_360_000) }

    func require(
        _ verdicts: [String],
        _ living: InstanceCounts,
        of instances: Set<String>
    ) throws(InstanceCounts.Gap) {
        for verdict in verdicts {
            let missing = instances.subtracting(living.instances(with: verdict)).sorted()
            guard missing.isEmpty else {
                throw InstanceCounts.Gap(reason: "\(verdict) is missing at \(missing.joined(separator: ", "))")
            }
        }
    }

    /// Those which were not scraped, or not in time.
    private func down() async throws -> [String] {
        let samples = try await client.samples("min_over_time(\(selector("up", []))[\(bound)s])")
        let up = samples.filter { $0.value == "1" }.compactMap { $0.labels["instance"] }
        return instances.subtracting(up).sorted()
    }

    /// How many seconds ago each expected instance was scraped, by Prometheus's own clock, of those that it has not forgotten.
    private func ages() async throws -> [String: Double] {
        let samples = try await client.samples("time() - timestamp(\(selector("up", [])))")
        var ages: [String: Double] = [:]
        for sample in samples {
            guard let instance = sample.labels["instance"], instances.contains(instance),
                let age = Double(sample.value), (0...Double(Self.longest)).contains(age)
            else { continue }
            // Of two replicas the newer one.
            ages[instance] = min(ages[instance] ?? age, age)
        }
        return ages
    }

    private func lastWrites(of capability: String, at stage: Stage, epoch: Int) async throws -> LastWrites {
        let selector = selector(EvidenceSeries.lastWrite, [("capability", capability)])
        return LastWrites(try await client.samples("time() - \(selector)"), at: stage, epoch: epoch, within: bound)
    }

    /// Since when the expected instance is silent that is for the longest time, in milliseconds.
    private func oldest(_ scraped: [String: Double], _ written: [String: Double]) -> Int64 {
        let ages = scraped.values + instances.compactMap { written[$0] }
        return Int64(min(max(0, ages.max() ?? 0), Double(Self.longest)) * 1_000)
    }

    /// Beyond what Prometheus looks back.
    private static let longest = 86_400

    private var bound: Int { min(max(1, freshness), Self.longest) }

    private func tooOld(_ age: Double?) -> String {
        guard let age, age > Double(bound) else { return "" }
        return ": it was scraped \(Int(age)) s ago, and \(bound) s are allowed"
    }

    func selector(_ name: String, _ labels: [(String, String)]) -> String {
        let matchers = ([("job", job)] + labels).map { "\($0.0)=\(PrometheusClient.quoted($0.1))" }
        return "\(name){\(matchers.joined(separator: ","))}"
    }
}

extension PrometheusEvidence: EvidenceSource {
    /// Queries the fleet's counters for the state's epoch.
    public func reading(of state: UpgradeState, afterSeconds seconds: Int) async throws -> GateReading {
        try await evidence(of: state, seconds: seconds, now: 0).snapshot.reading
    }
}

/// What the legacy side did on all instances of a fleet, or why that is not known.
package struct FleetBaseline: Sendable, Hashable {
    /// Nil where anything of it is missing, or too few calls were timed.
    package var baseline: LegacyBaseline?
    /// Why there is none, for people; empty if there is.
    package var gaps: [String]

    package init(_ baseline: LegacyBaseline?, gaps: [String] = []) {
        self.baseline = baseline
        self.gaps = gaps
    }
}

extension PrometheusEvidence {
    /// What the legacy side did at `legacyOnly` until now, for the step that ends that stage.
    ///
    /// Units are the sum of all instances'. From when on a call is slow is worked out of the newest calls of those that are there now,
    /// whose durations are rounded up by a sixteenth at most.
    ///
    /// - Parameters:
    ///   - state: at `legacyOnly`.
    ///   - seconds: for how long it is there.
    ///   - minimum: how many calls of the legacy side are enough.
    ///   - now: in milliseconds since 1970.
    /// - Throws: ``PrometheusError``; `CancellationError`.
    package func baseline(of state: UpgradeState, seconds: Int, minimum: Int, now: Int64) async throws -> FleetBaseline
    {
        var watching = state
        watching.baseline = nil
        let found = try await evidence(of: watching, seconds: seconds, now: now)
        guard found.gaps.isEmpty, let key = found.key else { return FleetBaseline(nil, gaps: found.gaps) }
        let metrics = found.snapshot.reading.metrics.filter { $0.key.isOfBaseline }
        let epoch = Epoch(
            capability: state.capability,
            stage: state.stage,
            number: state.epoch,
            key: key,
            seconds: seconds
        )
        let (timed, living) = try await counts(EvidenceSeries.timed, epoch)
        do {
            guard metrics[.legacyFailures] != nil else {
                throw InstanceCounts.Gap(reason: "no instance tells what the legacy side did")
            }
            try require([EvidenceSeries.timedCalls], living, of: instances)
            var durations = try await durations(epoch)
            durations.timed = try timed.sum(EvidenceSeries.timedCalls)
            let watch = LegacyWatch(metrics: metrics, reads: try await reads(epoch), durations: durations)
            if let baseline = LegacyBaseline(watch, minimum: minimum) { return FleetBaseline(baseline) }
            throw InstanceCounts.Gap(
                reason: "only \(durations.timed) of the legacy side's calls were timed, and \(minimum) are needed"
            )
        } catch let gap as InstanceCounts.Gap {
            return FleetBaseline(nil, gaps: [gap.reason])
        }
    }

    /// Of all instances that are there now, each counted once however often it was scraped.
    private func durations(_ epoch: Epoch) async throws -> DurationCounts {
        var largest: [[String]: Double] = [:]
        for sample in try await client.samples(selector(EvidenceSeries.durations, epoch.labels)) {
            let labels = ["instance", "boot", "operation", "nanoseconds"].map { sample.labels[$0] ?? "" }
            guard let value = Double(sample.value), (1...1e9).contains(value) else { continue }
            largest[labels] = max(largest[labels] ?? 0, value)
        }
        var durations = DurationCounts()
        for (labels, value) in largest {
            guard let nanoseconds = Int64(labels[3]) else { continue }
            durations.add(Int(value), of: nanoseconds, in: labels[2])
        }
        return durations
    }

    private func reads(_ epoch: Epoch) async throws -> Set<String> {
        let samples = try await client.samples(selector(EvidenceSeries.reads, epoch.labels))
        return Set(samples.filter { $0.value == "1" }.compactMap { $0.labels["operation"] })
    }
}
