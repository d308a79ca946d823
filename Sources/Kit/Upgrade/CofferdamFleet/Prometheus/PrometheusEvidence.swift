#if Fleet
public import CofferdamCurl  // sends requests through its CurlClient
public import CofferdamUpgrade  // gives its EvidenceSnapshot

/// The evidence of a fleet: the counts of its instances in an epoch, scraped by Prometheus and summed.
///
/// For each boot of each instance the largest value counts, so that an instance that was restarted or removed is
/// neither forgotten nor counted twice. `increase()` would return fractions, and a plain `sum()` would fall when an
/// instance is removed.
///
/// Only counts under one key are summed: the key of all instances that count now. While two keys are in use, as during
/// the rollout of a build, nothing is summed. Prometheus must retain its samples for at least as long as an epoch
/// lasts.
///
/// Builds with one side each are summed build by build and then compared: see `Arm`. Instances do not know each other's
/// units, so a unit that two builds serve counts in both: route each unit's calls to one build.
public struct PrometheusEvidence: Sendable {
    /// The instances whose counters are required, by Prometheus's label `instance`: "10.0.0.7:9090".
    var instances: Set<String>
    /// Prometheus's label `job`.
    var job: String
    /// The maximum age of an instance's last scrape and last write, in seconds: at least twice the scrape interval, and
    /// at most a day.
    ///
    /// Each instance reports write times by its own clock, so this also bounds how far that clock may be off from
    /// Prometheus's: an instance whose clock is further ahead counts as missing, and one that no longer writes is
    /// detected after at most twice this time.
    public var freshness = 60
    let client: PrometheusClient

    /// - Parameters:
    ///   - endpoint: the address of Prometheus: "http://127.0.0.1:9090".
    ///   - client: sends the requests, with its TLS settings.
    ///   - authorization: nil if Prometheus requires none.
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

    /// Returns the fleet's counts. While an expected instance is missing, those of the others are incomplete: the gate
    /// can go back on them, and otherwise holds. A metric that some of the others lack is left out.
    ///
    /// - Parameters:
    ///   - state: the state whose epoch to read. It holds the baseline of the legacy side.
    ///   - seconds: how long the epoch has lasted.
    ///   - now: in milliseconds since 1970. The snapshot has the time of the oldest last scrape or last write among the
    ///     instances.
    /// - Throws: ``PrometheusError``; `CancellationError`.
    package func evidence(
        of state: UpgradeState,
        seconds: Int,
        now: Int64
    ) async throws -> FleetEvidence {
        var evidence = try await counted(of: state, seconds: seconds, now: now)
        if !evidence.gaps.isEmpty { evidence.snapshot.reading.isIncomplete = true }
        return evidence
    }

    private func counted(of state: UpgradeState, seconds: Int, now: Int64) async throws -> FleetEvidence {
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
        let counting = instances.intersection(keys.values.reduce(into: []) { $0.formUnion($1) }).subtracting(down)
        var evidence = FleetEvidence(snapshot: snapshot, gaps: gaps, key: keys.count == 1 ? keys.keys.first : nil)
        let comparesBuilds = stage != .legacyOnly && writes.arms != nil
        guard !counting.isEmpty, comparesBuilds || evidence.key != nil else { return evidence }
        let counted = Epoch(
            capability: capability,
            stage: stage,
            number: epoch,
            key: comparesBuilds ? nil : evidence.key,
            seconds: seconds
        )
        if comparesBuilds {
            try await addArms(of: counted, keys.mapValues(counting.intersection), to: &evidence)
            evidence.snapshot.reading.isKept = try await areKept(counted)
            state.baseline?.add(to: &evidence.snapshot.reading.metrics)
            return evidence
        }
        try await addMetrics(of: counted, at: counting, to: &evidence)
        try await addOutcomes(of: counted, to: &evidence)
        try await addBreaker(of: counted, at: counting, to: &evidence)
        evidence.snapshot.reading.hours = try await hours(of: counted)
        evidence.snapshot.reading.isKept = try await areKept(counted)
        state.baseline?.add(to: &evidence.snapshot.reading.metrics)
        return evidence
    }

    struct Epoch {
        var capability: String
        var stage: Stage
        var number: Int
        /// Nil for all keys.
        var key: String?
        var seconds: Int

        var labels: [(String, String)] {
            [("capability", capability), ("stage", stage.rawValue), ("epoch", String(number))]
                + (key.map { [("key", $0)] } ?? [])
        }
    }

