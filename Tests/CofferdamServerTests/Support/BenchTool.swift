#if Server
import ArgumentParser
import Cofferdam
import CofferdamContracts
import CofferdamUpgrade
import Foundation
@testable import CofferdamTool

/// A team's tool with one upgrade, "orders".
enum BenchTool: TeamTool {
    static let name = "bench"
    static let plan: UpgradePlan = {
        do { return try .named(.small) } catch { preconditionFailure("\(error)") }
    }()

    static func tooling() async throws -> Tooling {
        Tooling(rules: [Rule<Int>](), adapters: [], upgrades: UpgradeTooling([.init("orders", plan: plan)]))
    }

    /// Returns the exit code of `bench upgrade ARGUMENTS`.
    static func exitCode(of arguments: [String], _ environment: ToolEnvironment) async -> Int32 {
        await ToolEnvironment.$current.withValue(environment) {
            do {
                let command = try RootCommand<BenchTool>.parseAsRoot(["upgrade"] + arguments)
                guard var command = command as? any AsyncParsableCommand else { return -1 }
                try await command.run()
                return 0
            } catch {
                return RootCommand<BenchTool>.exitCode(for: error).rawValue
            }
        }
    }
}

extension StoreControls {
    /// Upgrades in memory, with nothing counted.
    static func inMemory() -> StoreControls {
        StoreControls(
            storage: UpgradeStorage(store: MemoryUpgradeStore(), evidence: .log(MemoryEvidenceLog())),
            environment: ToolEnvironment(
                variables: [:],
                now: { 1_800_000_000_000 },
                newID: { UUID().uuidString }
            )
        )
    }
}
#endif
