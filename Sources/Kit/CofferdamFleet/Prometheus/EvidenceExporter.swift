import Cofferdam
public import CofferdamUpgrade  // exports its EvidenceSnapshot
public import CoreMetrics  // counts by whatever backend it is given

/// Gives one process's counters of an epoch to the metrics of the fleet.
///
/// Each has the labels capability, operation, stage, epoch, boot and verdict. Of one boot they only grow, so that whoever sums
/// them takes the largest of each boot. The gate's own counters are of whole capabilities: their operation is `all`.
public final class EvidenceExporter: Sendable {
    /// This process's life, which no other has.
    public let boot: String
    private let factory: any MetricsFactory
    private let exported = Mutex([Labels: Exported]())

    private struct Labels: Hashable {
        var name: String
        var capability: String
        var stage: Stage
        var epoch: Int
        var verdict: String
    }

    private struct Exported {
        var counter: Counter
        var count: Int
    }

    /// - Parameters:
    ///   - factory: what the app has bootstrapped by default.
    ///   - boot: another one for each start of a process: a new UUID, say.
    public init(factory: any MetricsFactory = MetricsSystem.factory, boot: String) {
        self.factory = factory
        self.boot = boot
    }

    /// Raises the counters to what was counted: as often as a second, so that a crash loses no more. What is at 0 is exported as
    /// 0, since what is missing is not.
    public func publish(_ snapshot: EvidenceSnapshot) {
        var counts: [Labels: Int] = [:]
        func add(_ name: String, _ verdict: String, _ count: Int) {
            let reading = snapshot.reading
            let labels = Labels(
                name: name,
                capability: snapshot.capability,
                stage: reading.stage,
                epoch: reading.epoch,
                verdict: verdict
            )
            counts[labels] = count
        }
        for (metric, count) in snapshot.reading.metrics {
            add(EvidenceSeries.metrics, EvidenceSeries.failures(of: metric), count.failures)
            add(EvidenceSeries.metrics, EvidenceSeries.total(of: metric), count.total)
        }
        for outcome in ComparisonOutcome.allCases {
            add(EvidenceSeries.outcomes, outcome.rawValue, snapshot.outcomes[outcome])
        }
        if let breaker = snapshot.reading.breaker {
            add(EvidenceSeries.breaker, EvidenceSeries.openings, breaker.openings)
            add(EvidenceSeries.breaker, EvidenceSeries.longestSeconds, breaker.longestSeconds)
            // A counter cannot fall: it is open while it was opened more often than closed.
            add(EvidenceSeries.breaker, EvidenceSeries.closings, breaker.openings - (breaker.isOpen ? 1 : 0))
        }
        exported.withLock { exported in
            for (labels, count) in counts {
                var entry = exported[labels] ?? Exported(counter: makeCounter(labels), count: 0)
                let growth = count - entry.count
                guard growth > 0 || exported[labels] == nil else { continue }
                entry.counter.increment(by: max(0, growth))
                entry.count += max(0, growth)
                exported[labels] = entry
            }
        }
    }

    /// Publishes what a recorder has counted, until it is cancelled.
    ///
    /// - Parameters:
    ///   - state: what is followed now: an engine's `status.stored`. Nothing is published while it is nil.
    ///   - interval: so much is lost at the most when the process ends.
    /// - Throws: `CancellationError`.
    public func run(
        _ recorder: EvidenceRecorder,
        every interval: Duration = .seconds(1),
        clock: some Clock<Duration> = ContinuousClock(),
        state: @Sendable () -> UpgradeState?
    ) async throws {
        while true {
            if let state = state() {
                publish(
                    EvidenceSnapshot(
                        capability: state.capability,
                        at: WallTime.now(),
                        reading: await recorder.reading(of: state, afterSeconds: 0),
                        outcomes: recorder.outcomes
                    )
                )
            }
            try await clock.sleep(for: interval)
        }
    }

    private func makeCounter(_ labels: Labels) -> Counter {
        let dimensions = [
            ("capability", labels.capability), ("operation", "all"), ("stage", labels.stage.rawValue),
            ("epoch", String(labels.epoch)), ("boot", boot), ("verdict", labels.verdict),
        ]
        return Counter(label: labels.name, dimensions: dimensions, factory: factory)
    }
}
