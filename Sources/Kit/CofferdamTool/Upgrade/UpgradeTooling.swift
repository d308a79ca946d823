public import CofferdamUpgrade  // a description names plans and stores

/// The upgrades that a team's tool shows and moves: their plans, and how to open what keeps them.
public struct UpgradeTooling: Sendable {
    /// One upgrade with a stage of its own, by the name under which the app keeps it.
    public struct Capability: Sendable, Hashable {
        let name: String
        let plan: UpgradePlan

        /// Describes a capability that the upgrade moves by its plan.
        public init(_ name: String, plan: UpgradePlan) {
            self.name = name
            self.plan = plan
        }
    }

    /// In the order in which they are shown.
    let capabilities: [Capability]
    let openDirectory: Opener
    /// Nil where there is no fleet.
    let openFleet: FleetOpener?

    /// Opens what keeps the upgrades in a directory.
    ///
    /// The second argument says whether it may be made where it is not there yet: only a change asks for that.
    public typealias Opener = @Sendable (_ path: String, _ mayCreate: Bool) async throws -> UpgradeStorage
    /// Opens a fleet's store, without a request yet.
    public typealias FleetOpener = @Sendable (FleetPlace) async throws -> UpgradeStorage

    /// - Parameters:
    ///   - directory: by default a `FileUpgradeStore`, in a build with the trait `SQLite`.
    ///   - fleet: what `--etcd` opens; nil where the team has no fleet.
    public init(
        _ capabilities: [Capability],
        directory: @escaping Opener = UpgradeStorage.inDirectory,
        fleet: FleetOpener? = nil
    ) {
        self.capabilities = capabilities
        openDirectory = directory
        openFleet = fleet
    }

    /// Those of the names, or all where none is named.
    ///
    /// - Throws: ``UnknownSelection`` for the first name that there is not.
    func capabilities(named names: [String]) throws(UnknownSelection) -> [Capability] {
        let known = capabilities.map(\.name)
        for name in names where !known.contains(name) {
            throw UnknownSelection(kind: "capability", name: name, known: known)
        }
        return names.isEmpty ? capabilities : capabilities.filter { names.contains($0.name) }
    }
}

/// What keeps the upgrades and their evidence, opened.
public struct UpgradeStorage: Sendable {
    let store: any UpgradeStore
    let evidence: UpgradeEvidence
    let note: String?

    /// Bundles the opened state with its evidence.
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
