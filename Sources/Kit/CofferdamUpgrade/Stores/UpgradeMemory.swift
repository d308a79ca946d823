/// What an instance remembers of a store that may be out of reach when it starts again.
public struct RememberedUpgrade: Sendable, Hashable, Codable {
    public var state: UpgradeState
    public var kill: KillSwitch?
    public var revision: Int64
    /// When the store was read last, in milliseconds since 1970.
    public var seen: Int64
    /// What was ordered here and has not reached the store.
    public var orders: [UpgradeRequest]

    init(_ stored: StoredUpgrade, seen: Int64, orders: [UpgradeRequest]) {
        (state, kill, revision) = (stored.state, stored.kill, stored.revision)
        self.seen = seen
        self.orders = orders
    }

    var stored: StoredUpgrade { StoredUpgrade(state: state, kill: kill, revision: revision) }
}

/// Keeps what an instance remembers beyond the end of its process: where its store may be out of reach when it starts again. A
/// fleet's may be, and so may a directory that is not where the app's data is: without a memory a process that finds it so begins
/// at `legacyOnly`, with data that the candidate may have written.
public protocol UpgradeMemory: Sendable {
    /// - Throws: ``UpgradeStoreError``.
    func remembered(of capability: String) async throws -> RememberedUpgrade?
    /// - Throws: ``UpgradeStoreError``.
    func remember(_ upgrade: RememberedUpgrade) async throws
    /// A kill switch of this machine alone, which wins over the store's; nil if none is set.
    ///
    /// - Throws: ``UpgradeStoreError``.
    func localKill(of capability: String) async throws -> KillSwitch?
}
