#if Server
    import Cofferdam
    public import CofferdamFleet  // what servers share is in a fleet's stores
    import CofferdamUpgrade
    import Logging
    import ServiceLifecycle

    /// What several servers share: the states and the audit log in etcd, and, through Prometheus, what each has counted.
    ///
    /// Each server keeps the reports that it takes in its own database, and exports their counts at `/metrics`. A unit
    /// counts once at each server that it posts to: send a unit's posts to one of them.
    public struct SharedUpgrades: Sendable {
        let store: EtcdUpgradeStore
        let evidence: PrometheusEvidence

        /// - Parameters:
        ///   - store: for all servers the same cluster and prefix.
        ///   - evidence: with all servers as its instances.
        public init(store: EtcdUpgradeStore, evidence: PrometheusEvidence) {
            (self.store, self.evidence) = (store, evidence)
        }
    }

    /// What a server has counted, as `/metrics` gives it.
    struct SharedCounts: Sendable {
        let metrics: TextMetrics
        let exporter: EvidenceExporter

        init() {
            metrics = TextMetrics()
            exporter = EvidenceExporter(factory: metrics, boot: UpgradeEngine.randomID())
        }
    }

    /// Exports what a server has counted of one upgrade, while it runs.
    struct ExportService: Service {
        let upgrade: HostedUpgrade
        let parts: ServerParts
        let exporter: EvidenceExporter

        /// How often.
        static let interval = Duration.seconds(1)

        func run() async {
            await cancelWhenGracefulShutdown {
                repeat {
                    // What is not exported is missing after a while, and the gate holds.
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
