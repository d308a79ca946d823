import Cofferdam

/// The counts of one build, to be compared with those of the others.
package struct ArmReading: Sendable {
    private let key: EpochKey
    /// The metrics of all its units, as its process counts them.
    private let metrics: [Metric: FailureCounts]
    /// The same for people; nil if nothing was counted, and at `legacyOnly`, where all builds measure the legacy side
    /// together.
    fileprivate let counts: ArmCounts?

    /// - Parameters:
    ///   - key: the key under which the build counted.
    ///   - reading: the reading of the build's processes.
    ///   - crossed: the number of units that another build had counted before; nil if it is unknown.
    package init(_ key: EpochKey, _ reading: GateReading, crossed: Int?) {
        (self.key, metrics) = (key, reading.metrics)
        var counts = reading.arms?.first
        counts?.crossed = crossed
        self.counts = counts
    }

    fileprivate var isLegacySide: Bool { key.arm?.side == .legacy }
    fileprivate var order: (String, String) { (key.binary, key.comparison) }

    /// The sum over all builds.
    fileprivate static func sum(_ readings: [ArmReading]) -> [Metric: FailureCounts] {
        var metrics: [Metric: FailureCounts] = [:]
        for (metric, counts) in readings.flatMap(\.metrics) where !metric.isBaseline {
            metrics[metric] = metrics[metric].map { $0 + counts } ?? counts
        }
        return metrics
    }

    /// The metrics of two builds of the legacy side: the second one's as those of a candidate, and this one's as those
    /// of the first build.
    fileprivate func compared(with second: ArmReading) -> [Metric: FailureCounts] {
        var result = second.metrics.filter { !$0.key.isBaseline }
        for metric in Set(metrics.keys).union(result.keys) {
            let (one, two) = (metrics[metric] ?? .none, second.metrics[metric] ?? .none)
            if let first = metric.forFirstBuild {
                let total = one.failures + two.failures
                result[metric] = FailureCounts(two.failures, of: total)
                result[first] = FailureCounts(one.failures, of: total)
            } else if metric.whole == .candidateFailures {
                result[metric.operation.map(Metric.firstFailures.of) ?? .firstFailures] = one
            }
        }
        return result
    }
}

extension [ArmReading] {
    /// The counts of the builds that counted something, for people, in the order in which two builds are compared.
    package var counts: [ArmCounts] { sorted { $0.order < $1.order }.compactMap(\.counts) }

    /// The metrics that the gate of that stage reads, without the baseline; empty at `aa` unless there are two builds
    /// of the legacy side.
    package func metrics(at stage: Stage) -> [Metric: FailureCounts] {
        var metrics: [Metric: FailureCounts]
        if stage == .aa {
            // The candidate's builds may be out already; they count nothing here.
            let builds = filter(\.isLegacySide).sorted { $0.order < $1.order }
            metrics = builds.count == 2 ? builds[0].compared(with: builds[1]) : [:]
        } else {
            metrics = ArmReading.sum(self)
        }
        metrics.completeAnswers()
        return metrics
    }
}

extension GateReading {
    /// The reading of builds that are compared with each other: see ``Arm``.
    ///
    /// - Parameters:
    ///   - found: the counts of the builds in that epoch, at that stage.
    ///   - baseline: that of the legacy side from before this epoch, if known.
    ///   - seconds: the age of the epoch.
    package init(
        ofBuilds found: [EvidenceCounts],
        at stage: Stage,
        epoch: Int,
        against baseline: LegacyBaseline?,
        afterSeconds seconds: Int
    ) {
        let readings = found.map { counts in
            let reading = counts.reading(against: baseline, afterSeconds: seconds)
            return ArmReading(counts.key, reading, crossed: counts.crossed)
        }
        var metrics = readings.metrics(at: stage)
        if !found.isEmpty { baseline?.add(to: &metrics) }
        self.init(
            stage: stage,
            epoch: epoch,
            seconds: seconds,
            metrics: metrics,
            isKept: !found.contains(where: \.lacksUnits),
            arms: readings.counts
        )
    }
}
