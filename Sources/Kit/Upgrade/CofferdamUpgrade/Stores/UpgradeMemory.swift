/// The last known state of a store that may be unreachable at the next launch.
public struct RememberedUpgrade: Sendable, Hashable, Codable {
    /// The last known state.
    public var state: UpgradeState
    package var kill: KillSwitch?
    package var revision: Int64
    /// When the store was last read, in milliseconds since 1970.
    package var seen: Int64
    /// Requests that were made here and have not reached the store.
    package var pendingRequests: [UpgradeRequest]
    /// A stop that did not come from the store.
    var stop: StopNotice?

    private enum CodingKeys: String, CodingKey { case state, kill, revision, seen, pendingRequests = "orders", stop }

    init(_ stored: StoredUpgrade, seen: Int64, pendingRequests: [UpgradeRequest], stop: StopNotice? = nil) {
        (state, kill, revision) = (stored.state, stored.kill, stored.revision)
        self.seen = seen
        self.pendingRequests = pendingRequests
        self.stop = stop
    }

    var stored: StoredUpgrade { StoredUpgrade(state: state, kill: kill, revision: revision) }
}

/// Persists the last known state for a store that may be unreachable at the next launch: that of a fleet, or a
/// directory on another volume. Without a memory, a process that cannot read the store begins at `legacyOnly`, even
/// if users have data on the candidate.
public protocol UpgradeMemory: Sendable {
    /// - Throws: ``UpgradeStoreError``.
    func remembered(of capability: String) async throws -> RememberedUpgrade?
    /// - Throws: ``UpgradeStoreError``.
    func remember(_ upgrade: RememberedUpgrade) async throws
    /// The kill switch of this machine, which takes precedence over that of the store; nil if none is set.
    ///
    /// - Throws: ``UpgradeStoreError``.
    func localKill(of capability: String) async throws -> KillSwitch?
}
