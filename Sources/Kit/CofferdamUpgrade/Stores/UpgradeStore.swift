/// Keeps the states of upgrades and their audit log: in a file, or for a fleet.
///
/// A change is one transaction: the new state and the line of the log are there together or not at all, and nothing that
/// others have changed meanwhile is overwritten.
public protocol UpgradeStore: Sendable {
    /// What is stored for a capability; nil if nothing ever was.
    ///
    /// - Throws: ``UpgradeStoreError``: `unavailable`, `unreadable`; `CancellationError`.
    func read(_ capability: String) async throws -> StoredUpgrade?

    /// Makes a change, if what it was made from is still what is stored.
    ///
    /// - Returns: what is stored now; nil if somebody was quicker, and nothing is changed.
    /// - Throws: ``UpgradeStoreError``: `unavailable` if it was provably not made, `outcomeUnknown` if nobody knows: then
    ///   ``entry(_:of:)`` tells, as soon as it can be asked; `CancellationError`.
    func commit(_ change: UpgradeChange) async throws -> StoredUpgrade?

    /// The line of the log with that id; nil if there is none.
    func entry(_ id: String, of capability: String) async throws -> AuditEntry?

    /// The log's last lines, the newest first.
    func history(of capability: String, last count: Int) async throws -> [AuditEntry]

    /// Whether it is on this machine. Reading it asks no server then, and is done as often as the kill switch is looked for: see
    /// ``UpgradeEngineSettings/killPolling``. By default it is not.
    var isLocal: Bool { get }

    /// Writes down what ``read(_:)`` tells and could not be written yet: what a person has done by hand. By default there is nothing
    /// of the kind.
    ///
    /// - Throws: ``UpgradeStoreError``, `CancellationError`; what is read stays the same.
    func settle(_ capability: String) async throws
}

extension UpgradeStore {
    public var isLocal: Bool { false }
    public func settle(_ capability: String) async throws {}
}

/// A change, with all that a store needs to make it at once or not at all.
public struct UpgradeChange: Sendable, Hashable {
    /// What it was made from: ``StoredUpgrade/revision`` is compared.
    public var before: StoredUpgrade
    /// What is to be stored. Its revision is one that no store has to take over.
    public var after: StoredUpgrade
    public var entry: AuditEntry

    init(before: StoredUpgrade, after: StoredUpgrade, request: UpgradeRequest) {
        self.before = before
        self.after = after
        entry = AuditEntry(
            request: request,
            capability: before.state.capability,
            before: .init(before),
            after: .init(after)
        )
    }
}

extension UpgradeStore {
    /// Carries a request out on whatever is stored: where somebody else is quicker it is held against the new state, and made
    /// or refused by that. A request that was carried out before, by its id, is not carried out again.
    ///
    /// - Returns: what is stored now.
    /// - Throws: ``UpgradeRefusal``, ``UpgradeStoreError``, `CancellationError`.
    public func carryOut(
        _ request: UpgradeRequest,
        for capability: String,
        plan: UpgradePlan
    ) async throws -> StoredUpgrade {
        while true {
            try Task.checkCancellation()
            let stored =
                try await read(capability)
                ?? StoredUpgrade(state: UpgradeState(capability: capability, since: request.at / 1_000))
            if stored.state.entry == request.id { return stored }
            if try await entry(request.id, of: capability) != nil { return stored }
            if let now = try await commit(try stored.applying(request, plan: plan)) { return now }
        }
    }
}
