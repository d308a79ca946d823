import Cofferdam

/// Holds both sides of an upgrade, and opens each when it is first needed.
///
/// Opening an SDK is itself a write: it migrates what it finds, uses up credentials, begins to report. So a side is opened
/// once, however many need it at a time, and at `legacyOnly` the candidate for named units alone. A side that failed to open is tried again
/// by the next who needs it. An opener has no caller's task-locals: what it opens serves all who come later, and must not keep the
/// tenant, the credential or the span of the one who happened to come first.
///
/// ```swift
/// let router = Router(legacy: { try await openV1() }, candidate: { try await openV2() }, rehearsing: {
///     try await openV2(on: copyOfState, telemetry: false)
/// })
/// let session = UnitSession(unit: user, control: control, bucketing: bucketing)
/// let catalogue: any Catalogue = Intercepted(source: router.route(for: session, settings: settings, port: \.catalogue))
/// ```
public struct Router<Services: Sendable>: Sendable {
    private let legacy: Opening<Services>
    private let candidate: Opening<Services>
    private let shadowCandidate: Opening<Services>?
    private let executor: (any TaskExecutor)?

    /// - Parameters:
    ///   - executor: where the openers run.
    ///   - observer: hears of each opening: the evidence has a row of its own for them, because they are no part of a call's time.
    ///   - clock: times the openings.
    ///   - rehearsing: the candidate as it is asked in the shadow: on a copy of the legacy side's state, silent. Without it the
    ///     shadow asks the one that will answer.
    public init(
        executor: (any TaskExecutor)? = nil,
        observer: (any RouteObserver)? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        legacy: @escaping @Sendable () async throws -> Services,
        candidate: @escaping @Sendable () async throws -> Services,
        shadowCandidate: (@Sendable () async throws -> Services)? = nil
    ) {
        self.executor = executor
        func opening(
            _ side: Side,
            isShadow: Bool = false,
            _ open: @escaping @Sendable () async throws -> Services
        ) -> Opening<Services> {
            let elapsed = Stopwatch(clock).elapsed
            return Opening(executor: executor) {
                let start = elapsed()
                func tell(isFailed: Bool) {
                    let duration = elapsed() - start
                    observer?.opened(
                        SideOpening(side: side, isShadow: isShadow, isFailed: isFailed, duration: duration)
                    )
                }
                do {
                    let services = try await open()
                    tell(isFailed: false)
                    return services
                } catch {
                    tell(isFailed: true)
                    throw error
                }
            }
        }
        self.legacy = opening(.legacy, legacy)
        self.candidate = opening(.candidate, candidate)
        self.shadowCandidate = shadowCandidate.map { opening(.candidate, isShadow: true, $0) }
    }

    /// One capability's route, for one unit.
    ///
    /// - Parameter port: gives the capability's port among the services.
    public func route<Port: Sendable>(
        for session: UnitSession,
        settings: RouteSettings,
        port: @escaping @Sendable (Services) -> Port
    ) -> Route<Port> {
        Route(sessions: RouteSessions(session), settings: settings, ports: ports(port))
    }

    /// One capability's route, for users who sign in and out, one after the other.
    ///
    /// - Parameters:
    ///   - session: the session of a call that begins now. Must be quick: it is asked at each call. A stream stays with the
    ///     session in which it was opened.
    ///   - port: gives the capability's port among the services.
    public func route<Port: Sendable>(
        following session: @escaping @Sendable () -> UnitSession,
        settings: RouteSettings,
        port: @escaping @Sendable (Services) -> Port
    ) -> Route<Port> {
        Route(sessions: RouteSessions(following: session), settings: settings, ports: ports(port))
    }

    private func ports<Port: Sendable>(_ port: @escaping @Sendable (Services) -> Port) -> SidePorts<Port> {
        SidePorts(
            open: { port(try await opening($0).services()) },
            openBySomebody: { opening($0).opened.map(port) }
        )
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
    public var opened: [Services] { [legacy, candidate, shadowCandidate].compactMap { $0?.opened } }

    /// Opens nobody any more, and ends who is open, or is being opened. Returns when all of them have ended, also in a task that
    /// is cancelled. Again, it ends them again.
    ///
    /// - Parameter error: what a call gets that would have to open a side; one that is open says itself that it has ended.
    public func close(throwing error: any Error, _ end: @escaping @Sendable (Services) async -> Void) async {
        let openings = [legacy, candidate, shadowCandidate].compactMap { $0 }
        for opening in openings { opening.close(throwing: error) }
        await Task(executorPreference: executor) {
            for opening in openings {
                if let services = await opening.lastServices() { await end(services) }
            }
        }.value
    }

    private func opening(_ instance: Instance) -> Opening<Services> {
        switch instance {
        case .legacy: legacy
        case .candidate: candidate
        case .shadowCandidate: shadowCandidate ?? candidate
        }
    }
}

/// One SDK, opened at most once.
private struct Opening<Services: Sendable>: Sendable {
    private let work: OpeningWork<Services>
    private let loadable: Loadable<Services>

    init(executor: (any TaskExecutor)?, open: @escaping @Sendable () async throws -> Services) {
        let work = OpeningWork(executor: executor, open: open)
        self.work = work
        loadable = Loadable(executor: executor) { try await work.services() }
    }

    var opened: Services? { loadable.snapshot.contents }

    func services() async throws -> Services { try await loadable.fetchIfNeeded() }

    func close(throwing error: any Error) { work.close(throwing: error) }

    /// Who is open, or is just being opened; once closed, nobody else is.
    func lastServices() async -> Services? {
        await loadable.syncIfNeeded()
        return opened
    }
}

/// The opening itself: it goes on though all who wait for it give up, and the next one joins it, because an SDK that nobody
/// holds could not be closed.
private final class OpeningWork<Services: Sendable>: Sendable {
    private struct State {
        var task: Task<Services, any Error>?
        /// Why nobody is opened any more.
        var closed: (any Error)?
    }

    private let state = Mutex(State())
    private let executor: (any TaskExecutor)?
    private let open: @Sendable () async throws -> Services

    init(executor: (any TaskExecutor)?, open: @escaping @Sendable () async throws -> Services) {
        self.executor = executor
        self.open = open
    }

    func services() async throws -> Services {
        let task = try state.withLock { state in
            if let task = state.task { return task }
            if let error = state.closed { throw error }
            // Detached: it has no caller's task-locals, and its first caller's priority.
            let task = Task.detached(executorPreference: executor, priority: Task.currentPriority) { [open] in
                try await open()
            }
            state.task = task
            return task
        }
        do {
            return try await task.value
        } catch {
            state.withLock { if $0.task == task { $0.task = nil } }
            throw error
        }
    }

    func close(throwing error: any Error) { state.withLock { $0.closed = $0.closed ?? error } }
}
