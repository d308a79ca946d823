import Cofferdam
import CofferdamTesting
import CofferdamUpgrade

/// Evidence that arrives when the test releases it.
final class HeldEvidence: EvidenceSource {
    let gate = TestGate()
    private let evidence: EngineBench.FixedEvidence

    init(_ change: @escaping @Sendable (inout GateReading) -> Void) { evidence = EngineBench.FixedEvidence(change) }

    func reading(of state: UpgradeState, afterSeconds seconds: Int) async throws -> GateReading {
        await gate.pass()
        return await evidence.reading(of: state, afterSeconds: seconds)
    }
}

/// A ledger that takes nothing, and answers when the test releases it.
final class HeldLedger: EvidenceLedger {
    private struct State {
        var holds = false
        var holdsReading = false
        var savings = 0
    }

    let gate = TestGate()
    private let state = Mutex(State())

    var holds: Bool {
        get { state.withLock { $0.holds } }
        set { state.withLock { $0.holds = newValue } }
    }
    var holdsReading: Bool {
        get { state.withLock { $0.holdsReading } }
        set { state.withLock { $0.holdsReading = newValue } }
    }
    /// How often something was saved.
    var savings: Int { state.withLock { $0.savings } }

    func merge(_ rows: EvidenceRows, of capability: String) async throws -> EvidenceCounts {
        if holds { await gate.pass() }
        state.withLock { $0.savings += 1 }
        throw UpgradeStoreError(.unavailable, "the test keeps nothing", subject: "the evidence")
    }

    func counts(of capability: String, under key: EpochKey) async throws -> EvidenceCounts? {
        if holdsReading { await gate.pass() }
        return nil
    }

    func builds(of capability: String, epoch: Int) async throws -> [EvidenceCounts] { [] }

    func newestEpoch(of capability: String) async throws -> Int? { nil }
}

/// A memory with this machine's kill switch, whose writes finish when the test releases them.
final class KillableMemory: UpgradeMemory {
    private struct State {
        var kill: KillSwitch?
        var holdsWrites = false
    }

    private let gate = TestGate()
    private let state = Mutex(State())

    var kill: KillSwitch? {
        get { state.withLock { $0.kill } }
        set { state.withLock { $0.kill = newValue } }
    }
    var holdsWrites: Bool {
        get { state.withLock { $0.holdsWrites } }
        set { state.withLock { $0.holdsWrites = newValue } }
    }
    /// How many writes have waited.
    var held: Int { gate.arrivals }

    func release() { gate.open() }

    func remembered(of capability: String) async throws -> RememberedUpgrade? { nil }
    func remember(_ upgrade: RememberedUpgrade) async throws {
        if holdsWrites { await gate.pass() }
    }
    func localKill(of capability: String) async throws -> KillSwitch? { kill }
}
