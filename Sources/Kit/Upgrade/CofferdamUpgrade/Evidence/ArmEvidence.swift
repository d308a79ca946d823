import Cofferdam

/// The counts of all builds of an upgrade in which no process holds both sides: see ``Arm``. An ``UpgradeEngine`` with
/// such a plan reads them from its ledger automatically.
struct ArmEvidence: EvidenceSource {
    private let ledger: any EvidenceLedger

    /// - Parameter ledger: the one into which all builds merge their rows.
    init(_ ledger: any EvidenceLedger) { self.ledger = ledger }

    /// The counts of the state's epoch, added up over its builds.
    func reading(of state: UpgradeState, afterSeconds seconds: Int) async throws -> GateReading {
        let found = try await ledger.builds(of: state.capability, epoch: state.epoch)
            .filter { $0.key.stage == state.stage && $0.key.installations == nil }
        return GateReading(
            ofBuilds: found,
            at: state.stage,
            epoch: state.epoch,
            against: state.baseline,
            afterSeconds: seconds
        )
    }
}
