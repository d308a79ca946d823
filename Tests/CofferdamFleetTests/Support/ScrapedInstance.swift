#if Fleet
import Cofferdam
@testable import CofferdamFleet
import CofferdamUpgrade
import TestSupport

/// An instance of a fleet, as Prometheus sees it: `/metrics` on the loopback.
final class ScrapedInstance: Sendable {
    private struct Life {
        let metrics = TextMetrics()
        let exporter: EvidenceExporter
        var counted: (snapshot: EvidenceSnapshot, key: EpochKey, series: String?)?
        var watched: (recorder: EvidenceRecorder, state: UpgradeState)?
        var writes = true

        init(boot: String) { exporter = EvidenceExporter(factory: metrics, boot: boot) }

        /// Writes the counts just before each scrape, as if its loop never slept.
        func scraped() -> String {
            if writes, let (snapshot, key, series) = counted {
                var snapshot = snapshot
                snapshot.at = WallTime.now()
                exporter.publish(snapshot, under: key, series: series)
            }
            if writes, let (recorder, state) = watched { exporter.publish(recorder, at: state, now: WallTime.now()) }
            return metrics.text
        }
    }

    private let server: LoopbackServer
    private let life = Mutex(Life(boot: "1"))

    init() throws {
        server = try LoopbackServer()
        server.answers { [weak self] _ in (200, self?.life.withLock { $0.scraped() } ?? "") }
    }

    var name: String { server.address }

    /// Sets its count from now on.
    ///
    /// - Parameter series: names the count if it outlives the process.
    func count(_ snapshot: EvidenceSnapshot, under key: EpochKey = Snapshots.key(), series: String? = nil) {
        life.withLock { $0.counted = (snapshot, key, series) }
    }

    /// Exports the recorder's counts in that state from now on.
    func watch(_ recorder: EvidenceRecorder, at state: UpgradeState) {
        life.withLock { $0.watched = (recorder, state) }
    }

    /// Writes the counts now.
    func write() { life.withLock { _ = $0.scraped() } }

    /// Still answers, but writes nothing more.
    func standStill() { life.withLock { $0.writes = false } }

    /// Restarts the process, with no counts.
    func restart(boot: String) { life.withLock { $0 = Life(boot: boot) } }

    /// Gives no answer from now on.
    func end() { server.end() }
}
#endif
