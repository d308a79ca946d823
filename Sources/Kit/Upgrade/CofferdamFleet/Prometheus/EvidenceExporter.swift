#if Fleet
import Cofferdam
public import CofferdamUpgrade  // exports its EvidenceSnapshot
public import CoreMetrics  // takes a MetricsFactory

/// Exports one process's counters of an epoch as metrics.
///
/// Each counter has the labels capability, operation, stage, epoch, key, boot and verdict. For one boot and key, a
/// counter only grows, so a sum takes the largest value of each boot. Counts of all operations together have the
/// operation `*`. If the counts outlive the process, the boot is the name of the count, which all processes that
/// continue it share, so that a unit counts once across restarts; a gauge reports whether that is the case.
///
/// At `legacyOnly` it also exports the measurements of the legacy side and the durations of its calls. The step that
/// ends that stage stores their sum over all instances in the upgrade's state.
///
/// The key is the epoch's `EpochKey.digest`, so that counts of different builds are not added. Counters of a build with
/// one side also have the labels build and side: see `Arm`.
///
/// A gauge holds the time of the last write, which reveals a process that answers but no longer counts.
public final class EvidenceExporter: Sendable {
    /// Identifies this process among all that have ever run.
    package let boot: String
    private let factory: any MetricsFactory
    private let exported = Mutex(Exported())

    private struct Exported {
        var counters: [Series: (counter: Counter, count: Int)] = [:]
        var gauges: [Series: Gauge] = [:]
        var visits: [Place: Visits] = [:]
    }

    /// The visits of one epoch. What was counted of them falls after two days; a counter only grows.
    private struct Visits {
        /// The hours as they were exported last.
        var hours: [Int64: [Metric: FailureCounts]] = [:]
        /// Since the process began.
        var sums: [Metric: FailureCounts] = [:]

        /// - Parameter hours: what is not exported again.
        init(continuing hours: [VisitCounts]) {
            self.hours = Dictionary(hours.map { ($0.hour, $0.metrics) }, uniquingKeysWith: { $1 })
            for metric in hours.flatMap(\.metrics.keys) { sums[metric] = FailureCounts.none }
        }

        func adding(_ hours: [VisitCounts]) -> Visits {
            var visits = Visits(continuing: hours)
            visits.sums = sums
            for hour in hours {
                for (metric, counts) in hour.metrics {
                    let before = self.hours[hour.hour]?[metric] ?? .none
                    let failures = max(0, counts.failures - before.failures)
                    let new = FailureCounts(failures, of: max(0, counts.total - before.total))
                    visits.sums[metric] = (sums[metric] ?? .none) + new
                }
            }
            return visits
        }
    }

    private struct Series: Hashable {
        var name: String
        /// Nil for a gauge.
        var verdict: String?
        var operation: String?
        /// Set for a gauge of durations.
        var nanoseconds: Int64?
        var place: Place
    }

    /// The epoch and process of the counts.
    private struct Place: Hashable {
        var capability: String
        var stage: Stage
        var epoch: Int
        /// Its digest.
        var key: String
        /// The build, if no process has both sides.
        var arm: Arm?
        var boot: String
    }

    /// - Parameters:
    ///   - factory: by default, the one that the app has bootstrapped.
    ///   - boot: different at each start of a process: a new UUID, for example.
    public init(factory: any MetricsFactory = MetricsSystem.factory, boot: String) {
        self.factory = factory
        self.boot = boot
    }

    /// Raises the counters to the counts of the snapshot. Call it every second, so that a crash loses no more than
    /// that. Zeros are exported too: an absent counter would not count as 0.
    ///
    /// - Parameters:
    ///   - snapshot: a current one: its time is exported as that of the last write.
    ///   - key: the key of the counts.
    ///   - series: the name of the count, if it outlives the process.
    package func publish(_ snapshot: EvidenceSnapshot, under key: EpochKey, series: String? = nil) {
        publish(snapshot, under: key, series: series, legacy: nil)
    }

