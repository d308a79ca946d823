public import CofferdamUpgrade  // its plans and stores

/// The upgrades that a team's tool shows and changes: their plans, and how to open their storage.
public struct UpgradeTooling: Sendable {
    /// One upgrade with its own stage, by the name under which the app keeps it.
    public struct Capability: Sendable, Hashable {
        let name: String
        let plan: UpgradePlan

        /// Creates a capability that is upgraded by that plan.
        public init(_ name: String, plan: UpgradePlan) {
            self.name = name
            self.plan = plan
        }
    }

    /// The upgrades, in the order in which they are shown.
    let capabilities: [Capability]
    let openDirectory: Opener
    /// What users lose when their calls go back to the legacy side; nil if nothing.
    let costOfGoingBack: String?
    /// Opens a fleet's storage; nil if there is no fleet.
    let openFleet: FleetOpener?

    /// Opens the storage of upgrades in a directory.
    ///
    /// The second argument says whether a missing directory may be created, which only changes ask for.
    public typealias Opener = @Sendable (_ path: String, _ mayCreate: Bool) async throws -> UpgradeStorage
    /// Opens a fleet's storage, without sending a request yet.
    public typealias FleetOpener = @Sendable (FleetPlace) async throws -> UpgradeStorage

    /// - Parameters:
    ///   - costOfGoingBack: what users lose when their calls go back to the legacy side, as a sentence for people on call:
    ///     "Users who first signed in under V2 are signed out." The commands that send them back print it before they act.
    ///   - directory: opens a directory; by default as a `FileUpgradeStore`, in a build with the trait `SQLite`.
    ///   - fleet: opens the fleet that `--etcd` names; nil if the team has no fleet.
    public init(
        _ capabilities: [Capability],
        costOfGoingBack: String? = nil,
        directory: @escaping Opener = UpgradeStorage.inDirectory,
        fleet: FleetOpener? = nil
    ) {
        self.capabilities = capabilities
        self.costOfGoingBack = costOfGoingBack
        openDirectory = directory
        openFleet = fleet
    }

    /// Returns the upgrades with those names, or all if there is no name.
    ///
    /// - Throws: ``UnknownSelection`` for the first unknown name.
    func capabilities(named names: [String]) throws(UnknownSelection) -> [Capability] {
        let known = capabilities.map(\.name)
        for name in names where !known.contains(name) {
            throw UnknownSelection(kind: "capability", name: name, known: known)
        }
        return names.isEmpty ? capabilities : capabilities.filter { names.contains($0.name) }
    }
}

/// The opened storage of upgrades and their evidence.
public struct UpgradeStorage: Sendable {
    let store: any UpgradeStore
    let evidence: UpgradeEvidence
    let note: String?

    /// Creates a storage from an opened store and its evidence.
    ///
    /// - Parameter note: a note above a status, such as that nothing is stored yet.
    public init(
        store: any UpgradeStore,
        evidence: UpgradeEvidence,
        note: String? = nil
    ) {
        self.store = store
        self.evidence = evidence
        self.note = note
    }
}
