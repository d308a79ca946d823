import Cofferdam
public import CofferdamUpgrade
public import DownloadsPort
import DownloadsTable

/// The upgrade from one client to the other, in stages.
///
/// - Parameters:
///   - backend: keeps the stage and the evidence; the kit's trait `SQLite` adds one on disk.
///   - limit: the largest tolerated share of users who meet a failure.
///   - calls: the minimum number of calls that the old client is measured by.
public func downloadsUpgrade(
    from legacy: @escaping @Sendable () async throws -> DownloadsService,
    to candidate: @escaping @Sendable () async throws -> DownloadsService,
    backend: UpgradeBackend,
    limit: Double = 0.01,
    calls: Int = 1_000,
    shortestSeconds: Int = 24 * 60 * 60,
    clock: any Clock<Duration> = ContinuousClock()
) throws -> Upgrade<DownloadsService> {
    try Upgrade(
        "downloads",
        plan: UpgradePlan(
            [.legacyOnly, .shadow(sample: .all), .canary(share: 2_000), .candidateWithFallback, .candidateOnly],
            settings: .defaults {
                ($0.limit, $0.minimumBaselineCalls, $0.shortestSeconds) = (limit, calls, shortestSeconds)
            }
        ),
        backend: backend,
        failures: .downloads,
        legacy: legacy,
        candidate: candidate
    ) {
        $0.clock = clock
        // A call for which the queue has no room is not compared, and the gate waits for others.
        $0.shadowQueue = ShadowQueue(capacity: 1_024, width: 8)
    }
}

extension Upgrade<DownloadsService> {
    /// The port, for one user.
    public func downloads(for user: String) -> any Downloads { port(\.downloads, for: user) }

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
