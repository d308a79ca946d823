import CofferdamUpgrade
import Foundation
import Testing

@Suite struct ChaosTests {
    private static let units = 8

    @Test(.timeLimit(.minutes(5)), arguments: Soak.seeds)
    func `whatever fails and whatever stage is set, nothing is lost, done twice or without a trace`(
        seed: UInt64
    ) async throws {
        for backing in Backing.allCases {
            try await UpgradeFolder.with { folder in
                let run = try await ChaosRun(in: folder.path, store: MemoryUpgradeStore(), backing: backing, seed: seed)
                try await run.run(units: Self.units, calls: 1_000, seed: seed)
                let found = try await run.violations() + run.overcounted(units: Self.units)
                #expect(found.isEmpty, "seed \(seed), \(backing): \(found.prefix(5))")
            }
        }
    }

    #if SQLite
        /// The process that makes the calls is killed, and another one goes on with what it finds on the disk.
        @Test(.timeLimit(.minutes(5)), arguments: Backing.allCases)
        func `killed at any moment, it goes on where it was`(backing: Backing) async throws {
            var dice = Dice(seed: Soak.number("COFFERDAM_SOAK_SEED", default: 1))
            try await UpgradeFolder.with { folder in
                for round in 1...Int(Soak.number("COFFERDAM_SOAK_KILLS", default: 12)) {
                    let seed = dice.next()
                    await #expect(processExitsWith: .signal(SIGKILL)) {
                        [path = folder.path as String, seed = seed as UInt64, name = backing.rawValue as String] in
                        var dice = Dice(seed: seed)
                        let isAimed = dice.roll(2) == 0
                        let killer = Killer(after: dice.roll(isAimed ? 20 : 600), spins: dice.roll(200_000))
                        let run = try await ChaosRun(
                            in: path,
                            store: WatchedStore(
                                store: FileUpgradeStore(directory: path + "/state"),
                                whenCommitting: { if isAimed { killer.count() } }
                            ),
                            backing: try #require(Backing(rawValue: name)),
                            seed: seed,
                            whenProgressing: { if !isAimed { killer.count() } }
                        )
                        killer.start()
                        try await run.run(units: 4, calls: .max, seed: seed)
                    }
                    let store = try FileUpgradeStore(directory: folder.path + "/state")
                    let run = try await ChaosRun(in: folder.path, store: store, backing: backing, seed: seed)
                    let found = try await run.violations()
                    try #require(found.isEmpty, "round \(round), seed \(seed): \(found.prefix(5))")
                }
            }
        }
    #endif
}

/// Tells of each change just before it is made.
private struct WatchedStore: UpgradeStore {
    let store: any UpgradeStore
    let whenCommitting: @Sendable () -> Void

    func read(_ capability: String) async throws -> StoredUpgrade? { try await store.read(capability) }
    func commit(_ change: UpgradeChange) async throws -> StoredUpgrade? {
        whenCommitting()
        return try await store.commit(change)
    }
    func entry(_ id: String, of capability: String) async throws -> AuditEntry? {
        try await store.entry(id, of: capability)
    }
    func history(of capability: String, last count: Int) async throws -> [AuditEntry] {
        try await store.history(of: capability, last: count)
    }
}

extension ChaosRun {
    fileprivate convenience init(
        in directory: String,
        store: any UpgradeStore,
        backing: Backing,
        seed: UInt64,
        whenProgressing: @escaping @Sendable () -> Void = {}
    ) async throws {
        let ledgers = try ChaosLedgers(in: directory)
        try await self.init(
            world: ChaosWorld(backend: ledgers.backend, seed: seed),
            ledgers: ledgers,
            store: store,
            backing: backing,
            whenProgressing: whenProgressing
        )
    }
}
