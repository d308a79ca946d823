import Cofferdam

/// Holds both sides of an upgrade, and opens each when it is first needed.
///
/// Opening an SDK is itself a write: it migrates what it finds, uses up credentials, begins to report. So a side is opened
/// once, however many need it at a time, and at `legacyOnly` the candidate never. A side that failed to open is tried again
/// by the next who needs it.
///
/// ```swift
/// let router = Router(legacy: { try await openV1() }, candidate: { try await openV2() }, rehearsing: {
///     try await openV2(on: copyOfState, telemetry: false)
/// })
/// let session = UnitSession(unit: user, control: control, bucketing: bucketing)
/// let catalogue = RoutedCatalogue(route: router.route(for: session, settings: settings, port: \.catalogue))
/// ```
public struct Router<Services: Sendable>: Sendable {
    private let legacy: Opening<Services>
    private let candidate: Opening<Services>
    private let rehearsing: Opening<Services>?

    /// - Parameters:
    ///   - executor: where the openers run.
    ///   - rehearsing: the candidate as it is asked in the shadow: on a copy of the legacy side's state, silent. Without it the
    ///     shadow asks the one that will answer.
    public init(
        executor: (any TaskExecutor)? = nil,
        legacy: @escaping @Sendable () async throws -> Services,
        candidate: @escaping @Sendable () async throws -> Services,
        rehearsing: (@Sendable () async throws -> Services)? = nil
    ) {
        self.legacy = Opening(executor: executor, open: legacy)
        self.candidate = Opening(executor: executor, open: candidate)
        self.rehearsing = rehearsing.map { Opening(executor: executor, open: $0) }
    }

    /// One capability's way, for one unit.
    ///
    /// - Parameter port: gives the capability's port among the services.
    public func route<Port: Sendable>(
        for session: UnitSession,
        settings: RouteSettings,
        port: @escaping @Sendable (Services) -> Port
    ) -> Route<Port> {
        let ports = SidePorts(
            open: { port(try await opening($0).services()) },
            openBySomebody: { opening($0).opened.map(port) }
        )
        return Route(core: RouteCore(session: session, settings: settings, ports: ports))
    }

    /// Opens the side that answers the unit now, if that has not been done: at the start, say, so that no first call waits.
    ///
    /// - Throws: what its opener throws; `CancellationError` as soon as this task is cancelled.
    public func open(for session: UnitSession) async throws {
        _ = try await opening(Instance(answering: session.side)).services()
    }

    /// The side that answers at `stage`, opened. It hands out a whole side, and so can follow only the stages that open
    /// one: `legacyOnly` and `candidateOnly`.
    ///
    /// - Throws: ``StageError`` with `unsupportedStage` for every other stage, before anything is opened; what the side's
    ///   opener throws; `CancellationError` as soon as this task is cancelled.
    public func port(at stage: Stage) async throws -> Services {
        guard !stage.opensBothSides, let side = stage.side else { throw StageError.unsupported(stage) }
        return try await opening(Instance(answering: side)).services()
    }

    /// Who is open now, to be closed.
    public var opened: [Services] { [legacy, candidate, rehearsing].compactMap { $0?.opened } }

    private func opening(_ instance: Instance) -> Opening<Services> {
        switch instance {
        case .legacy: legacy
        case .candidate: candidate
        case .rehearsing: rehearsing ?? candidate
        }
    }
}

/// One SDK, opened at most once.
private struct Opening<Services: Sendable>: Sendable {
    private let loadable: Loadable<Services>

    init(executor: (any TaskExecutor)?, open: @escaping @Sendable () async throws -> Services) {
        loadable = Loadable(executor: executor, load: open)
    }

    var opened: Services? { loadable.snapshot.contents }

    func services() async throws -> Services { try await loadable.fetchIfNeeded() }
}
