import Cofferdam

/// The counts of all builds of an upgrade in which no process holds both sides: see ``Arm``. An ``UpgradeEngine`` with a plan for that reads
/// them from its evidence store by itself.
public struct ArmEvidence: EvidenceSource {
    private let store: any EvidenceStore

    /// - Parameter store: where all builds save what they count.
    public init(_ store: any EvidenceStore) { self.store = store }

    /// The counts of the epoch of that state, added up over its builds.
    public func reading(of state: UpgradeState, afterSeconds seconds: Int) async throws -> GateReading {
        let found = try await store.arms(of: state.capability, epoch: state.epoch)
            .filter { $0.record.key.stage == state.stage }
            .sorted {
                ($0.record.key.binary, $0.record.key.comparison) < ($1.record.key.binary, $1.record.key.comparison)
            }
        let arms = found.flatMap(\.arms)
        var metrics: [Metric: FailureCounts] = [:]
        func add(_ evidence: EpochEvidence) {
            for (metric, counts) in evidence.reading(afterSeconds: seconds).metrics where !metric.isOfBaseline {
                metrics[metric] = metrics[metric].map { $0 + counts } ?? counts
            }
        }
        let evidence = found.map { $0.evidence(against: state.baseline) }
        if state.stage != .aa {
            evidence.forEach(add)
        } else if evidence.count == 2 {
            add(evidence[0])
            add(evidence[1].onOtherSide)
            addFirst(evidence[0].onOtherSide.reading(afterSeconds: seconds).metrics, to: &metrics)
        }
        if !found.isEmpty { state.baseline?.add(to: &metrics) }
        return GateReading(
            stage: state.stage,
            epoch: state.epoch,
            seconds: seconds,
            metrics: metrics,
            isKept: !found.contains { $0.record.hasLost ?? false },
            arms: arms
        )
    }

    /// The first of two builds, as the gate reads the second one.
    private func addFirst(_ own: [Metric: FailureCounts], to metrics: inout [Metric: FailureCounts]) {
        for (metric, counts) in metrics {
            func named(_ first: Metric) -> Metric { metric.operation.map(first.of) ?? first }
            func swapped(_ counts: FailureCounts) -> FailureCounts {
                FailureCounts(counts.successes, of: counts.total)
            }
            switch metric.whole {
            case .canaryFailures: metrics[named(.firstShareOfFailures)] = swapped(counts)
            case .activeUnits: metrics[named(.firstUnits)] = swapped(counts)
            case .candidateFailures: metrics[named(.firstFailures)] = own[metric] ?? FailureCounts.none
            default: break
            }
        }
    }
}

extension EvidenceTotals {
    /// What it counted, for people; nothing for a side that it has not.
    fileprivate var arms: [ArmCounts] {
        [(Side.legacy, "legacy"), (.candidate, "candidate")].compactMap { side, tally in
            guard let counts = record.counts[tally] else { return nil }
            let all = counts[""] ?? EvidenceRecord.Counts()
            var operations: [String: FailureCounts] = [:]
            for (name, counts) in counts where !name.isEmpty { operations[name] = Self.failures(counts.begun) }
            return ArmCounts(
                build: record.key.binary,
                side: side,
                units: Self.failures(all.begun),
                settled: all.settled.values.reduce(0, +),
                operations: operations,
                crossed: record.counts[EvidenceRecord.crossed]?[""]?.begun[""] ?? 0
            )
        }
    }

    private static func failures(_ counts: [String: Int]) -> FailureCounts {
        var texts = OutcomeTexts()
        let failed = counts.reduce(0) { texts.calls($1.key)?.marks.contains(.failed) ?? false ? $0 + $1.value : $0 }
        return FailureCounts(failed, of: counts.values.reduce(0, +))
    }
}

extension EpochEvidence {
    /// The counts of the legacy side as those of the candidate.
    fileprivate var onOtherSide: EpochEvidence {
        var evidence = self
        (evidence.candidate, evidence.legacy) = (legacy, candidate)
        return evidence
    }
}