    private func publish(
        _ snapshot: EvidenceSnapshot,
        under key: EpochKey,
        series: String?,
        legacy: LegacyWatch?
    ) {
        let reading = snapshot.reading
        let place = Place(
            capability: snapshot.capability,
            stage: reading.stage,
            epoch: reading.epoch,
            key: key.digest,
            arm: key.arm,
            boot: series ?? boot
        )
        exported.withLock { exported in
            func raise(
                _ name: String,
                _ verdict: String,
                of operation: String? = nil,
                at place: Place = place,
                to count: Int
            ) {
                let series = Series(
                    name: name,
                    verdict: verdict,
                    operation: operation ?? SeriesNames.allOperations,
                    place: place
                )
                let known = exported.counters[series]
                let (counter, before) = known ?? (makeCounter(series), 0)
                guard known == nil || count > before else { return }
                counter.increment(by: max(0, count - before))
                exported.counters[series] = (counter, max(before, count))
            }
            // After `legacyOnly`, the measurements of the legacy side are in the upgrade's state, once for all
            // instances.
            let metrics = reading.metrics.filter { !$0.key.isBaseline }
            for (metric, count) in metrics.merging(legacy?.metrics ?? [:], uniquingKeysWith: { $1 }) {
                let (whole, operation) = (metric.whole, metric.operation)
                raise(SeriesNames.metrics, SeriesNames.failures(of: whole), of: operation, to: count.failures)
                raise(SeriesNames.metrics, SeriesNames.total(of: whole), of: operation, to: count.total)
            }
            if let hours = reading.hours {
                var own = place
                own.boot = boot
                // What an earlier process counted, that one exported.
                let visits = exported.visits[own] ?? Visits(continuing: series == nil ? [] : hours)
                exported.visits = exported.visits.filter { $0.key.capability != own.capability }
                exported.visits[own] = visits.adding(hours)
                for (metric, counts) in exported.visits[own]?.sums ?? [:] {
                    let (whole, operation) = (metric.whole, metric.operation)
                    let (failures, total) = (SeriesNames.failures(of: whole), SeriesNames.total(of: whole))
                    raise(SeriesNames.visits, failures, of: operation, at: own, to: counts.failures)
                    raise(SeriesNames.visits, total, of: operation, at: own, to: counts.total)
                }
            }
            for arm in reading.arms ?? [] where arm.build == place.arm?.build {
                raise(SeriesNames.arms, SeriesNames.total(of: SeriesNames.armSettled), to: arm.settled)
                let all: [String?: FailureCounts] = [nil: arm.units]
                for (operation, counts) in all.merging(arm.operations, uniquingKeysWith: { $1 }) {
                    let units = SeriesNames.armUnits
                    raise(SeriesNames.arms, SeriesNames.failures(of: units), of: operation, to: counts.failures)
                    raise(SeriesNames.arms, SeriesNames.total(of: units), of: operation, to: counts.total)
                }
            }
            for outcome in ComparisonOutcome.allCases {
                raise(SeriesNames.outcomes, outcome.rawValue, to: snapshot.outcomes[outcome])
            }
            if let breaker = reading.breaker {
                let isOpen = breaker.isOpen ? 1 : 0
                raise(SeriesNames.breaker, SeriesNames.openings, to: breaker.openings)
                raise(SeriesNames.breaker, SeriesNames.longestSeconds, to: breaker.longestSeconds)
                // A counter cannot fall, so a breaker is open while it has opened more often than it has closed.
                raise(SeriesNames.breaker, SeriesNames.closings, to: breaker.openings - isOpen)
            }
            func record(_ series: Series, _ value: Double) {
                let gauge = exported.gauges[series] ?? makeGauge(series)
                exported.gauges[series] = gauge
                gauge.record(value)
            }
            if let legacy {
                raise(SeriesNames.timed, SeriesNames.timedCalls, to: legacy.durations.calls)
                let durations = durations(legacy.durations, at: place, exported)
                for (series, count) in durations { record(series, Double(count)) }
                for operation in legacy.durations.keys {
                    let series = Series(name: SeriesNames.reads, operation: operation, place: place)
                    record(series, legacy.reads.contains(operation) ? 1 : 0)
                }
            }
            // Last, so that counters scraped in between look older than they are, never newer.
            let isKept = series != nil && reading.isKept != false
            record(Series(name: SeriesNames.kept, place: place), isKept ? 1 : 0)
            record(Series(name: SeriesNames.lastWrite, place: place), Double(snapshot.at) / 1_000)
        }
    }

