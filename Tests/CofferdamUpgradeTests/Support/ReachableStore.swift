import Cofferdam
import CofferdamTesting
import CofferdamUpgrade

/// A store in memory that can be unreachable, hang, lose answers, or return an older state.
final class ReachableStore: UpgradeStore {
    enum Fault {
        case unavailable
        /// The change is made, but the answer is lost.
        case losesAnswers
        case answers(StoredUpgrade?)
        /// No answer until the test releases it.
        case hangs
        /// Only changes hang.
        case hangsCommitting
        /// The change is made, but its answer hangs.
        case hangsAnswering
    }

    private let current = Mutex(MemoryUpgradeStore())
    private let fault = Mutex<Fault?>(nil)
    private let gate = TestGate()

    var memory: MemoryUpgradeStore { current.withLock { $0 } }

    /// Another store takes its place, as after a removed directory or a restored copy.
    func replace(with other: MemoryUpgradeStore) { current.withLock { $0 = other } }

    /// How many calls are waiting for an answer.
    var hanging: Int { gate.arrivals }

    /// Answers all waiting callers; from now on nothing fails.
    func release() {
        set(nil)
        gate.open()
    }

    func set(_ fault: Fault?) { self.fault.withLock { $0 = fault } }

    private func check() async throws {
        switch fault.withLock({ $0 }) {
        case .unavailable: throw Self.error(.unavailable)
        case .hangs: await gate.pass()
        case .losesAnswers, .answers, .hangsCommitting, .hangsAnswering, nil: break
        }
    }

    private static func error(_ code: UpgradeStoreError.Code) -> UpgradeStoreError {
        UpgradeStoreError(code, "the test says so", subject: "the store")
    }

    func read(_ capability: String) async throws -> StoredUpgrade? {
        try await check()
        if case .answers(let stored) = fault.withLock({ $0 }) { return stored }
        return try await memory.read(capability)
    }

    func commit(_ change: UpgradeChange) async throws -> StoredUpgrade? {
        try await check()
        if case .hangsCommitting = fault.withLock({ $0 }) { await gate.pass() }
        let stored = try await memory.commit(change)
        if case .hangsAnswering = fault.withLock({ $0 }) { await gate.pass() }
        if case .losesAnswers = fault.withLock({ $0 }) { throw Self.error(.outcomeUnknown) }
        return stored
    }

    func entry(_ id: String, of capability: String) async throws -> AuditEntry? {
        try await check()
        return try await memory.entry(id, of: capability)
    }

    func history(of capability: String, last count: Int) async throws -> [AuditEntry] {
        try await check()
        return try await memory.history(of: capability, last: count)
    }
}
