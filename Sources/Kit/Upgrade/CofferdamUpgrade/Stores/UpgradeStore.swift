/// Stores the states of upgrades and their audit log: in files, or for a fleet.
///
/// A change is one transaction: it stores the new state and the audit entry together or not at all, and never
/// overwrites a change of another process.
public protocol UpgradeStore: Sendable {
    /// The stored state of a capability; nil if there is none.
    ///
    /// - Throws: ``UpgradeStoreError``: `unavailable`, `unreadable`; `CancellationError`.
    func read(_ capability: String) async throws -> StoredUpgrade?

    /// Makes a change, if the stored state is still the one that the change was made from.
    ///
    /// - Returns: the stored state; nil if another process made a change first.
    /// - Throws: ``UpgradeStoreError``: `unavailable` if the change was provably not made, `outcomeUnknown` if it may
    ///   have been made, which ``entry(_:of:)`` can answer later; `CancellationError`.
    func commit(_ change: UpgradeChange) async throws -> StoredUpgrade?

    /// The audit entry with that id; nil if there is none.
    func entry(_ id: String, of capability: String) async throws -> AuditEntry?

    /// The last audit entries, newest first.
    func history(of capability: String, last count: Int) async throws -> [AuditEntry]

    /// Whether the store is on this machine. If so, reading it involves no server, and it is read as often as the kill
    /// switch is checked: see ``UpgradeEngineSettings/killPollInterval``. False by default.
    var isLocal: Bool { get }

    /// The store's own time in milliseconds since 1970, by which all hosts of a fleet agree on how long a stage has
    /// lasted; nil if it has none, as by default, or has not answered yet.
    var wallTime: Int64? { get }

    /// Persists a change that ``read(_:)`` reports but that could not be written yet, such as an edit by hand. By
    /// default it does nothing.
    ///
    /// - Throws: ``UpgradeStoreError``, `CancellationError`; ``read(_:)`` then returns the same as before.
    func settle(_ capability: String) async throws
}

extension UpgradeStore {
    /// False by default: other machines may write to the store.
    public var isLocal: Bool { false }
    /// Nil by default: the store has no time of its own.
    public var wallTime: Int64? { nil }
    /// Does nothing, for stores without changes that wait to be written.
    public func settle(_ capability: String) async throws {}
}

/// A change of a stored state.
public struct UpgradeChange: Sendable, Hashable {
    /// The state that it was made from: stores compare ``StoredUpgrade/revision``.
    public var before: StoredUpgrade
    /// The new state. Stores assign their own revision.
    public var after: StoredUpgrade
    /// The audit entry.
    public var entry: AuditEntry

    /// Whether it can send more users to the candidate than before.
    package var isStepUp: Bool {
        let (before, after) = (before.routing, after.routing)
        let operations: [String?] = [nil] + Set(before.overrides.keys).union(after.overrides.keys)
        return !after.servedUnits.isSubset(of: before.servedUnits) && after.kill == nil
            || operations.contains { before.stage(for: $0) < after.stage(for: $0) }
    }

    init(before: StoredUpgrade, after: StoredUpgrade, request: UpgradeRequest) {
        self.before = before
        self.after = after
        entry = AuditEntry(request, before: before, after: after)
    }
}

extension UpgradeStore {
    /// Carries out a request on the stored state. If another process makes a change first, the request is checked
    /// against the new state. A request that was carried out before, by its id, is not carried out again. It gets the
    /// time of the store, if that has one.
    ///
    /// - Returns: the stored state.
    /// - Throws: ``UpgradeRefusal``, ``UpgradeStoreError``, `CancellationError`.
    public func carryOut(
        _ request: UpgradeRequest,
        for capability: String,
        plan: UpgradePlan
    ) async throws -> StoredUpgrade {
        var request = request
        while true {
            try Task.checkCancellation()
            let found = try await read(capability)
            request.at = wallTime ?? request.at
            let stored =
                found ?? StoredUpgrade(state: UpgradeState(capability: capability, since: request.at / 1_000))
            if let made = try await entry(request.id, of: capability)?.request {
                guard made.asksTheSame(as: request) else {
                    throw UpgradeRefusal(
                        .keyUsed,
                        "the id \(request.id) belongs to another request: \(made.action.name) by \(made.by)"
                    )
                }
                return stored
            }
            if stored.state.entry == request.id { return stored }
            do {
                if let now = try await commit(try stored.applying(request, plan: plan)) { return now }
            } catch let refusal as UpgradeRefusal {
                guard refusal.code == .movedOn else { throw refusal }
                throw refusal.naming(try await entry(stored.state.entry, of: capability)?.request, at: request.at)
            }
        }
    }
}

extension UpgradeRefusal {
    /// The refusal, with who made the last change and when.
    fileprivate func naming(_ last: UpgradeRequest?, at now: Int64) -> UpgradeRefusal {
        guard let last else { return self }
        let seconds = WallTime.since(last.at, at: now) / 1_000
        return UpgradeRefusal(code, "\(message): \(last.action.name) by \(last.by), \(seconds) s ago. Look again")
    }
}

/// Notifies of possible changes in a store before the next poll. It may notify too often, and may miss changes, so
/// the store is polled as well.
public protocol UpgradeStoreWatching: Sendable {
    /// Ends only when the task that reads it is cancelled.
    func changes(of capability: String) -> AsyncStream<Void>
}
