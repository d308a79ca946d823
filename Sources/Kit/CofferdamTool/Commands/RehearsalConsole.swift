#if CommandLine
    import ArgumentParser
    import Cofferdam
    import CofferdamRehearsal

    /// A rehearsal with its page: the tool's control plane on loopback.
    struct RehearsalConsole {
        let start: Tooling.Console
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
            guard let start = tooling.console else {
                throw ValidationError(
                    """
                    this \(Tool.name) contains no server: build it with the trait Server, and pass \
                    RehearsalPage.controlPlane to its Tooling.
                    """
                )
            }
            (self.start, self.port, self.tell) = (start, port, tell)
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
            let page = Mutex<RehearsalPage?>(nil)
            let result: Result<ScenarioReport, any Error>
            do {
                let report = try await runner.run(scenario, options) { rehearsal in
                    let started = try await start(rehearsal, port)
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
