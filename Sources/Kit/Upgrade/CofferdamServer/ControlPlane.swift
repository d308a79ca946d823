#if Server
import Cofferdam
import CofferdamCurl
import CofferdamFleet
import CofferdamUpgrade
import Hummingbird
import HummingbirdCore
public import Logging  // the caller's logger
import NIOCore
import ServiceLifecycle

/// A running server. Devices read their stage and post their evidence, the gate decides on it, and people watch and
/// change the upgrades.
///
/// ```swift
/// let server = try await ControlPlane.start(
///     ControlPlaneConfiguration(
///         database: "upgrades.sqlite",
///         tokens: try AccessTokens(contentsOfFile: "tokens.json"),
///         capabilities: [HostedCapability("orders")]
///     )
/// )
/// ```
///
/// Everything acknowledged is on disk. Only one process may use the database.
public final class ControlPlane: Sendable {
    /// `http://HOST:PORT`.
    public let url: String
    /// The port on which the server listens.
    public let port: Int
    let parts: ServerParts
    private let group: ServiceGroup
    private let server: Task<Void, any Error>

    private init(url: String, port: Int, parts: ServerParts, group: ServiceGroup, server: Task<Void, any Error>) {
        (self.url, self.port, self.parts) = (url, port, parts)
        (self.group, self.server) = (group, server)
    }

    /// Stops gracefully: answers the requests that have arrived and the long polls, ends event streams, closes
    /// connections that are idle or owe a body, and returns when the port is free. Stopping twice has no effect.
    public func stop() async {
        parts.hub.close()
        await group.triggerGracefulShutdown()
        _ = await server.result
        await parts.refusals.settle()
        parts.ownership.release()
    }

    /// Returns when the server has been stopped, and throws if it failed.
    public func waitUntilStopped() async throws { try await server.value }

