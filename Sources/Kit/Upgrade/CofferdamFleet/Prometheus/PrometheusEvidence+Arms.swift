#if Fleet
import CofferdamUpgrade

extension PrometheusEvidence {
    /// Adds the counts of the builds with one side each, and the metrics that the gate derives from them. A build that
    /// is gone still counts.
    ///
    /// - Parameter keys: the instances that count now, by their build's key.
    func addArms(of epoch: Epoch, _ keys: [String: Set<String>], to evidence: inout FleetEvidence) async throws {
        let metrics = try await samples(SeriesNames.metrics, epoch)
        let shown = try await samples(SeriesNames.arms, epoch)
        let builds = Builds(all: metrics.all, living: metrics.living)
        let counted = Builds(all: shown.all, living: shown.living)
        if builds.arms.isEmpty { evidence.gaps.append(Self.nothing(in: epoch)) }
        var readings: [ArmReading] = []
        for (key, arm) in builds.arms.sorted(by: { $0.key < $1.key }) {
            var gaps: [String] = []
            let here = instances.intersection(keys[key] ?? [])
            var reading = GateReading(
                stage: epoch.stage,
                epoch: epoch.number,
                metrics: self.metrics(builds.counts(of: key), builds.living(of: key), of: here, &gaps)
            )
            do {
                reading.arms = try counted.counts(of: key).arm(arm).map { [$0] }
            } catch {
                gaps.append(error.reason)
            }
            evidence.gaps += gaps.map { "\(arm.build): \($0)" }
            readings.append(ArmReading(arm.key(of: epoch.stage), reading, crossed: nil))
        }
        evidence.snapshot.reading.metrics = readings.metrics(at: epoch.stage)
        evidence.snapshot.reading.arms = readings.counts
    }

    /// Series of builds, by their keys.
    private struct Builds {
        private(set) var arms: [String: Arm] = [:]
        private var all: [String: [PrometheusClient.Sample]] = [:]
        private var living: [String: [PrometheusClient.Sample]] = [:]

        init(all: [PrometheusClient.Sample], living: [PrometheusClient.Sample]) {
            for sample in all {
                let key = sample.labels["key"] ?? ""
                guard let arm = Arm(labels: sample.labels) else { continue }
                arms[key] = arm
                self.all[key, default: []].append(sample)
            }
            self.living = Dictionary(grouping: living) { $0.labels["key"] ?? "" }
        }

        func counts(of key: String) -> InstanceCounts { InstanceCounts(all[key] ?? []) }
        func living(of key: String) -> InstanceCounts { InstanceCounts(living[key] ?? []) }
    }
}

extension InstanceCounts {
    /// A build's counts, for people; nil if there are none.
    fileprivate func arm(_ arm: Arm) throws(Gap) -> ArmCounts? {
        guard !verdicts.isEmpty else { return nil }
        func counts(_ metric: Metric) throws(Gap) -> FailureCounts {
            FailureCounts(try sum(SeriesNames.failures(of: metric)), of: try sum(SeriesNames.total(of: metric)))
        }
        let metrics = Set(verdicts.compactMap { SeriesNames.metric($0)?.metric })
        var operations: [String: FailureCounts] = [:]
        for metric in metrics where metric.whole == SeriesNames.armUnits {
            if let name = metric.operation { operations[name] = try counts(metric) }
        }
        return ArmCounts(
            build: arm.build,
            side: arm.side,
            units: try counts(SeriesNames.armUnits),
            settled: try sum(SeriesNames.total(of: SeriesNames.armSettled)),
            operations: operations,
            crossed: nil
        )
    }
}
#endif
