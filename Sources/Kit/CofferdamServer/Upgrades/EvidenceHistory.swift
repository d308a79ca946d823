#if Server
    import Cofferdam
    import CofferdamUpgrade
    import Logging
    import ServiceLifecycle

    /// How the evidence of each upgrade grew in its epoch, for the console's charts.
    final class EvidenceHistory: Sendable {
        private let log: SQLiteUpgradeLog
        private let kept: Mutex<[String: EvidenceSeries]>

        /// - Parameter kept: what the log has of each capability.
        init(_ log: SQLiteUpgradeLog, _ kept: [String: EvidenceSeries]) {
            self.log = log
            self.kept = Mutex(kept)
        }

        /// Nil before the first point.
        func series(of capability: String) -> EvidenceSeries? { kept.withLock { $0[capability] } }

        /// Keeps how far the gate is now, if the last point is long enough ago. A new epoch begins anew. One caller at a
        /// time for each capability.
        func note(_ upgrade: HostedUpgrade) async throws {
            guard let decision = try await upgrade.status().decision, !decision.tests.isEmpty else { return }
            let epoch = decision.reading.epoch
            let known = series(of: upgrade.name)
            var series = known?.epoch == epoch ? known ?? EvidenceSeries(epoch: epoch) : EvidenceSeries(epoch: epoch)
            guard series.add(decision.point(at: upgrade.now())) else { return }
            try await log.keep(series, of: upgrade.name)
            kept.withLock { [series] in $0[upgrade.name] = series }
        }
    }

    /// Keeps the history of one upgrade while the server runs.
    struct HistoryService: Service {
        let upgrade: HostedUpgrade
        let history: EvidenceHistory
        let logger: Logger
        let sleep: @Sendable (Duration) async throws -> Void

        /// How often it looks. A rehearsal's minutes are shorter.
        private var interval: Duration { upgrade.engine == nil ? .seconds(1) : .seconds(60) }

        func run() async {
            await cancelWhenGracefulShutdown {
                repeat {
                    // What cannot be read or kept now can be later.
                    do { try await history.note(upgrade) } catch is CancellationError { return } catch {
                        logger.warning("\(upgrade.name): its chart has a gap: \("\(error)".plain())")
                    }
                } while (try? await sleep(interval)) != nil
            }
        }
    }
#endif
