import Cofferdam
public import CofferdamUpgrade  // exports its EvidenceSnapshot
public import CoreMetrics  // counts by whatever backend it is given

/// Gives one process's counters of an epoch to the metrics of the fleet.
///
/// Each has the labels capability, operation, stage, epoch, key, boot and verdict. Of one boot and key they only grow: a
/// sum takes the largest of each boot. What is counted of all operations together has the operation `*`.
/// Where what is counted outlives the process, its boot is the name of that count, which is the same for all processes that go on
/// with it: so a unit counts once, however often its instance is restarted. A gauge tells whether that is so. The key is that of the epoch, as ``EpochKey/digest``: what one build has counted is not added to another's.
///
/// A gauge tells when they were written last, so that a process which answers and does not count any more is noticed.
public final class EvidenceExporter: Sendable {
    /// This process's life, which no other has.
    public let boot: String
    private let factory: any MetricsFactory
    private let exported = Mutex(Exported())

    private struct Exported {
        var counters: [Series: (counter: Counter, count: Int)] = [:]
        var gauges: [Series: Gauge] = [:]
    }

    private struct Series: Hashable {
        var name: String
        /// Nil of a gauge.
        var verdict: String?
        var operation = EvidenceSeries.allOperations
        var place: Place
    }

    /// What is counted now.
    private struct Place: Hashable {
        var capability: String
        var stage: Stage
        var epoch: Int
        /// Its digest.
        var key: String
        var boot: String
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
    ///
    /// - Parameters:
    ///   - snapshot: of now: its time is told as that of the last write.
    ///   - key: under which it was counted.
    ///   - series: names the count, where it goes on beyond the process.
    public func publish(_ snapshot: EvidenceSnapshot, under key: EpochKey, series: String? = nil) {
        let reading = snapshot.reading
        let place = Place(
            capability: snapshot.capability,
            stage: reading.stage,
            epoch: reading.epoch,
            key: key.digest,
            boot: series ?? boot
        )
        exported.withLock { exported in
            func raise(_ name: String, _ verdict: String, of operation: String? = nil, to count: Int) {
                var series = Series(name: name, verdict: verdict, place: place)
                if let operation { series.operation = operation }
                let known = exported.counters[series]
                let (counter, before) = known ?? (makeCounter(series), 0)
                guard known == nil || count > before else { return }
                counter.increment(by: max(0, count - before))
                exported.counters[series] = (counter, max(before, count))
            }
            // What the legacy side did is in the upgrade's state, once for all instances.
            for (metric, count) in reading.metrics where !metric.isOfBaseline {
                let (whole, operation) = (metric.whole, metric.operation)
                raise(EvidenceSeries.metrics, EvidenceSeries.failures(of: whole), of: operation, to: count.failures)
                raise(EvidenceSeries.metrics, EvidenceSeries.total(of: whole), of: operation, to: count.total)
            }
            for outcome in ComparisonOutcome.allCases {
                raise(EvidenceSeries.outcomes, outcome.rawValue, to: snapshot.outcomes[outcome])
            }
            if let breaker = reading.breaker {
                let isOpen = breaker.isOpen ? 1 : 0
                raise(EvidenceSeries.breaker, EvidenceSeries.openings, to: breaker.openings)
                raise(EvidenceSeries.breaker, EvidenceSeries.longestSeconds, to: breaker.longestSeconds)
                // A counter cannot fall: it is open while it was opened more often than closed.
                raise(EvidenceSeries.breaker, EvidenceSeries.closings, to: breaker.openings - isOpen)
            }
            // At the end: scraped between the two, they look older than they are, and not newer.
            func record(_ name: String, _ value: Double) {
                let series = Series(name: name, place: place)
                let gauge = exported.gauges[series] ?? makeGauge(series)
                exported.gauges[series] = gauge
                gauge.record(value)
            }
            record(EvidenceSeries.kept, series == nil || reading.isKept == false ? 0 : 1)
            record(EvidenceSeries.lastWrite, Double(snapshot.at) / 1_000)
        }
    }

    /// Publishes what a recorder has counted, until it is cancelled.
    ///
    /// - Parameters:
    ///   - recorder: one whose engine has an evidence store goes on where the last process of its instance stood; the store is that
    ///     instance's alone. Until the first count was saved nothing is published.
    ///   - state: what is followed now: an engine's `status.stored`. Nothing is published while it is nil.
    ///   - interval: so much is lost at the most when the process ends.
    ///   - now: milliseconds since 1970.
    /// - Throws: `CancellationError`.
    public func run(
        _ recorder: EvidenceRecorder,
        every interval: Duration = .seconds(1),
        clock: some Clock<Duration> = ContinuousClock(),
        now: @Sendable () -> Int64 = WallTime.now,
        state: @Sendable () -> UpgradeState?
    ) async throws {
        while true {
            if let state = state() {
                let counted = recorder.counted(of: state, at: now())
                if counted.series != nil || counted.snapshot.reading.isKept != true {
                    publish(counted.snapshot, under: counted.key, series: counted.series)
                }
            }
            try await clock.sleep(for: interval)
        }
    }

    private func makeCounter(_ series: Series) -> Counter {
        let dimensions =
            dimensions(of: series.place) + [("operation", series.operation), ("verdict", series.verdict ?? "")]
        return Counter(label: series.name, dimensions: dimensions, factory: factory)
    }

    private func makeGauge(_ series: Series) -> Gauge {
        Gauge(label: series.name, dimensions: dimensions(of: series.place), factory: factory)
    }

    private func dimensions(of place: Place) -> [(String, String)] {
        [
            ("capability", place.capability), ("stage", place.stage.rawValue), ("epoch", String(place.epoch)),
            ("key", place.key), ("boot", place.boot),
        ]
    }
}
