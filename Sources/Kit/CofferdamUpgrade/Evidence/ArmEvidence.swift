import Cofferdam

/// The counts of all builds of an upgrade in which no process holds both sides: see ``Arm``. An ``UpgradeEngine`` with
/// such a plan reads them from its evidence store automatically.
package struct ArmEvidence: EvidenceSource {
    private let store: any EvidenceStore

    /// - Parameter store: the store in which all builds save their counts.
    init(_ store: any EvidenceStore) { self.store = store }

    /// The counts of the state's epoch, added up over its builds.
    package func reading(of state: UpgradeState, afterSeconds seconds: Int) async throws -> GateReading {
        let found = try await store.arms(of: state.capability, epoch: state.epoch)
            .filter { $0.record.key.stage == state.stage && $0.record.key.installations == nil }
        return Self.reading(of: found, at: state, afterSeconds: seconds)
    }

    /// - Parameter found: the counts of the builds in the state's epoch, at its stage.
    static func reading(
        of found: [EvidenceTotals],
        at state: UpgradeState,
        afterSeconds seconds: Int
    ) -> GateReading {
        let readings = found.map { totals in
            let reading = totals.evidence(against: state.baseline).reading(afterSeconds: seconds)
            let crossed = totals.record.counts[EvidenceRecord.crossed]?[""]?.begun[""] ?? 0
            return ArmReading(totals.record.key, reading, crossed: crossed)
        }
        var metrics = readings.metrics(at: state.stage)
        if !found.isEmpty { state.baseline?.add(to: &metrics) }
        return GateReading(
            stage: state.stage,
            epoch: state.epoch,
            seconds: seconds,
            metrics: metrics,
            isKept: !found.contains { $0.record.lacksUnits ?? false },
            arms: readings.counts
        )
    }
}

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

extension EpochEvidence {
    /// The counts of the build with that key, for people; nil in a process with both sides, and while nothing was
    /// counted.
    var armCounts: ArmCounts? {
        guard let arm = key.arm else { return nil }
        let tally = arm.side == .legacy ? legacy : candidate
        guard let all = tally.counts[Self.all] else { return nil }
        var named: [String: FailureCounts] = [:]
        for (place, name) in operations.enumerated() {
            if let counts = tally.counts[place] { named[name] = Self.failures(counts.begun) }
        }
        return ArmCounts(
            build: arm.build,
            side: arm.side,
            units: Self.failures(all.begun),
            settled: all.settled.values.reduce(0, +),
            operations: named,
            crossed: nil
        )
    }

    /// The evidence, with its sides swapped at `aa`: a build counts its own units there as those of a candidate, and
    /// ``ArmReading`` compares two builds.
    var onOwnSide: EpochEvidence {
        guard key.stage == .aa else { return self }
        var evidence = self
        (evidence.candidate, evidence.legacy) = (legacy, candidate)
        return evidence
    }
}
