import Cofferdam
import CofferdamState

/// Holds both sides of an upgrade, and opens each when it is first needed.
///
/// Opening an SDK has effects: it migrates stored data, uses up credentials and starts telemetry. So a side is opened
/// once, however many calls need it at the same time, and at `legacyOnly` the candidate is opened only for named units.
/// If opening fails, the next call tries again. An opener runs without its caller's task-locals: the side serves later
/// callers too, and must not keep the tenant, credential or span of the first one.
///
/// ```swift
/// let router = Router(legacy: { try await openV1() }, candidate: { try await openV2() }, shadowCandidate: {
///     try await openV2(on: copyOfState, telemetry: false)
/// })
/// let session = UnitSession(unit: user, control: control, bucketing: bucketing)
/// let catalogue: any Catalogue = Intercepted(source: router.route(for: session, settings: settings, port:
/// \.catalogue))
/// ```
public struct Router<Services: Sendable>: Sendable {
    private let legacy: Opening<Services>
    private let candidate: Opening<Services>
    private let shadowCandidate: Opening<Services>?
    private let executor: (any TaskExecutor)?

    /// - Parameters:
    ///   - executor: runs the openers.
    ///   - observer: notified of each opening, which is not part of the time of a call.
    ///   - clock: times the openings.
    ///   - legacy: opens the legacy side.
    ///   - candidate: opens the candidate.
    ///   - shadowCandidate: opens the candidate for shadow calls, on a copy of the legacy side's state and without
    ///     telemetry. If nil, shadow calls use the candidate that answers callers.
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
                func report(isFailed: Bool) {
                    let duration = elapsed() - start
                    observer?.opened(
                        SideOpening(side: side, isShadow: isShadow, isFailed: isFailed, duration: duration)
                    )
                }
                do {
                    let services = try await open()
                    report(isFailed: false)
                    return services
                } catch {
                    report(isFailed: true)
                    throw error
                }
            }
        }
        self.legacy = opening(.legacy, legacy)
        self.candidate = opening(.candidate, candidate)
        self.shadowCandidate = shadowCandidate.map { opening(.candidate, isShadow: true, $0) }
    }

    /// Creates a router for a process with one side: see ``Arm``. Its sessions need a ``StageControl`` of the same arm.
    ///
    /// - Parameter open: opens that side.
    public init(
        arm: Arm,
        executor: (any TaskExecutor)? = nil,
        observer: (any RouteObserver)? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        open: @escaping @Sendable () async throws -> Services
    ) {
        let other: @Sendable () async throws -> Services = { throw StageError.otherSide(of: arm) }
        self.init(
            executor: executor,
            observer: observer,
            clock: clock,
            legacy: arm.side == .legacy ? open : other,
            candidate: arm.side == .candidate ? open : other
        )
    }

    /// Returns a route of one capability for one unit.
    ///
    /// - Parameter port: returns the port of the capability.
    public func route<Port: Sendable>(
        for session: UnitSession,
        settings: RouteSettings,
        port: @escaping @Sendable (Services) -> Port
    ) -> Route<Port> {
        Route(sessions: .one(session), settings: settings, ports: ports(port))
    }

    /// Returns a route of one capability for users who sign in and out.
    ///
    /// - Parameters:
    ///   - session: returns the session of a call that begins now. It must be quick: it runs for each call. A stream
    ///     stays with the session in which it was opened.
    ///   - port: returns the port of the capability.
    public func route<Port: Sendable>(
        following session: @escaping @Sendable () -> UnitSession,
        settings: RouteSettings,
        port: @escaping @Sendable (Services) -> Port
    ) -> Route<Port> {
        Route(sessions: .following(session), settings: settings, ports: ports(port))
    }

    private func ports<Port: Sendable>(_ port: @escaping @Sendable (Services) -> Port) -> SidePorts<Port> {
        SidePorts(
            open: { port(try await opening($0).services()) },
            openedElsewhere: { opening($0).opened.map(port) }
        )
    }

    /// Opens the side that currently answers the unit, for example at launch, so that the first call need not wait.
    ///
    /// - Throws: errors of the opener; `CancellationError` as soon as this task is cancelled.
    public func open(for session: UnitSession) async throws {
        _ = try await opening(Instance(answering: session.side)).services()
    }

    /// Opens and returns the side that answers at `stage`. It is a whole side, so only stages that open one side are
    /// supported: `legacyOnly` and `candidateOnly`.
    ///
    /// - Throws: ``StageError`` with `unsupportedStage` for any other stage, before anything is opened; errors of the
    ///   opener; `CancellationError` as soon as this task is cancelled.
    public func port(at stage: Stage) async throws -> Services {
        guard !stage.opensBothSides, let side = stage.side else { throw StageError.unsupported(stage) }
        return try await opening(Instance(answering: side)).services()
    }

    /// The sides that are open now.
    public var opened: [Services] { [legacy, candidate, shadowCandidate].compactMap { $0?.opened } }

    /// Closes the router: it opens no more sides, and ends those that are open or opening. Returns when all of them
    /// have ended, even in a cancelled task. A second call ends them again.
    ///
    /// - Parameter error: thrown by calls that would open a side. Calls to a side that is already open get that side's
    ///   own error.
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

    /// Waits for an opening in progress, and returns the side if it is open. Call it after closing.
    func lastServices() async -> Services? {
        await loadable.syncIfNeeded()
        return opened
    }
}

/// The opening itself. It continues even if all callers give up, and the next caller joins it, because an SDK that
/// opens without an owner could not be closed.
private final class OpeningWork<Services: Sendable>: Sendable {
    private struct State {
        var task: Task<Services, any Error>?
        /// The error for callers after closing; nil until then.
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
            // Detached: without the task-locals of a caller, but with the priority of the first one.
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
