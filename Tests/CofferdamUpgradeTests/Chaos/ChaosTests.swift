import Cofferdam
import CofferdamSupport
import CofferdamUpgrade
import Foundation
import Testing
import TestSupport
import UpgradeTestSupport

@Suite struct ChaosTests {
    @Test(.timeLimit(.minutes(5)), arguments: Soak.seeds)
    func `whatever fails and whatever stage is set, nothing is lost, done twice or done unrequested`(
        seed: UInt64
    ) async throws {
        for dataOwnership in DataOwnership.allCases {
            try await UpgradeFolder.with { folder in
                let ledgers = try ChaosLedgers(in: folder.path)
                let store = NotifyingStore()
                let run = try await ChaosRun(
                    world: ChaosWorld(ledgers: ledgers, dataOwnership: dataOwnership, seed: seed),
                    store: store,
                    watching: store,
                    dataOwnership: dataOwnership,
                    calls: InFlightFile(path: folder.path + "/calls under way")
                )
                try await run.run(calls: 600, seed: seed)
                let oracle = ChaosOracle(ledgers: ledgers, store: store)
                let found = try await oracle.violations()
                #expect(found.isEmpty, "seed \(seed), \(dataOwnership): \(found.count), \(found.prefix(5))")
                print("seed \(seed), \(dataOwnership): \(try oracle.summary), \(run.summary)")
            }
        }
    }

    #if SQLite
    /// The process that makes the calls is killed. The next one continues with what it finds on the disk.
    @Test(.timeLimit(.minutes(30)), arguments: DataOwnership.allCases)
    func `killed at any moment, it continues where it was`(dataOwnership: DataOwnership) async throws {
        var dice = Dice(seed: Soak.number("COFFERDAM_SOAK_SEED", default: 1))
        try await UpgradeFolder.with { folder in
            var minutes = 0
            for round in 1...Int(Soak.number("COFFERDAM_SOAK_KILLS", default: 8)) {
                let seed = dice.next()
                minutes += dice.roll(8)
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [
                        path = folder.path as String, seed = seed as UInt64,
                        name = dataOwnership.rawValue as String,
                        now = Int64(1_000 + minutes) * 60_000 as Int64
                    ] in
                    try await Self.beKilled(path, seed, try #require(DataOwnership(rawValue: name)), now: now)
                }
                let store = FileUpgradeStore(directory: folder.path + "/state")
                let oracle = ChaosOracle(ledgers: try ChaosLedgers(in: folder.path), store: store)
                let found = try await oracle.violations()
                try #require(found.isEmpty, "round \(round), seed \(seed): \(found.count), \(found.prefix(5))")
            }
        }
    }

    /// - Parameter now: milliseconds since 1970, by this process's clock.
    private static func beKilled(_ path: String, _ seed: UInt64, _ dataOwnership: DataOwnership, now: Int64)
        async throws
    {
        var dice = Dice(seed: seed)
        let isAimed = dice.roll(2) == 0
        let killer = Killer(in: path, after: dice.roll(isAimed ? 6 : 600), spins: dice.roll(200_000))
        let ledgers = try ChaosLedgers(in: path)
        let calls = try InFlightFile(path: path + "/calls under way", now: now)
        ledgers.processes.add("\(seed)", "\(calls.crash?.calls ?? 0)", "\(now)", "\(calls.hasCrashedTooOften)")
        let store = FileUpgradeStore(directory: path + "/state")
        let run = try await ChaosRun(
            world: ChaosWorld(ledgers: ledgers, dataOwnership: dataOwnership, seed: seed),
            store: WatchedStore(store: store, whenCommitting: { if isAimed { killer.count() } }),
            evidence: store.log,
            dataOwnership: dataOwnership,
            calls: calls,
            whenProgressing: { if !isAimed { killer.count() } }
        )
        killer.start()
        try await run.run(calls: .max, seed: seed)
    }
    #endif
}

/// Reports each change just before it is made.
private struct WatchedStore: UpgradeStore {
    let store: any UpgradeStore
    let whenCommitting: @Sendable () -> Void

    var isLocal: Bool { store.isLocal }

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
    func settle(_ capability: String) async throws { try await store.settle(capability) }
}

/// Reports each change once it is made, as the store of a fleet does.
private final class NotifyingStore: UpgradeStore, UpgradeStoreWatching {
    private let store = MemoryUpgradeStore()
    private let watchers = Mutex([AsyncStream<Void>.Continuation]())

    func read(_ capability: String) async throws -> StoredUpgrade? { try await store.read(capability) }
    func commit(_ change: UpgradeChange) async throws -> StoredUpgrade? {
        let stored = try await store.commit(change)
        if stored != nil { for watcher in watchers.withLock({ $0 }) { watcher.yield() } }
        return stored
    }
    func entry(_ id: String, of capability: String) async throws -> AuditEntry? {
        try await store.entry(id, of: capability)
    }
    func history(of capability: String, last count: Int) async throws -> [AuditEntry] {
        try await store.history(of: capability, last: count)
    }
    func changes(of capability: String) -> AsyncStream<Void> {
        let (changes, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        watchers.withLock { $0.append(continuation) }
        continuation.yield()
        return changes
    }
}
