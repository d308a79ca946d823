#if SQLite
import Cofferdam
import CofferdamSupport
import CofferdamTesting
import CofferdamUpgrade
import Foundation
import Testing
import TestSupport
import UpgradeTestSupport

/// A kill by hand takes effect within one second of the engine's clock, whatever else fails. An engine works in a
/// directory, a person pulls the kill switch at any moment, and faults come at random.
@Suite struct KillBoundTests {
    enum Fault: CaseIterable {
        case none, slowEvidence, hangingStore, fullDisk, readOnlyDisk, corruptLog
    }

    @Test(.timeLimit(.minutes(5)), .enabled(if: SmallDisk.isAvailable, SmallDisk.reason), arguments: Soak.seeds)
    func `a kill is obeyed within a second, whatever is wrong`(seed: UInt64) async throws {
        var dice = Dice(seed: seed)
        var kills: [Fault: Int] = [:]
        for round in 0..<30 {
            // Each fault once, then at random.
            let fault = Fault.allCases[round < Fault.allCases.count ? round : dice.roll(Fault.allCases.count)]
            try await SmallDisk.with { disk in
                try await UpgradeFolder.with { machine in
                    let process = try KilledProcess(disk: disk, machine: machine, fault: fault)
                    try await process.run(&dice, place: "seed \(seed), round \(round), \(fault)")
                }
            }
            kills[fault, default: 0] += 1
        }
        let counts = Fault.allCases.map { "\($0) \(kills[$0, default: 0])" }.joined(separator: ", ")
        print("seed \(seed): each kill within one second of the engine's clock: \(counts)")
    }
}

private struct KilledProcess {
    private static let capability = "a"

    let disk: SmallDisk
    /// The folder of this machine's own kill switch.
    let machine: UpgradeFolder
    let fault: KillBoundTests.Fault
    private let clock = TestClock()
    private let control = StageControl()
    private let plan: UpgradePlan
    private let evidence: SlowEvidence

    init(disk: SmallDisk, machine: UpgradeFolder, fault: KillBoundTests.Fault) throws {
        (self.disk, self.machine, self.fault) = (disk, machine, fault)
        plan = try Readings.plan()
        evidence = SlowEvidence(clock: clock)
    }

    func run(_ dice: inout Dice, place: String) async throws {
        try await UpgradeFolder.with { before in
            let raising = Requests.request(.advance(despiteGate: true), id: "1")
            _ = try await before.store().carryOut(raising, for: Self.capability, plan: plan)
            try disk.folder.copy("a", from: before)
        }
        // A person with a full disk wrote the file beforehand.
        let target = KillSwitch.Target.allCases[dice.roll(3)]
        let kill = #"{"target": "\#(target.rawValue)", "by": "amara"}"#
        try disk.folder.write(kill, to: "a/kill.new")
        try machine.write(kill, to: "a/kill.new")
        if fault == .readOnlyDisk { try disk.setReadOnly(true) }

        let files = try disk.folder.store()
        let store = HangingStore(files: files)
        let engine = UpgradeEngine(
            Self.capability,
            plan: plan,
            store: store,
            control: control,
            recorder: EvidenceRecorder()
        ) {
            $0.evidence = evidence
            $0.ledger = files.log
            $0.log = files.log
            $0.memory = FileUpgradeMemory(directory: machine.path)
            $0.clock = clock
        }
        await engine.start()
        let work = Task { try await engine.run() }
        await clock.waitForSleepers()
        try begin(store)
        for _ in 0..<dice.roll(12) {
            clock.advance(by: .milliseconds(500))
            for _ in 0..<dice.roll(200) { await Task.yield() }
        }
        // A file on a read-only disk cannot be moved, and a hanging store reads none.
        let isMachines = fault == .readOnlyDisk || fault == .hangingStore || dice.roll(2) == 0
        try pull(in: isMachines ? machine.path : disk.path)
        clock.advance(by: .seconds(1))
        await until { control.state.kill?.target == target }
        #expect(control.state.kill?.target == target, "\(place), \(target)")
        work.cancel()
        store.release()
        await #expect(throws: CancellationError.self) { try await work.value }
    }

    private func begin(_ store: HangingStore) throws {
        switch fault {
        case .none, .readOnlyDisk: break
        case .slowEvidence: evidence.isSlow = true
        case .hangingStore: store.hang()
        case .fullDisk: try disk.fill()
        case .corruptLog:
            for suffix in ["-wal", "-shm"] where disk.folder.has("upgrade.sqlite" + suffix) {
                try disk.folder.remove("upgrade.sqlite" + suffix)
            }
            try disk.folder.write(String(repeating: "no database ", count: 500), to: "upgrade.sqlite")
        }
    }

    private func pull(in directory: String) throws {
        try #require(rename(directory + "/a/kill.new", directory + "/a/kill.json") == 0)
    }
}

/// From some moment on, evidence that takes eight seconds to read.
private final class SlowEvidence: EvidenceSource {
    private let clock: TestClock
    private let slow = Mutex(false)

    init(clock: TestClock) { self.clock = clock }

    var isSlow: Bool {
        get { slow.withLock { $0 } }
        set { slow.withLock { $0 = newValue } }
    }

    func reading(of state: UpgradeState, afterSeconds seconds: Int) async throws -> GateReading {
        if isSlow { try await clock.sleep(for: .seconds(8)) }
        return Readings.good(at: state.stage) { $0.epoch = state.epoch }
    }
}

/// A store in a directory that stops answering.
private final class HangingStore: UpgradeStore {
    private let files: FileUpgradeStore
    private let gate = TestGate()
    private let hangs = Mutex(false)

    init(files: FileUpgradeStore) { self.files = files }

    func hang() { hangs.withLock { $0 = true } }
    func release() {
        hangs.withLock { $0 = false }
        gate.open()
    }

    private func answer() async { if hangs.withLock({ $0 }) { await gate.pass() } }

    var isLocal: Bool { true }
    func read(_ capability: String) async throws -> StoredUpgrade? {
        await answer()
        return try await files.read(capability)
    }
    func commit(_ change: UpgradeChange) async throws -> StoredUpgrade? {
        await answer()
        return try await files.commit(change)
    }
    func entry(_ id: String, of capability: String) async throws -> AuditEntry? {
        await answer()
        return try await files.entry(id, of: capability)
    }
    func history(of capability: String, last count: Int) async throws -> [AuditEntry] {
        await answer()
        return try await files.history(of: capability, last: count)
    }
    func settle(_ capability: String) async throws {
        await answer()
        try await files.settle(capability)
    }
}
#endif