    private func addMetrics(
        of epoch: Epoch,
        at counting: Set<String>,
        to evidence: inout FleetEvidence
    ) async throws {
        let (counts, living) = try await counts(SeriesNames.metrics, epoch)
        evidence.snapshot.reading.metrics = metrics(counts, living, of: counting, &evidence.gaps)
        if counts.verdicts.isEmpty, evidence.gaps.isEmpty { evidence.gaps.append(Self.nothing(in: epoch)) }
        evidence.snapshot.reading.metrics.completeAnswers()
    }

    static func nothing(in epoch: Epoch) -> String { "no instance has counted anything in epoch \(epoch.number)" }

    /// Returns the sums over all boots of all instances.
    ///
    /// - Parameter instances: the instances that must have each metric now.
    func metrics(
        _ counts: InstanceCounts,
        _ living: InstanceCounts,
        of instances: Set<String>,
        _ gaps: inout [String]
    ) -> [Metric: FailureCounts] {
        var sums: [Metric: FailureCounts] = [:]
        let metrics = Set(counts.verdicts.compactMap { SeriesNames.metric($0)?.metric })
        for metric in metrics.sorted(by: { $0.rawValue < $1.rawValue }) {
            let (failures, total) = (SeriesNames.failures(of: metric), SeriesNames.total(of: metric))
            do {
                // An instance that has not served an operation yet does not export its metrics.
                if !metric.isPartial { try require([failures, total], living, of: instances) }
                sums[metric] = FailureCounts(try counts.sum(failures), of: try counts.sum(total))
            } catch {
                gaps.append("\(metric): \(error.reason)")
            }
        }
        return sums
    }

    private func addOutcomes(of epoch: Epoch, to evidence: inout FleetEvidence) async throws {
        let (counts, _) = try await counts(SeriesNames.outcomes, epoch)
        for outcome in ComparisonOutcome.allCases {
            do {
                evidence.snapshot.outcomes[outcome] = try counts.sum(outcome.rawValue)
            } catch {
                evidence.gaps.append("outcomes: \(error.reason)")
            }
        }
    }

