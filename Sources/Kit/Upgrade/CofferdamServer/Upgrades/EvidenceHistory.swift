#if Server
import Cofferdam
import CofferdamUpgrade
import Logging
import ServiceLifecycle

/// The growth of each upgrade's evidence in its epoch, for the console's charts.
final class EvidenceHistory: Sendable {
    private let log: SQLiteUpgradeLog
    private let kept: Mutex<[String: EvidenceSeries]>

    /// - Parameter kept: the series in the log, by capability.
    init(_ log: SQLiteUpgradeLog, _ kept: [String: EvidenceSeries]) {
        self.log = log
        self.kept = Mutex(kept)
    }

    /// The capability's series; nil before the first point.
    func series(of capability: String) -> EvidenceSeries? { kept.withLock { $0[capability] } }

    /// Adds a point with the gate's current evidence, if the last point is old enough. A new epoch starts a new
    /// series. Only one caller at a time may call this for a capability.
    func record(_ upgrade: HostedUpgrade) async throws {
        guard let decision = try await upgrade.status().decision, !decision.tests.isEmpty else { return }
        let epoch = decision.reading.epoch
        let known = series(of: upgrade.name)
        var series = known?.epoch == epoch ? known ?? EvidenceSeries(epoch: epoch) : EvidenceSeries(epoch: epoch)
        guard series.add(decision.point(at: upgrade.now())) else { return }
        try await log.keep(series, of: upgrade.name)
        kept.withLock { [series] in $0[upgrade.name] = series }
    }
}

/// Records the history of one upgrade while the server runs.
struct HistoryService: Service {
    let upgrade: HostedUpgrade
    let history: EvidenceHistory
    let logger: Logger
    let sleep: @Sendable (Duration) async throws -> Void

    /// How often it records. A rehearsal's time runs faster.
    private var interval: Duration { upgrade.engine == nil ? .seconds(1) : .seconds(60) }

    func run() async {
        await cancelWhenGracefulShutdown {
            repeat {
                // A failure to read or save may be temporary.
                do { try await history.record(upgrade) } catch is CancellationError { return } catch {
                    logger.warning("\(upgrade.name): its chart has a gap: \("\(error)".plain())")
                }
            } while (try? await sleep(interval)) != nil
        }
    }
}
#endif
