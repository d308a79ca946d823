#if Fleet
package import CofferdamUpgrade  // gives its EvidenceSnapshot

extension PrometheusEvidence {
    /// The growth of the metrics in an epoch, oldest first. For display only.
    ///
    /// At each point, the largest value of each boot so far counts. What an instance counted after its last point is
    /// missing.
    ///
    /// - Parameters:
    ///   - key: the key whose counts are returned: ``FleetEvidence/key``.
    ///   - seconds: how long the epoch has lasted.
    ///   - count: the approximate maximum number of points. They are at least a second apart.
    /// - Throws: ``PrometheusError``; `CancellationError`.
    package func growth(
        of capability: String,
        at stage: Stage,
        epoch: Int,
        key: String,
        seconds: Int,
        points count: Int = 60
    ) async throws -> [EvidenceSnapshot] {
        let seconds = Self.bounded(seconds)
        guard seconds > 0, count > 0 else { return [] }
        let labels = [
            ("capability", capability), ("stage", stage.rawValue), ("epoch", String(epoch)), ("key", key),
        ]
        let step = 1 + (seconds - 1) / count
        let query = "\(selector(EvidenceSeries.metrics, labels))[\(seconds)s:\(step)s]"
        let samples = Dictionary(grouping: try await client.pastSamples(query)) { $0.milliseconds }
        guard let begin = samples.keys.min() else { return [] }
        var largest: [[String: String]: PrometheusClient.Sample] = [:]
        return samples.sorted { $0.key < $1.key }.map { at, found in
            for sample in found.map(\.sample) {
                let before = largest[sample.labels].flatMap { Double($0.value) } ?? -1
                if let value = Double(sample.value), value >= before { largest[sample.labels] = sample }
            }
            let reading = GateReading(
                stage: stage,
                epoch: epoch,
                seconds: Int(WallTime.since(begin, at: at) / 1_000),
                metrics: InstanceCounts(Array(largest.values)).metrics
            )
            return EvidenceSnapshot(capability: capability, at: at, reading: reading, outcomes: OutcomeCounts())
        }
    }
}

extension InstanceCounts {
    /// The metrics whose failures and total are both known.
    fileprivate var metrics: [Metric: FailureCounts] {
        var metrics: [Metric: FailureCounts] = [:]
        for metric in Set(verdicts.compactMap { EvidenceSeries.metric($0)?.metric }) {
            do {
                let failures = try sum(EvidenceSeries.failures(of: metric))
                metrics[metric] = FailureCounts(failures, of: try sum(EvidenceSeries.total(of: metric)))
            } catch {
                // An unknown value is not shown.
            }
        }
        return metrics
    }
}
#endif
