#if Server
import Cofferdam
public import CofferdamFleet  // the stores that servers share
import CofferdamUpgrade
import Logging
import ServiceLifecycle

/// What several servers share: the states and the audit log through etcd, and the counts of each through
/// Prometheus.
///
/// Each server keeps the reports that it receives in its own database, and exports their counts at `/metrics`. A
/// unit counts once at each server that it posts to, so send all posts of a unit to the same server.
public struct SharedUpgrades: Sendable {
    let store: EtcdUpgradeStore
    let evidence: PrometheusEvidence

    /// - Parameters:
    ///   - store: with the same cluster and prefix for all servers.
    ///   - evidence: with all servers as its `instances`.
    public init(store: EtcdUpgradeStore, evidence: PrometheusEvidence) {
        (self.store, self.evidence) = (store, evidence)
    }
}

extension ControlPlaneConfiguration {
    /// The audit log that servers share, for a webhook; nil for a single server.
    func outbox(for webhook: Webhook) -> EtcdOutbox? {
        shared.map { EtcdOutbox($0.store, receiver: webhook.name, capabilities: capabilities.map(\.name)) }
    }

    /// What the webhook is notified of: the breakers of this server's devices, and for a single server also the audit log, are in its
    /// database.
    func sources(_ log: SQLiteUpgradeLog, of webhook: Webhook) -> [any WebhookSource] {
        guard let outbox = outbox(for: webhook) else { return [log] }
        return [log, outbox]
    }
}

/// A server's counts, as `/metrics` exports them.
struct SharedCounts: Sendable {
    let metrics: TextMetrics
    let exporter: EvidenceExporter

    init() {
        metrics = TextMetrics()
        exporter = EvidenceExporter(factory: metrics, boot: UpgradeEngine.randomID())
    }
}

/// Exports a server's counts of one upgrade while the server runs.
struct ExportService: Service {
    let upgrade: HostedUpgrade
    let parts: ServerParts
    let exporter: EvidenceExporter

    /// How often it exports.
    static let interval = Duration.seconds(1)

    func run() async {
        await cancelWhenGracefulShutdown {
            repeat {
                // If exports keep failing, the counts become too old, and the gate holds.
                do { try await export() } catch is CancellationError { return } catch {
                    parts.logger.warning("\(upgrade.name): its counts cannot be read: \("\(error)".plain())")
                }
            } while (try? await parts.sleep(Self.interval)) != nil
        }
    }

    func export() async throws {
        guard let state = upgrade.engine?.followedState else { return }
        let window = Int(parts.configuration.window.components.seconds)
        exporter.publish(try await parts.log.reported(of: state, window: window, at: parts.configuration.now()))
    }
}
#endif
