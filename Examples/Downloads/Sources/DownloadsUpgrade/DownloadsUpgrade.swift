import Cofferdam
public import CofferdamUpgrade
public import DownloadsPort
import DownloadsTable

/// The upgrade from one client to the other, in stages.
public struct DownloadsUpgrade: Sendable {
    /// Evaluates the gate, and moves the stage.
    public let engine: UpgradeEngine
    /// The routes' settings, including the shadow's queue.
    public let settings: RouteSettings
    private let plan: UpgradePlan
    private let store: any UpgradeStore
    private let recorder: EvidenceRecorder
    private let router: Router<DownloadsService>
    private let control = StageControl()
    private let bucketing: Bucketing

    /// - Parameters:
    ///   - store: keeps the stage; the kit's trait `SQLite` adds one on disk.
    ///   - limit: the largest tolerated share of users who meet a failure.
    ///   - calls: the minimum number of calls that the old client is measured by.
    public init(
        from legacy: @escaping @Sendable () async throws -> DownloadsService,
        to candidate: @escaping @Sendable () async throws -> DownloadsService,
        store: any UpgradeStore,
        evidence: any EvidenceLedger,
        limit: Double = 0.01,
        calls: Int = 1_000,
        clock: any Clock<Duration> = ContinuousClock()
    ) throws {
        self.store = store
        plan = try UpgradePlan(
            [.legacyOnly, .shadow(sample: .all), .canary(share: 2_000), .candidateWithFallback, .candidateOnly],
            settings: .defaults {
                $0.limit = limit
                $0.minimumBaselineCalls = calls
            }
        )
        let breakers = try Breakers()
        recorder = EvidenceRecorder(minimumBaselineCalls: calls, breakers: breakers, clock: clock)
        settings = RouteSettings(
            capability: "downloads",
            failures: .downloads,
            // A call for which the queue has no room is not compared, and the gate waits for others.
            shadowQueue: ShadowQueue(capacity: 1_024, width: 8),
            breakers: breakers,
            observer: recorder,
            clock: clock
        )
        router = Router(observer: recorder, clock: clock, legacy: legacy, candidate: candidate)
        bucketing = try Bucketing(salt: "downloads")
        engine = UpgradeEngine("downloads", plan: plan, store: store, control: control, recorder: recorder) {
            $0.settings.promotesAutomatically = true
            $0.ledger = evidence
            $0.clock = clock
        }
    }

    /// The port, for one user.
    public func downloads(for user: String) -> any Downloads {
        let session = UnitSession(unit: user, control: control, bucketing: bucketing)
        return Intercepted(source: router.route(for: session, settings: settings, port: \.downloads))
    }

    /// Leaves `legacyOnly`, a step for which a person is responsible.
    public func advance(by person: String, reason: String) async throws {
        let request = UpgradeRequest(
            .advance(),
            by: person,
            reason: reason,
            at: WallTime.now(),
            id: UpgradeEngine.randomID(),
            baseline: recorder.baseline
        )
        _ = try await store.carryOut(request, for: "downloads", plan: plan)
        await engine.refresh()
    }

    /// Closes the clients that are open.
    public func close() async {
        for service in router.opened { await service.close() }
    }
}

extension ErrorClassifier {
    /// Classifies the port's errors by what they say about the client that threw them.
    static let downloads = ErrorClassifier(
        meaning: { error in
            switch (error as? DownloadsError)?.code {
            // The other client would throw the same error.
            case .notFound, .forbidden, .invalidRequest, .rateLimited, .disk: .answer
            case .closed: .unsent
            case .unavailable, .unreachable, .timeout, .truncated, .unreadable, .overrun, .unknown, nil: .failed
            }
        },
        kind: { ($0 as? DownloadsError)?.code.rawValue ?? "other" }
    )
}
