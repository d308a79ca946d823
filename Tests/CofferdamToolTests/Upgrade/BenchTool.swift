#if CommandLine
@testable import CofferdamTool

/// A tool with the upgrades of the running test.
enum BenchTool: TeamTool {
    static let name = "bench"
    static func tooling() async throws -> Tooling {
        Tooling(rules: Fixture.rules, adapters: [Fixture.adapter("v1")], upgrades: UpgradeBench.current.tooling)
    }
}

/// Returns the exit code of `bench upgrade ARGUMENTS`.
func exitCode(of arguments: [String], _ bench: UpgradeBench) async -> Int32 {
    await UpgradeBench.$current.withValue(bench) {
        await ToolEnvironment.$current.withValue(bench.environment) {
            await (["upgrade"] + arguments).exitCode(of: BenchTool.self)
        }
    }
}
#endif
