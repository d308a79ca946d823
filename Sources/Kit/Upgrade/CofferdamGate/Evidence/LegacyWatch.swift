/// What one process measured of the legacy side at `legacyOnly`. The measurements of all processes of a fleet can be
/// added.
package struct LegacyWatch: Sendable, Hashable {
    /// The metrics of a ``LegacyBaseline``: units that failed, gave up, or got an answer of some kind.
    package var metrics: [Metric: FailureCounts]
    /// The operations that are reads, which the shadow can compare.
    package var reads: Set<String>
    package var durations: [String: LatencyHistogram]

    package init(
        metrics: [Metric: FailureCounts] = [:],
        reads: Set<String> = [],
        durations: [String: LatencyHistogram] = [:]
    ) {
        (self.metrics, self.reads, self.durations) = (metrics, reads, durations)
    }

    /// - Parameter counts: of an epoch at `legacyOnly`.
    package init(_ counts: EvidenceCounts) {
        // Without limits, which need the durations of all processes.
        let unlimited = Dictionary(uniqueKeysWithValues: counts.operations.map { ($0, Duration.zero) })
        self.init(
            metrics: counts.baseline(unlimited).metrics,
            reads: counts.reads,
            durations: counts.durations
        )
    }
}

extension LegacyBaseline {
    /// The baseline of a fleet; nil if fewer than `minimum` calls were timed.
    package init?(_ watch: LegacyWatch, margin: Duration = LatencyHistogram.slowMargin, minimum: Int) {
        guard let units = watch.metrics[.legacyFailures],
            let limits = watch.durations.slowLimits(margin: margin, minimum: minimum)
        else { return nil }
        self.init(units: units, gaveUp: watch.metrics[.legacyGaveUp]?.failures)
        for (metric, count) in watch.metrics {
            if metric.whole == .legacyFailures, let name = metric.operation, let limit = limits[name] {
                operations[name] = Operation(
                    units: count,
                    isRead: watch.reads.contains(name),
                    slowNanoseconds: limit.wholeNanoseconds
                )
            }
            if let kind = metric.kindOfLegacyAnswer, count.failures > 0 { answers[kind] = count.failures }
        }
    }
}

extension LegacyBaseline {
    /// The metrics of the baseline, before anything of the candidate was counted.
    package var metrics: [Metric: FailureCounts] {
        var metrics: [Metric: FailureCounts] = [:]
        add(to: &metrics)
        return metrics
    }

    /// Adds the metrics of the baseline to those of the candidate.
    package func add(to metrics: inout [Metric: FailureCounts]) {
        metrics[.legacyFailures] = units
        if let gaveUp { metrics[.legacyGaveUp] = FailureCounts(gaveUp, of: units.total) }
        for (name, operation) in operations { metrics[.legacyFailures.of(name)] = operation.units }
        // An answer that the legacy side never gave counts as 0 of its units.
        for kind in Set(answers.keys).union(metrics.keys.compactMap(\.kindOfAnswer)) {
            metrics[.legacyAnswers(kind)] = FailureCounts(answers[kind, default: 0], of: units.total)
        }
    }
}