    /// Waits for an interruption, and then stops the server.
    ///
    /// - Parameter interruption: returns when the server shall stop, or its task is cancelled.
    /// - Throws: ``ControlPlaneError`` with `ended` if the server ends before.
    package func run(until interruption: @escaping @Sendable () async -> Void) async throws(ControlPlaneError) {
        let first = await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                await interruption()
                return true
            }
            group.addTask {
                try await self.waitUntilStopped()
                return false
            }
            let first = await group.nextResult()
            group.cancelAll()
            // Only this ends the wait for the server, and it frees the database of one that has failed.
            await stop()
            return first
        }
        switch first {
        case .success(true): return
        case .failure(let error): throw ControlPlaneError(.ended, "the server has ended: \("\(error)".plain())")
        default: throw ControlPlaneError(.ended, "the server has ended")
        }
    }

    /// Starts a server, and returns once it listens.
    ///
    /// - Throws: ``ControlPlaneError``.
    public static func start(
        _ configuration: ControlPlaneConfiguration,
        logger: Logger? = nil
    ) async throws -> ControlPlane {
        try configuration.check()
        let logger = logger ?? Logger(label: "cofferdam-server") { _ in SwiftLogNoOpLogHandler() }
        let parts = try await parts(configuration, logger)
        if !configuration.tokens.entries.contains(where: { $0.role.has(.change) }) {
            logger.warning(
                """
                no token may change anything: no holder has the role operator or admin, so the upgrades cannot be \
                stopped here
                """
            )
        }
        let (ports, port) = AsyncThrowingStream.makeStream(of: Int.self)
        // Hummingbird logs being stopped as an error, and logs what clients send.
        var serverLogger = logger
        serverLogger.logLevel = .critical
        let application = Application(
            responder: ServerResponder(parts),
            server: HTTPServerBuilder { responder in
                LimitedHTTP1(
                    http: HTTP1Channel(
                        responder: responder,
                        configuration: .init(idleTimeout: .seconds(120))
                    ),
                    limits: configuration.connections,
                    connections: parts.connections,
                    proxies: configuration.trustedProxies
                )
            },
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port),
                serverName: nil,
                // Or as many as the system allows. It drops those beyond, and their clients try again after a second.
                backlog: 4_096
            ),
            onServerRunning: { channel in
                // It fails only if the listening socket is closed already.
                try? await channel.eventLoop.submit {
                    try channel.pipeline.syncOperations.addHandler(AcceptPause(logger), position: .first)
                }.get()
                port.yield(channel.localAddress?.port ?? configuration.port)
                port.finish()
            },
            // A single event loop: if the server stops while a connection is handed over between two, the
            // connection is lost and NIO traps.
            eventLoopGroupProvider: .shared(EventLoopGroupProvider.singleton.eventLoopGroup.next()),
            logger: serverLogger
        )
        let followers = parts.upgrades.values.map { upgrade -> any Service in
            if let engine = upgrade.engine { return EngineService(engine: engine) }
            return WatchService(upgrade: upgrade, live: parts.live, sleep: parts.sleep)
        }
        let histories = parts.upgrades.values.map { upgrade in
            HistoryService(upgrade: upgrade, history: parts.history, logger: parts.logger, sleep: parts.sleep)
        }
        let client = CurlClient()
        let webhooks = configuration.webhooks.map { webhook in
            WebhookService(
                webhook: webhook,
                sources: configuration.sources(parts.log, of: webhook),
                client: client,
                logger: logger,
                now: configuration.now,
                sleep: parts.sleep
            )
        }
        var workers: [any Service] = followers + histories + webhooks
        if let counts = parts.sharedCounts {
            for upgrade in parts.upgrades.values where upgrade.engine != nil {
                workers.append(ExportService(upgrade: upgrade, parts: parts, exporter: counts.exporter))
            }
        }
        var groupConfiguration = ServiceGroupConfiguration(
            services: workers.map { .init(service: $0) } + [.init(service: application)],
            logger: serverLogger
        )
        groupConfiguration.maximumGracefulShutdownDuration = .seconds(30)
        let group = ServiceGroup(configuration: groupConfiguration)
        let server = Task(executorPreference: configuration.executor) {
            do { try await group.run() } catch {
                port.finish(throwing: error)
                throw error
            }
            port.finish()
        }
        do {
            guard let bound = try await ports.first(where: { _ in true }) else {
                throw ControlPlaneError(.cannotListen, "the server ended before it listened")
            }
            let host = configuration.host.contains(":") ? "[\(configuration.host)]" : configuration.host
            logger.notice("listening at http://\(host):\(bound)")
            return ControlPlane(
                url: "http://\(host):\(bound)",
                port: bound,
                parts: parts,
                group: group,
                server: server
            )
        } catch let error as ControlPlaneError {
            parts.ownership.release()
            throw error
        } catch {
            server.cancel()
            parts.ownership.release()
            let place = "\(configuration.host):\(configuration.port)"
            throw ControlPlaneError(.cannotListen, "cannot listen at \(place): \(error)")
        }
    }

    private static func parts(_ configuration: ControlPlaneConfiguration, _ logger: Logger) async throws
        -> ServerParts
    {
        let log: SQLiteUpgradeLog
        let ownership: FileOwnership
        do {
            ownership = try FileOwnership(of: configuration.database)
            log = try SQLiteUpgradeLog(path: ownership.path, isKept: true)
        } catch {
            throw ControlPlaneError(.database, "the database: \(error)")
        }
        let (elapsed, sleep) = timing(configuration.clock)
        let local = SQLiteUpgradeStore(log: log)
        // If the disk is full already, the server starts all the same.
        do { try await local.checkWritable() } catch { logger.error("the database: \("\(error)".plain())") }
        let hub = StageHub(limit: configuration.maxSubscribers)
        let freezes = FreezeCalendar(windows: configuration.freezes, now: configuration.now)
        let shared = configuration.shared
        let store = HostedStore(store: shared?.store ?? local, freezes: freezes)
        let evidence = StoredEvidence(log, window: Int(configuration.window.components.seconds))
        let devices = DeviceReports(log, configuration)
        var upgrades: [String: HostedUpgrade] = [:]
        for capability in configuration.capabilities {
            let upgrade = try HostedUpgrade(
                capability,
                store: store,
                hub: hub,
                evidence: evidence,
                devices: devices,
                shared: shared,
                clock: configuration.clock,
                now: configuration.now,
                executor: configuration.executor
            )
            do { await upgrade.engine?.adopt(try await store.read(capability.name)) } catch {
                throw ControlPlaneError(.database, "the state of \(capability.name): \(error)")
            }
            upgrades[capability.name] = upgrade
        }
        for watched in configuration.watched {
            let upgrade = HostedUpgrade(watched, hub: hub, freezes: freezes)
            do { _ = try await upgrade.store.read(watched.name) } catch {
                throw ControlPlaneError(.database, "the state of \(watched.name): \(error)")
            }
            upgrades[watched.name] = upgrade
        }
        // Registers the webhooks before anything can change.
        do {
            for webhook in configuration.webhooks {
                _ = try await log.news(for: webhook.name, limit: 0)
                try await configuration.outbox(for: webhook)?.standing()
            }
        } catch {
            throw ControlPlaneError(.database, "the webhooks: \(error)")
        }
        var kept: [String: EvidenceSeries] = [:]
        for name in upgrades.keys {
            do { kept[name] = try await log.series(of: name) } catch {
                throw ControlPlaneError(.database, "the evidence of \(name): \(error)")
            }
        }
        let enrolments = Enrolments(log, configuration, sleep: sleep, logger: logger)
        return ServerParts(
            configuration: configuration,
            ownership: ownership,
            log: log,
            readiness: Readiness(
                local,
                upgrades.values.sorted { $0.name < $1.name },
                logger: logger,
                elapsed: elapsed,
                executor: configuration.executor
            ),
            upgrades: upgrades,
            hub: hub,
            connections: OpenConnections(
                configuration.connections,
                most: min(
                    ConnectionLimits.most(ofFiles: FileLimit.current),
                    configuration.maxSubscribers + 10_000
                )
            ),
            publicHost: try PublicHost(configuration.publicURL),
            intake: EvidenceIntake(
                log,
                enrolments: enrolments,
                devices: devices,
                hub: hub,
                capabilities: configuration.capabilities,
                now: configuration.now,
                executor: configuration.executor
            ),
            enrolments: enrolments,
            reports: TeamReports(log, now: configuration.now),
            history: EvidenceHistory(log, kept),
            refusals: RefusalLog(log, logger: logger, executor: configuration.executor),
            metrics: ServerMetrics(),
            sharedCounts: shared.map { _ in SharedCounts() },
            logger: logger,
            elapsed: elapsed,
            sleep: sleep
        )
    }

    private static func timing(
        _ clock: some Clock<Duration>
    ) -> (@Sendable () -> Duration, @Sendable (Duration) async throws -> Void) {
        let start = clock.now
        return (
            { start.duration(to: clock.now) },
            { try await clock.sleep(until: clock.now.advanced(by: $0), tolerance: nil) }
        )
    }
}

/// Follows one upgrade while the server runs.
private struct EngineService: Service {
    let engine: UpgradeEngine

    func run() async {
        await cancelWhenGracefulShutdown {
            await engine.start()
            // It ends only when it is cancelled.
            try? await engine.run()
        }
    }
}
#endif
