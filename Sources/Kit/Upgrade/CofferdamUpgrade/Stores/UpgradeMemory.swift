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

    init(_ stored: StoredUpgrade, seen: Int64, pendingRequests: [UpgradeRequest], stop: StopNotice? = nil) {
        (state, kill, revision) = (stored.state, stored.kill, stored.revision)
        self.seen = seen
        self.pendingRequests = pendingRequests
        self.stop = stop
    }

    /// Decodes what an earlier version wrote, too.
    public init(from decoder: any Decoder) throws {
        /// The name of `pendingRequests` up to version 0.2.
        enum EarlierKeys: String, CodingKey { case orders }
        let values = try decoder.container(keyedBy: CodingKeys.self)
        state = try values.decode(UpgradeState.self, forKey: .state)
        kill = try values.decodeIfPresent(KillSwitch.self, forKey: .kill)
        revision = try values.decode(Int64.self, forKey: .revision)
        seen = try values.decode(Int64.self, forKey: .seen)
        pendingRequests =
            try decoder.container(keyedBy: EarlierKeys.self).decodeIfPresent([UpgradeRequest].self, forKey: .orders)
            ?? values.decode([UpgradeRequest].self, forKey: .pendingRequests)
        stop = try values.decodeIfPresent(StopNotice.self, forKey: .stop)
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
