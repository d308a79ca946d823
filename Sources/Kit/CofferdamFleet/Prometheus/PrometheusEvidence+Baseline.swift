public import CofferdamUpgrade  // gives its LegacyBaseline

/// What the legacy side did on all instances of a fleet, or why that is not known.
public struct FleetBaseline: Sendable, Hashable {
    /// Nil where anything of it is missing, or too few calls were timed.
    public var baseline: LegacyBaseline?
    /// Why there is none, for people; empty if there is.
    public var gaps: [String]

    public init(_ baseline: LegacyBaseline?, gaps: [String] = []) {
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
    ///   - fewest: how many calls of the legacy side are enough.
    ///   - now: in milliseconds since 1970.
    /// - Throws: ``PrometheusError``; `CancellationError`.
    public func baseline(of state: UpgradeState, seconds: Int, fewest: Int, now: Int64) async throws -> FleetBaseline {
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
                throw InstanceCounts.Gap(reason: "no instance tells what the old side did")
            }
            try require([EvidenceSeries.timedCalls], living)
            var durations = try await durations(epoch)
            durations.timed = try timed.sum(EvidenceSeries.timedCalls)
            let watch = LegacyWatch(metrics: metrics, reads: try await reads(epoch), durations: durations)
            if let baseline = LegacyBaseline(watch, fewest: fewest) { return FleetBaseline(baseline) }
            throw InstanceCounts.Gap(
                reason: "only \(durations.timed) of the old side's calls were timed, and \(fewest) are needed"
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