    /// The values for the gauges, with 0 for those that were exported before an epoch began anew.
    private func durations(_ counts: [String: LatencyHistogram], at place: Place, _ exported: Exported) -> [Series: Int]
    {
        var gauges: [Series: Int] = [:]
        for series in exported.gauges.keys where series.place == place && series.nanoseconds != nil {
            gauges[series] = 0
        }
        for (operation, durations) in counts {
            for (nanoseconds, count) in durations.buckets {
                let name = SeriesNames.durations
                gauges[Series(name: name, operation: operation, nanoseconds: nanoseconds, place: place)] = count
            }
        }
        return gauges
    }

    /// Publishes a recorder's counts until it is cancelled.
    ///
    /// - Parameters:
    ///   - recorder: if its engine has an evidence store, it continues the counts of the instance's last process; no
    ///     other instance may use that store. Nothing is published until the first count is saved.
    ///   - state: returns the state that is followed now: an engine's `UpgradeEngine.followedState`. Nothing is
    ///     published while it is nil.
    ///   - interval: the time between two exports. At most that much is lost when the process ends.
    ///   - now: returns the time in milliseconds since 1970.
    /// - Throws: `CancellationError`.
    public func run(
        _ recorder: EvidenceRecorder,
        every interval: Duration = .seconds(1),
        clock: some Clock<Duration> = ContinuousClock(),
        now: @Sendable () -> Int64 = WallTime.now,
        state: @Sendable () -> UpgradeState?
    ) async throws {
        while true {
            if let state = state() { publish(recorder, at: state, now: now()) }
            try await clock.sleep(for: interval)
        }
    }

    /// Publishes a recorder's counts, unless they are kept in a store and are not saved yet.
    ///
    /// - Parameter now: in milliseconds since 1970.
    func publish(_ recorder: EvidenceRecorder, at state: UpgradeState, now: Int64) {
        publish(recorder.counted(of: state, at: now))
    }

    /// Publishes the counts, unless they are kept in a store and are not saved yet.
    package func publish(_ counted: EvidenceRecorder.Counted) {
        guard counted.series != nil || counted.snapshot.reading.isKept != true else { return }
        publish(counted.snapshot, under: counted.key, series: counted.series, legacy: counted.legacy)
    }

    private func makeCounter(_ series: Series) -> Counter {
        Counter(label: series.name, dimensions: dimensions(of: series), factory: factory)
    }

    private func makeGauge(_ series: Series) -> Gauge {
        Gauge(label: series.name, dimensions: dimensions(of: series), factory: factory)
    }

    private func dimensions(of series: Series) -> [(String, String)] {
        var dimensions = dimensions(of: series.place)
        if let operation = series.operation { dimensions.append(("operation", operation)) }
        if let verdict = series.verdict { dimensions.append(("verdict", verdict)) }
        if let nanoseconds = series.nanoseconds { dimensions.append(("nanoseconds", String(nanoseconds))) }
        return dimensions
    }

    private func dimensions(of place: Place) -> [(String, String)] {
        [
            ("capability", place.capability), ("stage", place.stage.rawValue), ("epoch", String(place.epoch)),
            ("key", place.key), ("boot", place.boot),
        ] + (place.arm.map { [("build", $0.build), ("side", $0.side.rawValue)] } ?? [])
    }
}
#endif
