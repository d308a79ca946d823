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
        let query = "\(selector(SeriesNames.metrics, labels))[\(seconds)s:\(step)s]"
        let points = sums(over: try await client.pastSamples(query))
        guard let begin = points.first?.at else { return [] }
        return points.map { at, metrics in
            let seconds = Int(WallTime.since(begin, at: at) / 1_000)
            let reading = GateReading(stage: stage, epoch: epoch, seconds: seconds, metrics: metrics)
            return EvidenceSnapshot(capability: capability, at: at, reading: reading, outcomes: OutcomeCounts())
        }
    }

    /// What visits met in each of the last hours, over all instances, the oldest first; nil if no instance exports it. A
    /// visit at the end of an hour may count in the next one, in which it is scraped.
    func hours(of epoch: Epoch) async throws -> [VisitCounts]? {
        let count = min(Self.mostHours, epoch.seconds / 3_600 + 2)
        // The largest value of the hour that ends at each point, so that no process is too short to be seen.
        let hourly = "max_over_time(\(selector(SeriesNames.visits, epoch.labels))[1h])"
        let past = try await client.pastSamples("\(hourly)[\(count)h:1h]")
        let points = sums(over: past + (try await client.pastSamples(hourly, isRange: false)))
        guard !points.isEmpty else { return nil }
        // What was counted before the first point belongs to no hour, unless that is the beginning of the epoch.
        let base = count < Self.mostHours ? [:] : points[0].metrics
        return zip([base] + points.map(\.metrics), points).compactMap { before, point in
            let metrics = point.metrics.reduce(into: [Metric: FailureCounts]()) { metrics, now in
                let earlier = before[now.key] ?? .none
                let total = now.value.total - earlier.total
                guard total > 0 else { return }
                metrics[now.key] = FailureCounts(max(0, now.value.failures - earlier.failures), of: total)
            }
            // A point ends its hour.
            return metrics.isEmpty ? nil : VisitCounts(hour: (point.at - 1) / 3_600_000, metrics)
        }
    }

    /// As many as the alarm looks back, and one to begin with.
    private static let mostHours = 49

    /// The sums over all boots at each time, oldest first: of each boot its largest value so far.
    private func sums(over samples: [PrometheusClient.PastSample]) -> [(at: Int64, metrics: [Metric: FailureCounts])] {
        var largest: [[String: String]: PrometheusClient.Sample] = [:]
        return Dictionary(grouping: samples) { $0.milliseconds }.sorted { $0.key < $1.key }.map { at, found in
            for sample in found.map(\.sample) {
                let before = largest[sample.labels].flatMap { Double($0.value) } ?? -1
                if let value = Double(sample.value), value >= before { largest[sample.labels] = sample }
            }
            return (at, InstanceCounts(Array(largest.values)).metrics)
        }
    }
}

extension InstanceCounts {
    /// The metrics whose failures and total are both known.
    fileprivate var metrics: [Metric: FailureCounts] {
        var metrics: [Metric: FailureCounts] = [:]
        for metric in Set(verdicts.compactMap { SeriesNames.metric($0)?.metric }) {
            do {
                let failures = try sum(SeriesNames.failures(of: metric))
                metrics[metric] = FailureCounts(failures, of: try sum(SeriesNames.total(of: metric)))
            } catch {
                // An unknown value is not shown.
            }
        }
        return metrics
    }
}
#endif
