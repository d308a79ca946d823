#if Sandbox
import Hummingbird
public import Logging  // the caller's logger
import NIOCore
import ServiceLifecycle

/// The configuration of a service.
public struct ServiceConfiguration: Sendable {
    /// The port; 0 for any free one.
    public var port: Int
    public var host: String
    /// The seed, which determines the world's data and the tokens.
    public var seed: UInt64
    /// The lifetime of v2's access tokens; v1's tokens live for a year.
    public var accessTokenLifetime: Duration
    /// Whether to offer the control interface over HTTP; only on the loopback.
    public var control: Bool
    /// The number of animals that a seeded world has in addition to the zoo's; they use no memory.
    public var animals: Int
    /// The SQLite file for the world, created if missing; nil to keep it in memory. Needs the trait SQLite.
    public var database: String?
    public var clock: ServiceClock

    public init(
        port: Int = 0,
        host: String = "127.0.0.1",
        seed: UInt64 = 1,
        accessTokenLifetime: Duration = .seconds(900),
        control: Bool = false,
        animals: Int = 0,
        database: String? = nil,
        clock: ServiceClock = .machine
    ) {
        self.port = port
        self.host = host
        self.seed = seed
        self.accessTokenLifetime = accessTokenLifetime
        self.control = control
        self.animals = animals
        self.database = database
        self.clock = clock
    }

    var isLoopback: Bool { ["127.0.0.1", "::1", "localhost"].contains(host) }
}

/// The service's initial clock.
public enum ServiceClock: Sendable, Hashable {
    case machine
    /// Stands still unless the control interface advances it: the same calls then give the same bytes. Delays and
    /// timers still run.
    case frozen(secondsSince1970: Int64)

    var frozenAt: Timestamp? {
        switch self {
        case .machine: nil
        case .frozen(let seconds): Timestamp(milliseconds: seconds * 1000)
        }
    }
}

/// The reason a service does not run.
public struct ServiceError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error. The set is open: more may be added.
    public struct Code: Sendable, Hashable {
        let name: String
        /// The port is used by another process.
        public static let portInUse = Code(name: "portInUse")
        /// The service cannot listen at the address for another reason.
        public static let cannotListen = Code(name: "cannotListen")
        public static let invalidConfiguration = Code(name: "invalidConfiguration")
        /// The embedded data is damaged.
        public static let badSeedData = Code(name: "badSeedData")
        /// The state file cannot be used.
        public static let badState = Code(name: "badState")
    }

    public let code: Code
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}

/// A running service. It stops when asked to, or when the process ends.
public final class RunningService: Sendable {
    /// `http://HOST:PORT`.
    public let url: String
    /// The port on which it listens.
    public let port: Int
    /// Controls the world behind the service.
    public let control: SandboxControl
    private let connections: Connections
    private let group: ServiceGroup
    private let server: Task<Void, any Error>

    init(
        url: String,
        port: Int,
        control: SandboxControl,
        connections: Connections,
        group: ServiceGroup,
        server: Task<Void, any Error>
    ) {
        self.url = url
        self.port = port
        self.control = control
        self.connections = connections
        self.group = group
        self.server = server
    }

    /// Closes all connections, including open and held ones, and returns when the port is free: held calls and long
    /// polls get no answer, streams end without an end event. Stopping twice has no effect.
    public func stop() async {
        connections.close()
        // Not by cancelling, because a connection that was just accepted would be dropped unfinished, which traps in
        // NIO.
        await group.triggerGracefulShutdown()
        _ = await server.result
        control.sandbox.close()
    }

    /// Returns when the service has been stopped; throws the reason if it ended on its own.
    public func waitUntilStopped() async throws { try await server.value }
}

/// The maximum number of animals that a world can have in addition to the zoo's.
public let maximumAnimals = 1_000_000_000

/// Starts a service, and returns once it listens.
///
/// - Throws: ``ServiceError``.
public func startService(
    _ configuration: ServiceConfiguration = .init(),
    logger: Logger? = nil
) async throws -> RunningService {
    guard (0...65_535).contains(configuration.port) else {
        throw ServiceError(.invalidConfiguration, "the port \(configuration.port) is not between 0 and 65535")
    }
    guard !configuration.control || configuration.isLoopback else {
        throw ServiceError(
            .invalidConfiguration,
            "the control interface is for the loopback only, not for \(configuration.host)"
        )
    }
    guard (0...maximumAnimals).contains(configuration.animals) else {
        throw ServiceError(
            .invalidConfiguration,
            "at most \(maximumAnimals) more animals, not \(configuration.animals)"
        )
    }
    let sandbox = try Sandbox(configuration)
    var isListening = false
    defer { if !isListening { sandbox.close() } }
    let logger = logger ?? Logger(label: "menagerie-service") { _ in SwiftLogNoOpLogHandler() }
    // The server's own log treats being stopped as an error.
    var serverLogger = logger
    serverLogger.logLevel = .critical
    let (ports, port) = AsyncThrowingStream.makeStream(of: Int.self)
    let connections = Connections()
    let application = Application(
        responder: ServiceResponder(sandbox: sandbox, offersControl: configuration.control, logger: logger),
        server: .http1(configuration: .init(additionalChannelHandlers: [Connections.Watch(connections)])),
        configuration: ApplicationConfiguration(
            address: .hostname(configuration.host, port: configuration.port),
            serverName: "menagerie-service"
        ),
        onServerRunning: { channel in
            port.yield(channel.localAddress?.port ?? configuration.port)
            port.finish()
        },
        // A single event loop: between two, a connection that is being handed over is lost when the server stops, and
        // NIO traps.
        eventLoopGroupProvider: .shared(EventLoopGroupProvider.singleton.eventLoopGroup.next()),
        logger: serverLogger
    )
    var groupConfiguration = ServiceGroupConfiguration(services: [.init(service: application)], logger: serverLogger)
    groupConfiguration.maximumGracefulShutdownDuration = .seconds(10)
    let group = ServiceGroup(configuration: groupConfiguration)
    let server = Task {
        do {
            try await group.run()
        } catch {
            port.finish(throwing: error)
            throw error
        }
        port.finish()
    }
    do {
        guard let bound = try await ports.first(where: { _ in true }) else {
            throw ServiceError(.cannotListen, "the service ended before it listened")
        }
        let host = configuration.host.contains(":") ? "[\(configuration.host)]" : configuration.host
        let url = "http://\(host):\(bound)"
        isListening = true
        logger.info("listening at \(url), seed \(configuration.seed)")
        return RunningService(
            url: url,
            port: bound,
            control: SandboxControl(sandbox: sandbox),
            connections: connections,
            group: group,
            server: server
        )
    } catch let error as IOError where error.errnoCode == addressInUse {
        throw ServiceError(.portInUse, "port \(configuration.port) of \(configuration.host) is in use")
    } catch let error as ServiceError {
        throw error
    } catch {
        server.cancel()
        let place = "\(configuration.host):\(configuration.port)"
        throw ServiceError(.cannotListen, "cannot listen at \(place): \(error)")
    }
}
#endif
