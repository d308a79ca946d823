#if Fleet
#if SQLite
import Cofferdam
import CofferdamTesting
import TestSupport
import UpgradeTestSupport
@testable import CofferdamFleet
import CofferdamUpgrade
import Foundation
import Testing

/// An instance of a fleet with a fault that does not keep it from etcd.
final class FleetInstance: Sendable {
    enum Fault: CaseIterable {
        case none
        /// Prometheus takes eight seconds for each answer, or gives none.
        case slowEvidence, hangingEvidence
        case fullDisk, readOnlyDisk
        /// Its counts cannot be read any more, or its calls in flight.
        case corruptDatabase, corruptCalls
        /// Its start hangs: while it reads its memory or its counts, or while it saves them.
        case hangingMemory, hangingCounts, hangingSave

        var isAtStart: Bool { [.hangingMemory, .hangingCounts, .hangingSave].contains(self) }
    }

    static let capability = "a"

    let fault: Fault
    private let disk: SmallDisk
    private let clock: TestClock
    private let control = StageControl()
    private let held = TestGate()
    private let engine: UpgradeEngine
    private let state = Mutex((work: Task<Void, Never>?.none, isOver: false, obeyed: [Int: Duration]()))

    init(_ fault: Fault, store: EtcdUpgradeStore, clock: TestClock, plan: UpgradePlan, disk: SmallDisk) throws {
        (self.fault, self.disk, self.clock) = (fault, disk, clock)
        if fault == .readOnlyDisk { try disk.setReadOnly(true) }
        let calls = fault == .readOnlyDisk ? nil : try InFlightFile(path: disk.path + "/calls")
        let log = FileUpgradeStore(directory: disk.path).log
        let held = held
        let prometheus = PrometheusClient { [clock] query in
            if fault == .slowEvidence { try await clock.sleep(for: .seconds(8)) }
            if fault == .hangingEvidence { await held.pass() }
            return PrometheusAnswer.success(query)
        }
        engine = UpgradeEngine(
            Self.capability,
            plan: plan,
            store: store,
            control: control,
            recorder: EvidenceRecorder(clock: clock)
        ) {
            $0.evidence = PrometheusEvidence(prometheus, job: "j", instances: ["i"])
            $0.ledger = HeldCounts(log: log, held: held, fault: fault)
            $0.log = log
            let memory = FileUpgradeMemory(directory: disk.path + "/memory")
            $0.memory = fault == .hangingMemory ? HeldMemory(memory: memory, held: held) : memory
            $0.calls = calls
            $0.watching = store
            $0.clock = clock
        }
    }

    /// Each instance has its own disk.
    static func with(
        _ faults: [Fault],
        _ clock: TestClock,
        make: (Fault, SmallDisk) throws -> FleetInstance,
        _ before: [FleetInstance] = [],
        body: ([FleetInstance]) async throws -> Void
    ) async throws {
        guard let fault = faults.first else { return try await body(before) }
        try await SmallDisk.with { disk in
            let instances = before + [try make(fault, disk)]
            try await with(Array(faults.dropFirst()), clock, make: make, instances, body: body)
        }
    }

    /// Returns once the instance works, with its fault in place.
    func begin() async throws {
        let work = Task { [self] in
            await engine.start()
            // It ends only by cancellation.
            try? await engine.run()
            state.withLock { $0.isOver = true }
        }
        state.withLock { $0.work = work }
        if fault.isAtStart { await until { held.arrivals > 0 } }
        switch fault {
        case .none, .readOnlyDisk, .hangingMemory, .hangingCounts, .hangingSave: break
        case .slowEvidence, .hangingEvidence: await until { control.state.stage == .canary(share: 500) }
        case .fullDisk: try disk.fill()
        case .corruptDatabase:
            for suffix in ["-wal", "-shm"] where disk.folder.has("upgrade.sqlite" + suffix) {
                try disk.folder.remove("upgrade.sqlite" + suffix)
            }
            try disk.folder.write(String(repeating: "no database ", count: 500), to: "upgrade.sqlite")
        case .corruptCalls:
            let file = try FileHandle(forUpdating: URL(filePath: disk.path + "/calls"))
            let size = try file.seekToEnd()
            try file.seek(toOffset: 0)
            try file.write(contentsOf: Data(repeating: 0xAB, count: Int(size)))
            try file.close()
        }
    }

    /// Whether it still works or starts.
    var isAtIt: Bool { state.withLock { !$0.isOver } }

    /// How long each kill took, by its number.
    var obeyed: [Int: Duration] { state.withLock { $0.obeyed } }

    func obeys(_ target: KillSwitch.Target) -> Bool { control.state.kill?.target == target }

    func note(_ kill: Int, _ time: Duration) {
        state.withLock { if $0.obeyed[kill] == nil { $0.obeyed[kill] = time } }
    }

    /// The stage that it follows, without the kill switch.
    var stage: Stage { control.state.stage }

    /// Releases everything that hangs.
    func letGo() { held.open() }

    func end() async {
        letGo()
        let work = state.withLock { $0.work }
        work?.cancel()
        await work?.value
    }
}

/// Keeps counts, and may hang.
private struct HeldCounts: EvidenceLedger {
    let log: any EvidenceLedger
    let held: TestGate
    let fault: FleetInstance.Fault

    func merge(_ rows: EvidenceRows, of capability: String) async throws -> EvidenceCounts {
        if fault == .hangingSave { await held.pass() }
        return try await log.merge(rows, of: capability)
    }
    func counts(of capability: String, under key: EpochKey) async throws -> EvidenceCounts? {
        if fault == .hangingCounts { await held.pass() }
        return try await log.counts(of: capability, under: key)
    }
    func builds(of capability: String, epoch: Int) async throws -> [EvidenceCounts] {
        try await log.builds(of: capability, epoch: epoch)
    }
    func newestEpoch(of capability: String) async throws -> Int? { try await log.newestEpoch(of: capability) }
}

/// A memory that hangs when it is read.
private struct HeldMemory: UpgradeMemory {
    let memory: FileUpgradeMemory
    let held: TestGate

    func remembered(of capability: String) async throws -> RememberedUpgrade? {
        await held.pass()
        return try await memory.remembered(of: capability)
    }
    func remember(_ upgrade: RememberedUpgrade) async throws { try await memory.remember(upgrade) }
    func localKill(of capability: String) async throws -> KillSwitch? {
        try await memory.localKill(of: capability)
    }
}
#endif
#endif
