import Cofferdam
import CofferdamUpgrade

/// A store in memory that can be out of reach, lose answers, or tell an older state.
final class ReachableStore: UpgradeStore {
    enum Fault {
        case unavailable
        /// The change is made, and nobody hears of it.
        case losesAnswers
        case tells(StoredUpgrade?)
    }

    let memory = MemoryUpgradeStore()
    private let fault = Mutex<Fault?>(nil)

    func set(_ fault: Fault?) { self.fault.withLock { $0 = fault } }

    private func check() throws {
        if case .unavailable = fault.withLock({ $0 }) { throw Self.error(.unavailable) }
    }

    private static func error(_ code: UpgradeStoreError.Code) -> UpgradeStoreError {
        UpgradeStoreError(code, "the test says so", subject: "the store")
    }

    func read(_ capability: String) async throws -> StoredUpgrade? {
        try check()
        if case .tells(let stored) = fault.withLock({ $0 }) { return stored }
        return try await memory.read(capability)
    }

    func commit(_ change: UpgradeChange) async throws -> StoredUpgrade? {
        try check()
        let stored = try await memory.commit(change)
        if case .losesAnswers = fault.withLock({ $0 }) { throw Self.error(.outcomeUnknown) }
        return stored
    }

    func entry(_ id: String, of capability: String) async throws -> AuditEntry? {
        try check()
        return try await memory.entry(id, of: capability)
    }

    func history(of capability: String, last count: Int) async throws -> [AuditEntry] {
        try check()
        return try await memory.history(of: capability, last: count)
    }
}