    /// Adds the worst that any instance has seen. The breaker is open if it is open now in a process that still runs.
    private func addBreaker(
        of epoch: Epoch,
        at counting: Set<String>,
        to evidence: inout FleetEvidence
    ) async throws {
        let (counts, living) = try await counts(SeriesNames.breaker, epoch)
        let (openings, closings, seconds) = (
            SeriesNames.openings, SeriesNames.closings, SeriesNames.longestSeconds
        )
        guard !counts.verdicts.isEmpty else { return }
        do {
            try require([openings, closings, seconds], living, of: counting)
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

    /// Everything that was scraped in the epoch, and what is there now.
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

    /// An hour longer than the epoch, because the clock of the host that took the step may have been ahead. Nothing
    /// earlier has the epoch's number.
    private func window(of epoch: Epoch) -> Int { Self.bounded(epoch.seconds) + bound + 3_600 }

    /// Whether every process that has counted in the epoch continued its predecessor's counts.
    private func areKept(_ epoch: Epoch) async throws -> Bool {
        let selector = selector(SeriesNames.kept, epoch.labels)
        let samples = try await client.samples("min_over_time(\(selector)[\(window(of: epoch))s])")
        let reporting = Set(samples.compactMap { $0.labels["instance"] })
        return reporting.isSuperset(of: instances) && samples.allSatisfy { $0.value == "1" }
    }

    /// At most ten years, so that sums do not overflow.
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

    /// The expected instances that were not scraped, or not in time.
    private func down() async throws -> [String] {
        let samples = try await client.samples("min_over_time(\(selector("up", []))[\(bound)s])")
        let up = samples.filter { $0.value == "1" }.compactMap { $0.labels["instance"] }
        return instances.subtracting(up).sorted()
    }

    /// How many seconds ago each expected instance was scraped, by Prometheus's own clock; without those that
    /// Prometheus has forgotten.
    private func ages() async throws -> [String: Double] {
        let samples = try await client.samples("time() - timestamp(\(selector("up", [])))")
        var ages: [String: Double] = [:]
        for sample in samples {
            guard let instance = sample.labels["instance"], instances.contains(instance),
                let age = Double(sample.value), (0...Double(Self.longest)).contains(age)
            else { continue }
            // The newer of two replicas counts.
            ages[instance] = min(ages[instance] ?? age, age)
        }
        return ages
    }

    private func lastWrites(of capability: String, at stage: Stage, epoch: Int) async throws -> LastWrites {
        let selector = selector(SeriesNames.lastWrite, [("capability", capability)])
        return LastWrites(try await client.samples("time() - \(selector)"), at: stage, epoch: epoch, within: bound)
    }

    /// The longest silence of an expected instance, in milliseconds.
    private func oldest(_ scraped: [String: Double], _ written: [String: Double]) -> Int64 {
        let ages = scraped.values + instances.compactMap { written[$0] }
        return Int64(min(max(0, ages.max() ?? 0), Double(Self.longest)) * 1_000)
    }

    /// In seconds: longer than Prometheus looks back.
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

/// The baseline of the legacy side over all instances of a fleet, or why it is unknown.
package struct FleetBaseline: Sendable, Hashable {
    /// Nil if any part of it is missing, or too few calls were timed.
    package var baseline: LegacyBaseline?
    /// Why there is no baseline, for people; empty if there is one.
    package var gaps: [String]

    package init(_ baseline: LegacyBaseline?, gaps: [String] = []) {
        self.baseline = baseline
        self.gaps = gaps
    }
}

extension PrometheusEvidence {
    /// Returns the baseline of the legacy side at `legacyOnly` so far, for the step that ends that stage.
    ///
    /// Units are summed over all instances. The limit above which a call is slow is computed from the calls of the
    /// instances that run now, whose durations are rounded up by at most a sixteenth.
    ///
    /// - Parameters:
    ///   - state: at `legacyOnly`.
    ///   - seconds: how long it has been at that stage.
    ///   - minimum: the required number of calls of the legacy side.
    ///   - now: in milliseconds since 1970.
    /// - Throws: ``PrometheusError``; `CancellationError`.
    package func baseline(of state: UpgradeState, seconds: Int, minimum: Int, now: Int64) async throws -> FleetBaseline
    {
        var watching = state
        watching.baseline = nil
        let found = try await evidence(of: watching, seconds: seconds, now: now)
        guard found.gaps.isEmpty, let key = found.key else { return FleetBaseline(nil, gaps: found.gaps) }
        let metrics = found.snapshot.reading.metrics.filter { $0.key.isBaseline }
        let epoch = Epoch(
            capability: state.capability,
            stage: state.stage,
            number: state.epoch,
            key: key,
            seconds: seconds
        )
        let living = try await counts(SeriesNames.timed, epoch).living
        do {
            guard metrics[.legacyFailures] != nil else {
                throw InstanceCounts.Gap(reason: "no instance reports what the legacy side did")
            }
            try require([SeriesNames.timedCalls], living, of: instances)
            let durations = try await durations(epoch)
            let watch = LegacyWatch(metrics: metrics, reads: try await reads(epoch), durations: durations)
            if let baseline = LegacyBaseline(watch, minimum: minimum) { return FleetBaseline(baseline) }
            throw InstanceCounts.Gap(
                reason: "only \(durations.calls) of the legacy side's calls were timed, but \(minimum) are needed"
            )
        } catch let gap as InstanceCounts.Gap {
            return FleetBaseline(nil, gaps: [gap.reason])
        }
    }

    /// The durations of all instances that run now. Each instance counts once, however often it was scraped.
    private func durations(_ epoch: Epoch) async throws -> [String: LatencyHistogram] {
        var largest: [[String]: Double] = [:]
        for sample in try await client.samples(selector(SeriesNames.durations, epoch.labels)) {
            let labels = ["instance", "boot", "operation", "nanoseconds"].map { sample.labels[$0] ?? "" }
            guard let value = Double(sample.value), (1...1e9).contains(value) else { continue }
            largest[labels] = max(largest[labels] ?? 0, value)
        }
        var durations: [String: LatencyHistogram] = [:]
        for (labels, value) in largest {
            guard let nanoseconds = Int64(labels[3]) else { continue }
            durations[labels[2], default: LatencyHistogram()].add(Int(value), of: nanoseconds)
        }
        return durations
    }

    private func reads(_ epoch: Epoch) async throws -> Set<String> {
        let samples = try await client.samples(selector(SeriesNames.reads, epoch.labels))
        return Set(samples.filter { $0.value == "1" }.compactMap { $0.labels["operation"] })
    }
}
#endif
