import Cofferdam

/// Rehearses an upgrade: walks it through scenarios under generated traffic, each in its own environment.
///
/// ```swift
/// let runner = ScenarioRunner { walk in
///     let service = try await startService()
///     let report = try await walk(rehearsedUpgrade(of: service))
///     await service.stop()
///     return report
/// }
/// let report = try await runner.run(.wrong)
/// print(report.outcome, report.lost)
/// ```
public struct ScenarioRunner: Sendable {
    /// Receives the upgrade before its first visit.
    public typealias Watch = @Sendable (OngoingRehearsal) async throws -> Void

    private let walk:
        @Sendable (Scenario, ScenarioOptions, Watch?, @escaping @Sendable (String) -> Void) async throws ->
            ScenarioReport

    /// - Parameter run: sets up a new upgrade, calls its argument with it exactly once, returns the report, and cleans up. Called
    ///   once for each scenario.
    public init<Services: Sendable>(
        _ run:
            @escaping @Sendable (
                _ walk: @Sendable (RehearsedUpgrade<Services>) async throws -> ScenarioReport
            ) async throws -> ScenarioReport
    ) {
        walk = { scenario, options, watch, progress in
            try await run { upgrade in
                // Otherwise a stall of the machine would make a good SDK look slow.
                let clock = SteadyClock(ContinuousClock())
                return try await clock.beating {
                    var walk = try UpgradeWalk(
                        upgrade,
                        scenario,
                        options,
                        isWatched: watch != nil,
                        clock: clock,
                        progress: progress
                    )
                    try await watch?(walk.engine.ongoing(scenario))
                    return try await walk.run()
                }
            }
        }
    }

    /// Walks the upgrade through a scenario.
    ///
    /// - Parameters:
    ///   - watch: receives the upgrade, for people who watch and change it meanwhile. Their changes end a stage, or the
    ///     walk.
    ///   - progress: called with a line of text whenever the walk has progressed.
    /// - Throws: what the setup or `watch` throws; `TrafficProblem` if the rehearsal itself cannot continue; `CancellationError`.
    public func run(
        _ scenario: Scenario,
        _ options: ScenarioOptions = ScenarioOptions(),
        watch: Watch? = nil,
        progress: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws -> ScenarioReport {
        try await walk(scenario, options, watch, progress)
    }
}
