#if CommandLine
    import ArgumentParser
    import CofferdamRehearsal

    #if Server
        import Cofferdam
        import CofferdamServer

        #if canImport(FoundationEssentials)
            import FoundationEssentials
        #else
            import Foundation
        #endif
    #endif

    /// A control plane on loopback, whose page shows an upgrade while it is rehearsed.
    ///
    /// Its tokens and its file are created for it and removed with it.
    struct RehearsalConsole {
        /// The port; 0 for any free one.
        let port: Int
        /// Receives the address and the tokens, as permanent lines.
        let tell: @Sendable (String) -> Void

        /// - Throws: `ValidationError` in a build without the trait `Server`.
        static func check(_ tool: String) throws {
            #if !Server
                throw ValidationError(
                    "this \(tool) contains no server: build it with the trait Server, as ./dev console does"
                )
            #endif
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
            #if Server
                let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
                    "console-\(UUID().uuidString)"
                )
                try FileManager.default.createDirectory(
                    at: folder,
                    withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700]
                )
                defer { try? FileManager.default.removeItem(at: folder) }
                let page = Mutex<ControlPlane?>(nil)
                let result: Result<ScenarioReport, any Error>
                do {
                    let report = try await runner.run(scenario, options) { rehearsal in
                        let plane = try await serve(rehearsal, scenario, in: folder.path)
                        page.withLock { $0 = plane }
                    } progress: {
                        progress.show($0)
                    }
                    try await after(report)
                    result = .success(report)
                } catch { result = .failure(error) }
                await page.withLock { $0 }?.stop()
                return try result.get()
            #else
                throw ValidationError("this build contains no server")
            #endif
        }

        #if Server
            private func serve(
                _ rehearsal: OngoingRehearsal,
                _ scenario: Scenario,
                in folder: String
            ) async throws -> ControlPlane {
                let (reader, person) = (AccessTokens.makeToken(), AccessTokens.makeToken())
                let tokens = try AccessTokens([
                    .init(name: "reader", role: .reader, token: reader),
                    .init(name: "operator", role: .operator, token: person),
                ])
                var configuration = ControlPlaneConfiguration(
                    database: folder + "/console.sqlite",
                    tokens: tokens,
                    capabilities: []
                )
                configuration.port = port
                var watched = WatchedUpgrade(
                    rehearsal.capability,
                    planName: "rehearsal of \(scenario.name)",
                    plan: rehearsal.plan,
                    store: rehearsal.store,
                    evidence: rehearsal.evidence
                )
                (watched.now, watched.baseline) = (rehearsal.now, { rehearsal.baseline })
                configuration.watched = [watched]
                configuration.now = rehearsal.now
                let plane = try await ControlPlane.start(configuration)
                tell("The rehearsed upgrade, live: \(plane.url)/")
                tell("to read it, any user with this password: \(reader)")
                tell("to move it, this one: \(person)")
                return plane
            }
        #endif
    }
#endif
