/// Where an ``Upgrade`` keeps its state and its evidence, and what its process may decide.
public struct UpgradeBackend: Sendable {
    /// The state and the audit log.
    public var store: any UpgradeStore
    /// Keeps the counts beyond the process; nil where something else does.
    public var ledger: (any EvidenceLedger)?
    /// Snapshots of the evidence; nil to keep none.
    public var log: (any EvidenceLog)?
    /// Remembers the state of a store that may be unreachable.
    public var memory: (any UpgradeMemory)?
    /// Notifies of changes before the next poll.
    public var watching: (any UpgradeStoreWatching)?
    /// The evidence for the gate, if it is not that of this process.
    public var evidence: (any EvidenceSource)?
    /// Remembers which units have written to the candidate's data, for ``DataOwnership/separate``.
    public var units: any UnitMemory = TransientUnitMemory()
    /// Whether the gate may raise the stage here: only where the users of a whole service come together. A single device
    /// sees too few, so it only goes back.
    public var decides: Bool
    /// Whether other hosts follow the same store: if this host's processes crash, only this host stops.
    public var isShared = false
    /// The files of the candidate's calls in flight of a capability.
    package var calls: @Sendable (String) throws -> CallFiles = { _ in CallFiles() }

    /// - Parameters:
    ///   - directory: where the calls in flight are noted, so that the next process sees a crash; nil to note none.
    public init(
        store: any UpgradeStore,
        ledger: (any EvidenceLedger)?,
        decides: Bool,
        callsIn directory: String? = nil
    ) {
        (self.store, self.ledger, self.decides) = (store, ledger, decides)
        if let directory { calls = { CallFiles(of: $0, in: directory) } }
    }

    /// Keeps everything in memory, for tests and a first try: it is gone when the process ends.
    public static func memory(
        store: MemoryUpgradeStore = MemoryUpgradeStore(),
        ledger: MemoryLedger = MemoryLedger()
    ) -> UpgradeBackend {
        UpgradeBackend(store: store, ledger: ledger, decides: true)
    }

    #if SQLite
    /// Keeps everything in a directory, which the processes of one machine may share.
    ///
    /// - Parameters:
    ///   - path: created if it is missing.
    ///   - decides: false for an app on a user's machine, which sees only that user.
    public static func directory(_ path: String, decides: Bool = true) -> UpgradeBackend {
        let store = FileUpgradeStore(directory: path)
        var backend = UpgradeBackend(store: store, ledger: store.log, decides: decides, callsIn: path)
        (backend.log, backend.units) = (store.log, store.log)
        return backend
    }
    #endif
}
