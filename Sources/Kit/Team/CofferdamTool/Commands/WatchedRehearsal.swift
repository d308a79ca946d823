#if CommandLine
import ArgumentParser
import Cofferdam
import CofferdamRehearsal

/// A rehearsal that the tool's console shows.
struct WatchedRehearsal {
    let console: RehearsalConsole
    /// The port; 0 for any free one.
    let port: Int
    /// Receives the address and the tokens, as permanent lines.
    let tell: @Sendable (String) -> Void

    /// - Throws: `ValidationError` if the tool has no page.
    init<Tool: TeamTool>(
        of tooling: Tooling,
        _ tool: Tool.Type,
        port: Int = 0,
        tell: @escaping @Sendable (String) -> Void
    ) throws {
        guard let console = tooling.console else { throw Self.missing(tool) }
        (self.console, self.port, self.tell) = (console, port, tell)
    }

    /// The error of a tool without a server.
    static func missing<Tool: TeamTool>(_ tool: Tool.Type) -> ValidationError {
        ValidationError(
            """
            this \(Tool.name) contains no server: build it with the trait Server, and pass \
            RehearsalConsole.controlPlane to its Tooling.
            """
        )
    }

    /// Walks a scenario, and shows it on the page from the start.
    ///
    /// - Parameter after: runs after the walk, while the page is still served.
    func walk(
        _ scenario: Scenario,
        _ options: ScenarioOptions,
        by runner: ScenarioRunner,
        _ progress: ToolProgress,
        after: (ScenarioReport) async throws -> Void = { _ in }
    ) async throws -> ScenarioReport {
        let page = Mutex<RehearsalConsole.Page?>(nil)
        let result: Result<ScenarioReport, any Error>
        do {
            let report = try await runner.run(scenario, options) { rehearsal in
                let started = try await console.start(rehearsal, port)
                page.withLock { $0 = started }
                started.notes.forEach(tell)
            } progress: {
                progress.show($0)
            }
            try await after(report)
            result = .success(report)
        } catch { result = .failure(error) }
        await page.withLock { $0 }?.close()
        return try result.get()
    }
}
#endif
