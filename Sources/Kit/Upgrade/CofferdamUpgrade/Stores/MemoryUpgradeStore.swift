import Cofferdam

/// Keeps upgrades in memory, for rehearsals and tests.
public final class MemoryUpgradeStore: UpgradeStore {
    private struct State {
        var upgrades: [String: StoredUpgrade] = [:]
        var log: [AuditEntry] = []
    }

    private let state = Mutex(State())

    /// Creates an empty store.
    public init() {}

    /// The capability's state; nil if there is none.
    public func read(_ capability: String) async throws -> StoredUpgrade? {
        state.withLock { $0.upgrades[capability] }
    }

    /// Keeps the change if the stored revision is still the one it was made from; returns nil otherwise.
    public func commit(_ change: UpgradeChange) async throws -> StoredUpgrade? {
        state.withLock { state in
            let capability = change.before.state.capability
            let revision = state.upgrades[capability]?.revision ?? 0
            guard revision == change.before.revision else { return nil }
            var after = change.after
            after.revision = revision + 1
            state.upgrades[capability] = after
            state.log.append(change.entry)
            return after
        }
    }

    /// The audit log's entry of that request; nil if there is none.
    public func entry(_ id: String, of capability: String) async throws -> AuditEntry? {
        state.withLock { state in state.log.first { $0.id == id && $0.capability == capability } }
    }

    /// The last audit entries, newest first.
    public func history(of capability: String, last count: Int) async throws -> [AuditEntry] {
        state.withLock { state in
            Array(state.log.filter { $0.capability == capability }.suffix(max(0, count)).reversed())
        }
    }
}
