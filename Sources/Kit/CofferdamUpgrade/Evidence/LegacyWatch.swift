/// What one process has watched of the legacy side at `legacyOnly`, so that what all processes of a fleet have watched can be added.
package struct LegacyWatch: Sendable, Hashable {
    /// What a ``LegacyBaseline`` gives the gate: units that failed, gave up, or got an answer of a kind.
    package var metrics: [Metric: FailureCounts]
    /// The operations that are reads, which the shadow can compare.
    package var reads: Set<String>
    package var durations: DurationCounts

    package init(
        metrics: [Metric: FailureCounts] = [:],
        reads: Set<String> = [],
        durations: DurationCounts = DurationCounts()
    ) {
        (self.metrics, self.reads, self.durations) = (metrics, reads, durations)
    }

    /// - Parameter evidence: of an epoch at `legacyOnly`.
    init(_ evidence: EpochEvidence, _ durations: CallDurations) {
        // Without limits: what is slow is not known before the durations of all are together.
        let unlimited = Dictionary(uniqueKeysWithValues: evidence.operations.map { ($0, Duration.zero) })
        self.init(
            metrics: evidence.baseline(unlimited).metrics,
            reads: evidence.reads,
            durations: durations.counts
        )
    }
}

extension LegacyBaseline {
    /// What a fleet has watched, to be frozen; nil where fewer than `fewest` calls were timed.
    package init?(_ watch: LegacyWatch, margin: Duration = EvidenceRecorder.slowMargin, fewest: Int) {
        guard let units = watch.metrics[.legacyFailures],
            let limits = watch.durations.limits(margin: margin, fewest: fewest)
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
    /// What the gate reads of it, where nothing was counted of the candidate yet.
    var metrics: [Metric: FailureCounts] {
        var metrics: [Metric: FailureCounts] = [:]
        add(to: &metrics)
        return metrics
    }

    /// Adds what the gate reads of it to what was counted of the candidate.
    package func add(to metrics: inout [Metric: FailureCounts]) {
        metrics[.legacyFailures] = units
        if let gaveUp { metrics[.legacyGaveUp] = FailureCounts(gaveUp, of: units.total) }
        for (name, operation) in operations { metrics[.legacyFailures.of(name)] = operation.units }
        // An answer that the legacy side never gave is one that it gave to none of its units.
        for kind in Set(answers.keys).union(metrics.keys.compactMap(\.kindOfAnswer)) {
            metrics[.legacyAnswers(kind)] = FailureCounts(answers[kind, default: 0], of: units.total)
        }
    }
}
