import CofferdamContracts
import CofferdamTool
import DownloadsContract

/// The team's commands: `contracts`, `mutants`, `can-upgrade`, `drift` and more.
enum Tool: TeamTool {
    static let name = "downloads-tool"

    static func tooling() async throws -> Tooling {
        Tooling(
            rules: DownloadsContract.rules,
            adapters: [.urlSession, .asyncHTTP, .fake],
            mutants: DownloadsContract.mutants,
            // The fake has no connection, so not every rule can fail on it.
            mutated: AdapterUnderTest<DownloadsSubject>.asyncHTTP.name,
            fixtures: .text(DownloadsContract.fixtures),
            drift: DriftTooling(known: ClientDifferences.known) { _, progress in
                try await ClientDifferences.report(progress)
            }
        )
    }
}
