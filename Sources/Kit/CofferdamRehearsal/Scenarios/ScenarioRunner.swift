import Cofferdam

/// Rehearses an upgrade: walks it through a scenario, under generated traffic, with an environment of its own for each.
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
    private let walk:
        @Sendable (Scenario, ScenarioOptions, @escaping @Sendable (String) -> Void) async throws -> ScenarioReport

    /// - Parameter run: sets up a new upgrade, calls its argument with it exactly once, returns the report, and cleans up. Called
    ///   once for each scenario.
    public init<Services: Sendable>(
        _ run:
            @escaping @Sendable (
                _ walk: @Sendable (RehearsedUpgrade<Services>) async throws -> ScenarioReport
            ) async throws -> ScenarioReport
    ) {
        walk = { scenario, options, progress in
            try await run { upgrade in
                // Otherwise a stall of the machine makes a good SDK look slow.
                let clock = SteadyClock(ContinuousClock())
                return try await clock.beating {
                    var walk = try UpgradeWalk(upgrade, scenario, options, clock: clock, progress: progress)
                    return try await walk.run()
                }
            }
        }
    }

    /// Walks the upgrade through a scenario.
    ///
    /// - Parameter progress: called with a line of text whenever the walk gets further.
    /// - Throws: what the setup throws; `TrafficProblem` if the rehearsal itself cannot continue; `CancellationError`.
    public func run(
        _ scenario: Scenario,
        _ options: ScenarioOptions = ScenarioOptions(),
        progress: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws -> ScenarioReport {
        try await walk(scenario, options, progress)
    }
}
