import CofferdamUpgrade
import Foundation
import Testing

@Suite struct ChaosTests {
    private static let units = 8

    @Test(.timeLimit(.minutes(5)), arguments: Soak.seeds)
    func `whatever fails and whatever stage is set, nothing is lost, done twice or without a trace`(seed: UInt64)
        async throws
    {
        for backing in Backing.allCases {
            let directory = FileManager.default.temporaryDirectory.appending(path: "chaos-\(UUID())")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: directory) }
            let run = try await ChaosRun(
                world: ChaosWorld(backend: try Ledger(path: directory.path + "/backend"), seed: seed),
                notes: try Ledger(path: directory.path + "/notes"),
                store: MemoryUpgradeStore(),
                backing: backing
            )
            try await run.run(units: Self.units, calls: 1_000, seed: seed)
            let found = try await run.violations() + run.overcounted(units: Self.units)
            #expect(found.isEmpty, "seed \(seed), \(backing): \(found.prefix(5))")
        }
    }
}
